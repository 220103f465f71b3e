#include "cli/options.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/number_text.h"
#include "cli/print.h"
#include "cli/usage.h"

/* A command line while it is parsed. */
struct parser {
    struct usage_rows rows;
    const char *text[USAGE_ROWS_MAX]; /* the option's last value, "" for a flag; NULL: not given */
    char *args;                       /* the command's struct of arguments */
    struct common_args *common;       /* the same: its first member */
    char **argv;
    int argc, next; /* argv[next] is parsed next */
    struct diag *dg;
};

enum { NOT_FOUND = USAGE_ROWS_MAX };

static void *target_of(const struct parser *p, size_t i) { return p->args + p->rows.v[i].offset; }

enum status usage_hint(struct diag *dg)
{
    return diag_usage(dg, "try 'dmlop%s%s --help'", dg->command ? " " : "",
                      dg->command ? dg->command : "");
}

enum status too_many_operands(const struct common_args *common, const char *operand,
                              const char *otherwise, struct diag *dg)
{
    if (common->bare_option)
        return usage_error(dg, "too many operands: '%s'; did you mean --%s=%s?", operand,
                           common->bare_option, common->after_bare);
    return usage_error(dg, "too many operands: '%s'%s", operand, otherwise);
}

/* The option with this letter, or if that is 0 with this name, the first len bytes of name. */
static size_t find_option(const struct parser *p, char letter, const char *name, size_t len)
{
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct option_row *row = p->rows.v[i].row;

        if (letter ? row->letter == letter
                   : row_is_option(row) && strncmp(row->name, name, len) == 0 && !row->name[len])
            return i;
    }
    return NOT_FOUND;
}

static enum status unknown_option(const struct parser *p, const char *text, size_t len)
{
    const char *names[USAGE_ROWS_MAX];
    char name[64];
    size_t n = 0, near;

    snprintf(name, sizeof name, "%.*s", (int)len, text);
    for (size_t i = 0; i < p->rows.n; i++)
        if (row_is_option(p->rows.v[i].row))
            names[n++] = p->rows.v[i].row->name;
    near = str_nearest(name, names, n);
    for (size_t i = 0; near == n && *name && i < n; i++)
        if (strncmp(names[i], name, strlen(name)) == 0) /* an abbreviation elsewhere */
            near = i;
    if (near < n)
        return usage_error(p->dg, "unknown option '--%s'; did you mean '--%s'?", name, names[near]);
    return usage_error(p->dg, "unknown option '--%s'", name);
}

static enum status add_value(const struct parser *p, size_t i, const char *value)
{
    const struct option_row *row = p->rows.v[i].row;
    struct option_list *list = target_of(p, i);

    if (row->kind == OPTION_LIST && list->n == OPTION_TIMES_MAX)
        return diag_usage(p->dg, "'--%s' is given more than %d times", row->name, OPTION_TIMES_MAX);
    if (list->n == OPTION_LIST_MAX)
        return diag_usage(p->dg, "--%s: a list has at most %d numbers", row->name, OPTION_LIST_MAX);
    list->v[list->n++] = value;
    return ST_OK;
}

/* Keeps the value of an option: NULL for a flag, and for an optional value that is not given. */
static enum status set_value(struct parser *p, size_t i, const char *value)
{
    const char *following = p->next < p->argc ? p->argv[p->next] : NULL;
    const struct option_row *row = p->rows.v[i].row;
    bool one_list = row->kind == OPTION_INTEGERS || row->kind == OPTION_NUMBERS;
    struct option_list *list = target_of(p, i);
    enum status st;

    p->text[i] = value ? value : "";
    if (row->kind == OPTION_OPTIONAL && !value && !p->common->bare_option && following &&
        *following != '-') {
        p->common->bare_option = row->name;
        p->common->after_bare = following;
    }
    if (row->kind != OPTION_LIST && !one_list)
        return ST_OK;
    if (one_list)
        list->n = 0; /* the last list counts */
    st = add_value(p, i, value);
    while (st == ST_OK && one_list && p->next < p->argc &&
           number_list_goes_on(list, p->argv[p->next], row->kind == OPTION_INTEGERS))
        st = add_value(p, i, p->argv[p->next++]);
    return st;
}

/* Parses "name" or "name=value". */
static enum status parse_long(struct parser *p, const char *word)
{
    bool all = strcmp(word, "help=all") == 0;
    size_t len = strcspn(word, "="), i = find_option(p, 0, word, len);
    const char *value = word[len] && !all ? word + len + 1 : NULL;
    const struct option_row *row;

