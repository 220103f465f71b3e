#include "cli/usage.h"

#include <assert.h>
#include <string.h>

size_t usage_line(const char *text, size_t width)
{
    size_t n = strlen(text), at = width;

    if (n <= width)
        return n;
    while (at > 0 && text[at] != ' ')
        at--;
    return at > 0 ? at : strcspn(text, " ");
}

/* Prints text from column `indent` on, in lines of at most `width` columns. */
static void print_wrapped(FILE *out, const char *text, int indent, int width)
{
    for (int blanks = 0; *text; blanks = indent) {
        size_t n = usage_line(text, (size_t)(width - indent));

        fprintf(out, "%*s%.*s\n", blanks, "", (int)n, text);
        text += n + (text[n] == ' ');
    }
}

void usage_rows(const struct option_row *rows, size_t offset, struct usage_rows *all)
{
    for (const struct option_row *row = rows; row->kind != OPTION_END; row++) {
        if (row->kind == OPTION_GROUP) {
            usage_rows(row->group, offset + row->offset, all);
            continue;
        }
        assert(all->n < USAGE_ROWS_MAX);
        all->v[all->n].row = row;
        all->v[all->n++].offset = offset + row->offset;
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
    enum { INDENT = 30, WIDTH = 100 };
    int n = row->letter ? fprintf(out, "  -%c, --%s", row->letter, row->name)
                        : fprintf(out, "      --%s", row->name);

    if (row->argument)
        n += fprintf(out, row->kind == OPTION_OPTIONAL ? "[=%s]" : " %s", row->argument);
    if (n > INDENT - 2)
        fprintf(out, "\n%*s", INDENT, "");
    else
        fprintf(out, "%*s", INDENT - n, "");
    print_wrapped(out, help, INDENT, WIDTH);
}

void usage_print(const struct usage *usage, FILE *out)
{
    const char *line = usage->synopsis, *lead = "usage:";
    struct usage_rows all = { .n = 0 };

    for (; *line; lead = "      ") {
        size_t len = strcspn(line, "\n");

        fprintf(out, "%s dmlop %s %.*s\n", lead, usage->name, (int)len, line);
        line += len + (line[len] == '\n');
    }
    fputc('\n', out);
    print_wrapped(out, usage->summary, 0, 100);
    fputc('\n', out);
    usage_rows(usage->rows, 0, &all);
    for (size_t i = 0; i < all.n; i++) {
        const struct option_row *row = all.v[i].row;

        if (row->kind == OPTION_PARAGRAPH)
            fputc('\n', out);
        else if (row_is_option(row))
            print_option(row, usage_help(&all, row), out);
    }
    if (usage->after)
        fprintf(out, "\n%s", usage->after);
}
