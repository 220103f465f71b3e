#include "cli/usage.h"

#include "json/number.h"
#include "os/process.h"

extern const char cli_help[];

size_t usage_line(const char *text, size_t width)
{
    size_t n = strcspn(text, "\n"), at = width;

    if (n <= width)
        return n;
    while (at > 0 && text[at] != ' ')
        at--;
    return at > 0 ? at : strcspn(text, " \n");
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
    const char *end = text + strcspn(text, "\n");
    int width = help_width(), blanks = 0;

    while (text < end) {
        size_t n = usage_line(text, (size_t)(width - at));

        fprintf(out, "%*s", blanks, "");
        for (size_t i = 0; i < n; i++)
            fputc(text[i] == '\t' ? ' ' : text[i], out);
        fputc('\n', out);
        text += n + (text[n] == ' ');
        at = blanks = indent;
    }
}

static const char *text_of(const char *command)
{
    const char *text;
    char file[32];

    snprintf(file, sizeof file, "%s.txt", command);
    text = embedded_find(cli_help, file);
    return *text ? text : "\n"; /* in tests */
}

/* What follows "--OPTION" in the texts of a command; NULL if it has no such line. */
static const char *find_option(const char *command, const char *option)
{
    size_t n = strlen(option);

    for (const char *at = strstr(text_of(command), "\n\n--"); at && (at = strstr(at, "\n--"));) {
        at += strlen("\n--");
        if (strncmp(at, option, n) == 0 && (at[n] == ' ' || at[n] == ':'))
            return at + n;
    }
    return NULL;
}

struct option_text usage_option(const char *command, const char *option)
{
    const char *own = find_option(command, option);
    const char *line = own ? own : find_option("shared", option);
    struct option_text t = { .help = "" };

    if (line) {
        t.help = strstr(line, ": ") + 2;
        if (*line == ' ')
            snprintf(t.argument, sizeof t.argument, "%.*s", (int)(t.help - line) - 3, line + 1);
    }
    return t;
}

static void print_option(const char *command, const struct option_row *row, FILE *out)
{
    const struct option_text text = usage_option(command, row->name);
    int indent = help_width() < 60 ? 8 : 30;
    int n = row->letter ? fprintf(out, "  -%c, --%s", row->letter, row->name)
                        : fprintf(out, "      --%s", row->name);

    if (*text.argument)
        n += fprintf(out, row->kind == OPTION_OPTIONAL ? "[=%s]" : " %s", text.argument);
    if (n > indent - 2)
        fprintf(out, "\n%*s", indent, "");
    else
        fprintf(out, "%*s", indent - n, "");
    usage_text(out, text.help, indent, indent);
}

void usage_print(const char *command, const struct usage_rows *rows, bool all, FILE *out)
{
    const char *line = text_of(command), *lead = "usage:";
    char text[320];

    for (; *line != '\n'; lead = "      ") {
        size_t len = strcspn(line, "\n");
        int indent = snprintf(NULL, 0, "usage: dmlop %s ", command), depth = 0;

        snprintf(text, sizeof text, "%s dmlop %s %.*s", lead, command, (int)len, line);
        for (char *c = text; *c; c++) { /* no line is broken in brackets */
            depth += (*c == '[') - (*c == ']');
            if (*c == ' ' && depth > 0)
                *c = '\t';
        }
        usage_text(out, text, 0, indent);
        line += len + 1;
    }
    fputc('\n', out);
    usage_text(out, ++line, 0, 0);
    fputc('\n', out);
    for (size_t i = 0; i < rows->n; i++) {
        const struct option_row *row = rows->v[i].row;

        if (row->kind == OPTION_PARAGRAPH)
            fputc('\n', out);
        if (row->kind == OPTION_MORE && !all) {
            snprintf(text, sizeof text,
                     "'dmlop %s --help=all' lists the options that all operators share, too.",
                     command);
            fputc('\n', out);
            usage_text(out, text, 0, 0);
            break;
        }
        if (row_is_option(row))
            print_option(command, row, out);
    }
    line = strchr(line, '\n');
    if (line && line[1] != '\n') {
        fputc('\n', out);
        usage_text(out, line + 1, 0, 0);
    }
}