    p->common->help_all |= all;
    if (i == NOT_FOUND)
        return unknown_option(p, word, len);
    row = p->rows.v[i].row;
    if (value && row->kind == OPTION_FLAG)
        return usage_error(p->dg, "option '--%s' does not take a value", row->name);
    if (!value && row->kind != OPTION_FLAG && row->kind != OPTION_OPTIONAL) {
        if (p->next == p->argc)
            return usage_error(p->dg, "option '--%s' needs a value: %s", row->name,
                               usage_option(p->dg->command, row->name).argument);
        value = p->argv[p->next++];
    }
    return set_value(p, i, value);
}

/* Parses the letters of flags, of which the last may be an option with its value. */
static enum status parse_letters(struct parser *p, const char *word)
{
    enum status st = ST_OK;

    for (; *word && st == ST_OK; word++) {
        size_t i = find_option(p, *word, "", 0), len = str_utf8_length(word, strlen(word));
        const struct option_row *row;

        if (i == NOT_FOUND)
            return usage_error(p->dg, "unknown option '-%.*s'", (int)(len ? len : 1), word);
        row = p->rows.v[i].row;
        if (row->kind != OPTION_FLAG && !word[1] && p->next == p->argc)
            return usage_error(p->dg, "option '-%c' needs a value: %s", *word,
                               usage_option(p->dg->command, row->name).argument);
        if (row->kind != OPTION_FLAG)
            return set_value(p, i, word[1] ? word + 1 : p->argv[p->next++]);
        st = set_value(p, i, NULL);
    }
    return st;
}

/* Keeps the values of the options, and moves the operands to the beginning of argv; *n is their
 * number. */
static enum status parse(struct parser *p, int *n)
{
    enum status st = ST_OK;
    bool options = true;

    *n = 0;
    for (p->next = 1; p->next < p->argc && st == ST_OK;) {
        char *word = p->argv[p->next++];

        if (!options || word[0] != '-' || word[1] == '\0' || word[1] == ':') /* -:1 is a file */
            p->argv[(*n)++] = word;
        else if (word[1] != '-')
            st = parse_letters(p, word + 1);
        else if (word[2] != '\0')
            st = parse_long(p, word + 2);
        else
            options = false;
    }
    return st;
}

static enum status convert_number(const struct option_row *row, const char *text, long *target,
                                  struct diag *dg)
{
    bool any = row->min == LONG_MIN && row->max == LONG_MAX;
    int64_t v;

    if (number_text_whole(text, strlen(text), &v) && (any || (v >= row->min && v <= row->max))) {
        *target = (long)(v < row->min ? row->min : v > row->max ? row->max : v);
        return ST_OK;
    }
    if (any)
        return diag_usage(dg, "--%s: '%s' is not a whole number", row->name, text);
    return diag_usage(dg, "--%s: '%s' is not a number from %ld to %ld", row->name, text, row->min,
                      row->max);
}

static enum status convert_real(const struct option_row *row, const char *text, double *target,
                                struct diag *dg)
{
    bool seconds = row->kind == OPTION_SECONDS;
    struct scalar s;

    if (number_text_scalar(text, true, &s) && s.f >= 0 && (!seconds || s.f <= 1e6)) {
        *target = s.f;
        return ST_OK;
    }
    return diag_usage(dg, "--%s: '%s' is not a number of %s", row->name, text,
                      seconds ? "seconds, 0 to 1000000" : "0 or more, such as 1e-6");
}

static enum status convert_choice(const struct option_row *row, const char *text, int *target,
                                  struct diag *dg)
{
    int choice = row->read_choice ? row->read_choice(text) : -1;
    struct str b = { 0 };

    for (int i = 0; !row->read_choice && row->words[i] && choice < 0; i++)
        choice = strcmp(text, row->words[i]) == 0 ? i : -1;
    if (choice >= 0) {
        *target = choice;
        return ST_OK;
    }
    str_printf(&b, "--%s: '%s' is not %s", row->name, text,
               row->choices ? row->choices : "one of ");
    for (int i = 0; !row->choices && row->words[i]; i++)
        str_printf(&b, "%s%s", i ? ", " : "", row->words[i]);
    return diag_str(dg, ST_USAGE, NULL, &b);
}

/* The type of a name, BFLOAT16 for options that take it; DT_NONE if it is none. */
static enum dtype type_named(const struct option_row *row, const char *name)
{
    return row->max == DT_BFLOAT16 && strcasecmp(name, dtype_name(DT_BFLOAT16)) == 0
               ? DT_BFLOAT16
               : dtype_from_name(name, true);
}

static enum status convert_type(const struct option_row *row, const char *text, enum dtype *target,
                                struct diag *dg)
{
    static const char *const called[][2] = { /* how names of other programs begin, and ours */
#include "cli/called_types_rows.h"
    };
    char name[16];

