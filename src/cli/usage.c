#include "cli/usage.h"

#include <string.h>

/* Prints text from `column` on in lines of at most `width` columns, further ones indented. */
static void print_wrapped(FILE *out, const char *text, int indent, int width)
{
    int column = indent;

    while (*text) {
        int len = (int)strcspn(text, " ");

        if (column > indent && column + 1 + len > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", len, text);
        column += len;
        text += len;
        text += *text == ' ';
    }
    fputc('\n', out);
}

/* The command's own words for an option of a group; NULL where it has none. */
static const char *own_help(const struct option_row *rows, const char *name)
{
    const char *help = NULL;

    for (const struct option_row *row = rows; row->kind != OPTION_END && !help; row++) {
        if (row->kind == OPTION_HELP && strcmp(row->name, name) == 0)
            help = row->help;
        else if (row->kind == OPTION_GROUP)
            help = own_help(row->group, name);
    }
    return help;
}

const char *usage_help(const struct option_row *command, const struct option_row *option)
{
    const char *own = own_help(command, option->name);

    return own ? own : option->help;
}

static void print_row(const struct option_row *row, const struct option_row *command, FILE *out)
{
    enum { INDENT = 30, WIDTH = 100 };
    int n = row->letter ? fprintf(out, "  -%c, --%s", row->letter, row->name)
                        : fprintf(out, "      --%s", row->name);

    if (row->argument)
        n += fprintf(out, row->kind == OPTION_OPTIONAL ? "[=%s]" : " %s", row->argument);
    if (n > INDENT - 2)
        fprintf(out, "\n%*s", INDENT, "");
    else
        fprintf(out, "%*s", INDENT - n, "");
    print_wrapped(out, usage_help(command, row), INDENT, WIDTH);
}

static void print_rows(const struct option_row *rows, const struct option_row *command, FILE *out)
{
    for (const struct option_row *row = rows; row->kind != OPTION_END; row++) {
        if (row->kind == OPTION_GROUP)
            print_rows(row->group, command, out);
        else if (row->kind == OPTION_PARAGRAPH)
            fputc('\n', out);
        else if (row->kind < OPTION_GROUP)
            print_row(row, command, out);
    }
}

void usage_print(const struct usage *usage, FILE *out)
{
    const char *line = usage->synopsis, *lead = "usage:";

    for (; *line; lead = "      ") {
        size_t len = strcspn(line, "\n");

        fprintf(out, "%s dmlop %s %.*s\n", lead, usage->name, (int)len, line);
        line += len + (line[len] == '\n');
    }
    fputc('\n', out);
    print_wrapped(out, usage->summary, 0, 100);
    fputc('\n', out);
    print_rows(usage->rows, usage->rows, out);
    if (usage->after)
        fprintf(out, "\n%s", usage->after);
}
