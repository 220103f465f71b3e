#include "cmd/options.h"

#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "json/number.h"

enum { LONG_ONLY = 256 /* getopt's value for row i is LONG_ONLY + i */ };

/* getopt's tables, built from a command's rows. */
struct parser {
    const struct option_row *rows[OPTION_ROWS_MAX];
    size_t n;
    struct option longs[OPTION_ROWS_MAX + 1];
    char letters[2 * OPTION_ROWS_MAX + 2];
};

static void build(struct parser *p, const struct usage *usage)
{
    char *letter = p->letters;

    *p = (struct parser){ 0 };
    *letter++ = ':'; /* a missing argument is told from an unknown option */
    for (const struct option_row *const *table = usage->tables; *table; table++)
        for (const struct option_row *row = *table; row->name && p->n < OPTION_ROWS_MAX; row++) {
            p->longs[p->n] = (struct option){ row->name,
                                              row->kind == OPTION_FLAG ? no_argument
                                              : row->kind == OPTION_OPTIONAL ? optional_argument
                                                                             : required_argument,
                                              NULL, LONG_ONLY + (int)p->n };
            if (row->letter) {
                *letter++ = row->letter;
                if (row->kind != OPTION_FLAG)
                    *letter++ = ':';
            }
            p->rows[p->n++] = row;
        }
}

enum status usage_hint(struct diag *dg)
{
    return diag_error(dg, ST_USAGE, NULL, "try 'dmlop%s%s --help'", dg->command ? " " : "",
                      dg->command ? dg->command : "");
}

static enum status unknown(const struct parser *p, const char *text, struct diag *dg)
{
    const char *names[OPTION_ROWS_MAX];
    char name[64];
    size_t len = strcspn(text, "="), near;

    if (len >= sizeof name)
        len = sizeof name - 1;
    memcpy(name, text, len);
    name[len] = '\0';
    for (size_t i = 0; i < p->n; i++)
        names[i] = p->rows[i]->name;
    near = str_nearest(name, names, p->n);
    for (size_t i = 0; near == p->n && len > 0 && i < p->n; i++)
        if (strncmp(names[i], name, len) == 0) /* what others take for an abbreviation */
            near = i;
    if (near < p->n)
        diag_error(dg, ST_USAGE, NULL, "unknown option '--%s'; did you mean '--%s'?", name, names[near]);
    else
        diag_error(dg, ST_USAGE, NULL, "unknown option '--%s'", name);
    return usage_hint(dg);
}

/* The row of a letter, or of a LONG_ONLY value. */
static const struct option_row *row_of(const struct parser *p, int value)
{
    for (size_t i = 0; i < p->n; i++)
        if (value == LONG_ONLY + (int)i || (value < LONG_ONLY && value != 0 && p->rows[i]->letter == value))
            return p->rows[i];
    return NULL;
}

static enum status store(const struct option_row *row, void *args, const char *value, struct diag *dg)
{
    char *target = (char *)args + row->offset;
    struct option_list *list = (void *)target;

    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)(void *)target = true;
        break;
    case OPTION_STRING:
        *(const char **)(void *)target = value;
        break;
    case OPTION_OPTIONAL:
        *(const char **)(void *)target = value ? value : "";
        break;
    case OPTION_LIST:
        if (list->n == OPTION_LIST_MAX)
            return diag_error(dg, ST_USAGE, NULL, "'--%s' stands more than %d times", row->name, OPTION_LIST_MAX);
        list->v[list->n++] = value;
        break;
    }
    return ST_OK;
}

/* The argv element that the last long option stood in. */
static const char *last_word(char **argv, const char *arg)
{
    return arg && argv[optind - 1] == arg ? argv[optind - 2] : argv[optind - 1];
}

/* getopt takes any unambiguous beginning of a name; a script must not come to depend on one. */
static bool abbreviated(const struct option_row *row, const char *word)
{
    size_t len = strlen(row->name);

    return strncmp(word + 2, row->name, len) != 0 || (word[2 + len] && word[2 + len] != '=');
}