    *target = type_named(row, text);
    for (size_t i = 0; *target == DT_NONE && i < ARRAY_LEN(called); i++) {
        size_t n = strlen(called[i][0]);

        snprintf(name, sizeof name, "%s%s", called[i][1], text + strnlen(text, n));
        if (strncasecmp(text, called[i][0], n) == 0 && type_named(row, name) != DT_NONE)
            return diag_usage(dg, "--%s: there is no type '%s'; did you mean '%s'?", row->name,
                              text, name);
    }
    return *target != DT_NONE
               ? ST_OK
               : diag_usage(dg, "--%s: there is no type '%s'; the types are %s%s", row->name, text,
                            dtype_list, row->max == DT_BFLOAT16 ? " BFLOAT16" : "");
}

/* Stores the value of an option that was given. */
static enum status convert(const struct option_row *row, const char *text, void *target,
                           struct diag *dg)
{
    switch (row->kind) {
    case OPTION_FLAG: *(bool *)target = true; return ST_OK;
    case OPTION_TEXT:
    case OPTION_OPTIONAL: *(const char **)target = text; return ST_OK;
    case OPTION_NUMBER: return convert_number(row, text, target, dg);
    case OPTION_SECONDS:
    case OPTION_TOLERANCE: return convert_real(row, text, target, dg);
    case OPTION_CHOICE: return convert_choice(row, text, target, dg);
    case OPTION_TYPE: return convert_type(row, text, target, dg);
    default: /* lists are filled while they are parsed */ return ST_OK;
    }
}

static enum status convert_all(const struct parser *p)
{
    enum status st = ST_OK;

    for (size_t i = 0; i < p->rows.n && st == ST_OK; i++) {
        const struct option_row *row = p->rows.v[i].row;
        void *target = target_of(p, i);

        if (p->text[i])
            st = convert(row, p->text[i], target, p->dg);
        else if (row->kind == OPTION_NUMBER) /* what is not preset is zero */
            *(long *)target = row->preset;
        else if (row->kind == OPTION_SECONDS)
            *(double *)target = (double)row->preset;
        else if (row->kind == OPTION_CHOICE)
            *(int *)target = (int)row->preset;
    }
    return st;
}

/* The option with that name if it was given, else NULL. */
static const struct option_row *given(const struct parser *p, const char *name)
{
    size_t i = find_option(p, 0, name, strlen(name));

    return i != NOT_FOUND && p->text[i] ? p->rows.v[i].row : NULL;
}

enum { SPELLED = 64 /* bytes of an option's name with its dashes */ };

/* "-o", or "--indices" for an option without a letter. */
static const char *spelled(const struct option_row *row, char text[SPELLED])
{
    snprintf(text, SPELLED, "-%.1s%s", row->letter ? &row->letter : "-",
             row->letter ? "" : row->name);
    return text;
}

static enum status check_exclusions(const struct parser *p)
{
    char one[SPELLED], other[SPELLED];

    for (size_t i = 0; i < p->rows.n; i++) {
        const struct option_row *row = p->rows.v[i].row;

        if ((row->kind != OPTION_EXCLUDES && row->kind != OPTION_NEEDS) || !given(p, row->name))
            continue;
        if (row->kind == OPTION_NEEDS && !given(p, *row->words))
            return diag_usage(p->dg, "--%s needs --%s", row->name, *row->words);
        if (row->kind == OPTION_NEEDS)
            continue;
        for (const char *const *name = row->words; *name; name++)
            if (given(p, *name))
                return diag_usage(p->dg, "%s and %s cannot be used together%s",
                                  spelled(given(p, *name), one),
                                  spelled(given(p, row->name), other), row->why ? row->why : "");
    }
    return ST_OK;
}

bool input_given(int *argc, char ***argv)
{
    static char *standard_input[] = { "-", NULL };
    struct stat st;

    if (*argc == 0 && fstat(STDIN_FILENO, &st) == 0 &&
        (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode))) {
        *argv = standard_input;
        *argc = 1;
    }
    return *argc > 0;
}

bool color_wanted(int when, FILE *out)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    if (when != COLOR_AUTO || (no_color && *no_color) || !term || !*term)
        return when == COLOR_ALWAYS;
    return strcmp(term, "dumb") != 0 && isatty(out == stdout ? STDOUT_FILENO : fileno(out));
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

bool command_begin(const struct option_row *options, void *args, int *argc, char ***argv,
                   enum status *st, struct diag *dg)
{
    struct common_args *common = args;
    struct parser p = { .args = args, .common = common, .argv = *argv, .argc = *argc, .dg = dg };

    usage_rows(options, 0, &p.rows);
    *st = parse(&p, argc);
    if (*st)
        return false;
    if (given(&p, "help")) {
        usage_print(dg->command, &p.rows, common->help_all, stdout);
        return false;
    }
    *st = convert_all(&p);
    if (*st == ST_OK)
        *st = check_exclusions(&p);
    if (*st == ST_OK)
        *st = print_to(common->text, ST_INVALID, *argc, *argv, dg);
    if (*st)
        return false;
    dg->quiet = common->quiet;
    dg->verbose = common->verbose;
    return true;
}
