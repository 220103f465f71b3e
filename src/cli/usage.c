#include "cli/usage.h"

#include <stdlib.h>
#include <string.h>

#include "json/number.h"
#include "os/process.h"

size_t usage_line(const char *text, size_t width)
{
    size_t n = strcspn(text, "\n"), at = width;

    if (n <= width)
        return n;
    while (at > 0 && text[at] != ' ')
        at--;
    return at > 0 ? at : strcspn(text, " ");
}

unsigned terminal_width(void)
{
    const char *columns = getenv("COLUMNS");
    uint64_t n;

    if (columns && number_uint_literal(columns, strlen(columns), &n) == NUMBER_OK && n > 0 &&
        n <= INT16_MAX)
        return (unsigned)n;
    return os_terminal_columns();
}

static int help_width(void)
{
    enum { LEAST = 40, MOST = 80 };
    unsigned width = terminal_width();

    return width == 0 || width > MOST ? MOST : width < LEAST ? LEAST : (int)width;
}

void usage_text(FILE *out, const char *text, int at, int indent)
{
    int width = help_width(), blanks = 0;

    while (*text) {
        size_t end = strcspn(text, "\n"), n = usage_line(text, (size_t)(width - at));

        n = n < end ? n : end;
        fprintf(out, "%*s", blanks, "");
        for (size_t i = 0; i < n; i++)
            fputc(text[i] == '\t' ? ' ' : text[i], out);
        fputc('\n', out);
        text += n + (text[n] == ' ' || text[n] == '\n');
        at = blanks = indent;
    }
}

const char *usage_help(const struct usage_rows *all, const struct option_row *option)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct option_row *row = all->v[i].row;

        if (row->kind == OPTION_HELP && strcmp(row->name, option->name) == 0)
            return row->help;
    }
    return option->help;
}

static void print_option(const struct option_row *row, const char *help, FILE *out)
{
    int indent = help_width() < 60 ? 8 : 30;
    int n = row->letter ? fprintf(out, "  -%c, --%s", row->letter, row->name)
                        : fprintf(out, "      --%s", row->name);

    if (row->argument)
        n += fprintf(out, row->kind == OPTION_OPTIONAL ? "[=%s]" : " %s", row->argument);
    if (n > indent - 2)
        fprintf(out, "\n%*s", indent, "");
    else
        fprintf(out, "%*s", indent - n, "");
    usage_text(out, help, indent, indent);
}

void usage_print(const struct usage *usage, const struct usage_rows *rows, bool all, FILE *out)
{
    const char *line = usage->synopsis, *lead = "usage:";
    char text[320];

    for (; *line; lead = "      ") {
        size_t len = strcspn(line, "\n");
        int indent = snprintf(NULL, 0, "usage: dmlop %s ", usage->name), depth = 0;

        snprintf(text, sizeof text, "%s dmlop %s %.*s", lead, usage->name, (int)len, line);
        for (char *c = text; *c; c++) { /* no line is broken in brackets */
            depth += (*c == '[') - (*c == ']');
            if (*c == ' ' && depth > 0)
                *c = '\t';
        }
        usage_text(out, text, 0, indent);
        line += len + (line[len] == '\n');
    }
    fputc('\n', out);
    usage_text(out, usage->summary, 0, 0);
    fputc('\n', out);
    for (size_t i = 0; i < rows->n; i++) {
        const struct option_row *row = rows->v[i].row;

        if (row->kind == OPTION_PARAGRAPH)
            fputc('\n', out);
        if (row->kind == OPTION_MORE && !all) {
            snprintf(text, sizeof text,
                     "\n'dmlop %s --help=all' lists the options that all operators share, too.\n",
                     usage->name);
            usage_text(out, text, 0, 0);
            break;
        }
        if (row_is_option(row))
            print_option(row, usage_help(rows, row), out);
    }
    if (usage->after) {
        fputc('\n', out);
        usage_text(out, usage->after, 0, 0);
    }
}