/* getopt's ':' and '?'. */
static enum status refuse(const struct parser *p, int value, char **argv, struct diag *dg)
{
    const struct option_row *row = row_of(p, optopt);

    if (value == ':' && row && optopt < LONG_ONLY)
        diag_error(dg, ST_USAGE, NULL, "option '-%c' needs a value: %s", optopt, row->argument);
    else if (value == ':' && row && abbreviated(row, argv[optind - 1]))
        return unknown(p, argv[optind - 1] + 2, dg);
    else if (value == ':' && row)
        diag_error(dg, ST_USAGE, NULL, "option '--%s' needs a value: %s", row->name, row->argument);
    else if (row && optopt >= LONG_ONLY)
        diag_error(dg, ST_USAGE, NULL, "option '--%s' takes no value", row->name);
    else if (optopt > 0)
        diag_error(dg, ST_USAGE, NULL, "unknown option '-%c'", optopt);
    else
        return unknown(p, argv[optind - 1] + 2, dg);
    return usage_hint(dg);
}

enum status options_parse(const struct usage *usage, void *args, int argc, char **argv, int *first, struct diag *dg)
{
    struct parser p;
    int value;

    build(&p, usage);
    opterr = 0;
    optind = 1;
    while ((value = getopt_long(argc, argv, p.letters, p.longs, NULL)) != -1) {
        const struct option_row *row;
        enum status st;

        if (value == ':' || value == '?')
            return refuse(&p, value, argv, dg);
        row = row_of(&p, value);
        if (value >= LONG_ONLY && abbreviated(row, last_word(argv, optarg)))
            return unknown(&p, last_word(argv, optarg) + 2, dg);
        st = store(row, args, optarg, dg);
        if (st)
            return st;
    }
    *first = optind;
    return ST_OK;
}

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

static void print_row(const struct option_row *row, FILE *out)
{
    enum { INDENT = 30, WIDTH = 100 };
    int n = row->letter ? fprintf(out, "  -%c, --%s", row->letter, row->name) : fprintf(out, "      --%s", row->name);

    if (row->argument)
        n += fprintf(out, row->kind == OPTION_OPTIONAL ? "[=%s]" : " %s", row->argument);
    if (n > INDENT - 2)
        fprintf(out, "\n%*s", INDENT, "");
    else
        fprintf(out, "%*s", INDENT - n, "");
    print_wrapped(out, row->help, INDENT, WIDTH);
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
    for (const struct option_row *const *table = usage->tables; *table; table++) {
        fputc('\n', out);
        for (const struct option_row *row = *table; row->name; row++)
            print_row(row, out);
    }
    if (usage->after)
        fprintf(out, "\n%s", usage->after);
}

enum status option_number(const char *option, const char *text, long lo, long hi, long *value, struct diag *dg)
{
    int64_t v = 0;

    if (number_int_literal(text, strlen(text), &v) != NUMBER_OK || v < lo || v > hi)
        return diag_error(dg, ST_USAGE, NULL, "%s: '%s' is no number from %ld to %ld", option, text, lo, hi);
    *value = (long)v;
    return ST_OK;
}

enum status option_choice(const char *option, const char *text, const char *const names[], int *index, struct diag *dg)
{
    struct str all = { 0 };
    enum status st;

    for (*index = 0; names[*index]; ++*index)
        if (strcmp(text, names[*index]) == 0)
            return ST_OK;
    for (int i = 0; names[i]; i++)
        str_printf(&all, "%s%s", i ? ", " : "", names[i]);
    st = all.failed ? diag_nomem(dg) : diag_error(dg, ST_USAGE, NULL, "%s: '%s' is none of %s", option, text, all.s);
    str_free(&all);
    return st;
}

enum status option_color(const char *text, FILE *out, bool *color, struct diag *dg)
{
    static const char *const words[] = { "auto", "always", "never", NULL };
    const char *no_color = getenv("NO_COLOR");
    int word = 0;
    enum status st = text ? option_choice("--color", text, words, &word, dg) : ST_OK;

    *color = word == 1 || (word == 0 && !(no_color && *no_color) && isatty(fileno(out)));
    return st;
}
