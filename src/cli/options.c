#include "cli/options.h"

#include <assert.h>
#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/completion.h"
#include "cli/list_text.h"
#include "cli/number_text.h"
#include "cli/usage.h"
#include "json/number.h"

enum {
    OPTIONS_MAX = 48, /* options of one command; more are a fault of its table */
    LONG_ONLY = 256,  /* getopt's value for option i is LONG_ONLY + i */
};

/* An option of the command: its row, and what the command line says of it. */
struct parsed {
    const struct option_row *row;
    void *target;
    const char *text; /* the last value given; "" for a flag; NULL: not given */
};

/* A command's options, those of groups among the others, with getopt's tables of the same order. */
struct parser {
    struct parsed options[OPTIONS_MAX];
    size_t n;
    struct option longs[OPTIONS_MAX + 1];
    char letters[2 * OPTIONS_MAX + 2];
    size_t letter_count;
    const char *bare_option, *after_bare; /* see struct common_args */
};

static int argument_of(const struct option_row *row)
{
    if (row->kind == OPTION_FLAG)
        return no_argument;
    return row->kind == OPTION_OPTIONAL ? optional_argument : required_argument;
}

static void add_option(struct parser *p, const struct option_row *row, void *target)
{
    assert(p->n < OPTIONS_MAX);
    p->longs[p->n] = (struct option){ row->name, argument_of(row), NULL, LONG_ONLY + (int)p->n };
    if (row->letter) {
        p->letters[p->letter_count++] = row->letter;
        if (row->kind != OPTION_FLAG)
            p->letters[p->letter_count++] = ':';
    }
    p->options[p->n++] = (struct parsed){ .row = row, .target = target };
}

static void add_rows(struct parser *p, const struct option_row *rows, char *args)
{
    for (const struct option_row *row = rows; row->kind != OPTION_END; row++) {
        if (row->kind == OPTION_GROUP)
            add_rows(p, row->group, args + row->offset);
        else if (row->kind < OPTION_GROUP)
            add_option(p, row, args + row->offset);
    }
}

enum status usage_hint(struct diag *dg)
{
    return diag_error(dg, ST_USAGE, NULL, "try 'dmlop%s%s --help'", dg->command ? " " : "",
                      dg->command ? dg->command : "");
}

static enum status unknown(const struct parser *p, const char *text, struct diag *dg)
{
    const char *names[OPTIONS_MAX] = { NULL };
    char name[64];
    size_t len = strcspn(text, "="), near;

    if (len >= sizeof name)
        len = sizeof name - 1;
    memcpy(name, text, len);
    name[len] = '\0';
    for (size_t i = 0; i < p->n; i++)
        names[i] = p->options[i].row->name;
    near = str_nearest(name, names, p->n);
    for (size_t i = 0; near == p->n && len > 0 && i < p->n; i++)
        if (strncmp(names[i], name, len) == 0) /* an abbreviation elsewhere */
            near = i;
    if (near < p->n)
        diag_error(dg, ST_USAGE, NULL, "unknown option '--%s'; did you mean '--%s'?", name,
                   names[near]);
    else
        diag_error(dg, ST_USAGE, NULL, "unknown option '--%s'", name);
    return usage_hint(dg);
}

enum status too_many_operands(const struct common_args *common, const char *operand,
                              const char *otherwise, struct diag *dg)
{
    if (common->bare_option)
        diag_error(dg, ST_USAGE, NULL, "too many operands: '%s'; did you mean --%s=%s?", operand,
                   common->bare_option, common->after_bare);
    else
        diag_error(dg, ST_USAGE, NULL, "too many operands: '%s'%s", operand, otherwise);
    return usage_hint(dg);
}

/* The option of a letter, or of a LONG_ONLY value; NULL where there is none. */
static struct parsed *option_of(struct parser *p, int value)
{
    for (size_t i = 0; i < p->n; i++)
        if (value == LONG_ONLY + (int)i ||
            (value < LONG_ONLY && value != 0 && p->options[i].row->letter == value))
            return &p->options[i];
    return NULL;
}

/* The argv element of the long option that was parsed last. */
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

/* Says what is wrong by what getopt returned: ':' for a missing value, '?' for all else. */
static enum status refuse(struct parser *p, int value, char **argv, struct diag *dg)
{
    const struct parsed *option = option_of(p, optopt);
    const struct option_row *row = option ? option->row : NULL;

    if (value == ':' && row && optopt < LONG_ONLY)
        diag_error(dg, ST_USAGE, NULL, "option '-%c' needs a value: %s", optopt, row->argument);
    else if (value == ':' && row && abbreviated(row, argv[optind - 1]))
        return unknown(p, argv[optind - 1] + 2, dg);
    else if (value == ':' && row)
        diag_error(dg, ST_USAGE, NULL, "option '--%s' needs a value: %s", row->name, row->argument);
    else if (row && optopt >= LONG_ONLY)
        diag_error(dg, ST_USAGE, NULL, "option '--%s' does not take a value", row->name);
    else if (optopt > 0)
        diag_error(dg, ST_USAGE, NULL, "unknown option '-%c'", optopt);
    else
        return unknown(p, argv[optind - 1] + 2, dg);
    return usage_hint(dg);
}

static enum status add_to_list(const struct parsed *option, const char *value, struct diag *dg)
{
    struct option_list *list = option->target;

    if (list->n == OPTION_LIST_MAX)
        return diag_error(dg, ST_USAGE, NULL, "'--%s' is given more than %d times",
                          option->row->name, OPTION_LIST_MAX);
    list->v[list->n++] = value;
    return ST_OK;
}

/* Takes a list of numbers from the command line: the value, and the words after it that belong to
 * the list. getopt takes these for values of the option. */
static enum status add_integers(const struct parsed *option, int argc, char **argv, struct diag *dg)
{
    struct option_list *list = option->target;
    enum status st;

    list->n = 0; /* the last list counts */
    st = add_to_list(option, optarg, dg);
    while (st == ST_OK && optind < argc && list_goes_on(list, argv[optind]))
        st = list->n == OPTION_LIST_MAX
                 ? diag_error(dg, ST_USAGE, NULL, "--%s: a list has at most %d numbers",
                              option->row->name, OPTION_LIST_MAX)
                 : add_to_list(option, argv[optind++], dg);
    return st;
}

/* Keeps an option that was given without its value, where an operand follows it. */
static void note_bare(struct parser *p, const struct option_row *row, int argc, char **argv)
{
    if (p->bare_option || optind >= argc || argv[optind][0] == '-')
        return;
    p->bare_option = row->name;
    p->after_bare = argv[optind];
}

/* Keeps the texts of the options, and moves the operands to the end of argv, from optind on. */
static enum status parse(struct parser *p, int argc, char **argv, struct diag *dg)
{
    enum status st = ST_OK;
    int value;

    opterr = 0;
    optind = 1;
    while (st == ST_OK && (value = getopt_long(argc, argv, p->letters, p->longs, NULL)) != -1) {
        struct parsed *option;

        if (value == ':' || value == '?')
            return refuse(p, value, argv, dg);
        option = option_of(p, value);
        assert(option); /* getopt knows no other values */
        if (value >= LONG_ONLY && abbreviated(option->row, last_word(argv, optarg)))
            return unknown(p, last_word(argv, optarg) + 2, dg);
        option->text = optarg ? optarg : "";
        if (option->row->kind == OPTION_LIST)
            st = add_to_list(option, optarg, dg);
        else if (option->row->kind == OPTION_INTEGERS)
            st = add_integers(option, argc, argv, dg);
        else if (option->row->kind == OPTION_OPTIONAL && !optarg)
            note_bare(p, option->row, argc, argv);
    }
    return st;
}

static enum status convert_number(const struct parsed *option, struct diag *dg)
{
    const struct option_row *row = option->row;
    bool any = row->min == LONG_MIN && row->max == LONG_MAX;
    int64_t v = 0;
    enum number_result result = number_int_literal(option->text, strlen(option->text), &v);

    if (result == NUMBER_RANGE && any) {
        v = *option->text == '-' ? LONG_MIN : LONG_MAX;
        result = NUMBER_OK;
    }
    if (result == NUMBER_OK && v >= row->min && v <= row->max) {
        *(long *)option->target = (long)v;
        return ST_OK;
    }
    if (any)
        return diag_error(dg, ST_USAGE, NULL, "--%s: '%s' is not a whole number", row->name,
                          option->text);
    return diag_error(dg, ST_USAGE, NULL, "--%s: '%s' is not a number from %ld to %ld", row->name,
                      option->text, row->min, row->max);
}

static enum status convert_real(const struct parsed *option, struct diag *dg)
{
    bool seconds = option->row->kind == OPTION_SECONDS;
    const char *text = option->text;
    double *v = option->target;

    if (number_text_double(text, v) && *v >= 0 && (!seconds || *v <= 1e6))
        return ST_OK;
    return diag_error(dg, ST_USAGE, NULL, "--%s: '%s' is not a number of %s", option->row->name,
                      text, seconds ? "seconds, 0 to 1000000" : "0 or more, such as 1e-6");
}

static enum status convert_choice(const struct parsed *option, struct diag *dg)
{
    const char *const *words = option->row->words;
    struct str all = { 0 };
    enum status st;

    for (int i = 0; words[i]; i++)
        if (strcmp(option->text, words[i]) == 0) {
            *(int *)option->target = i;
            return ST_OK;
        }
    for (int i = 0; words[i]; i++)
        str_printf(&all, "%s%s", i ? ", " : "", words[i]);
    st = all.failed ? diag_nomem(dg)
                    : diag_error(dg, ST_USAGE, NULL, "--%s: '%s' is not one of %s",
                                 option->row->name, option->text, all.s);
    str_free(&all);
    return st;
}

static enum status convert_type(const struct parsed *option, struct diag *dg)
{
    enum dtype type = dtype_from_name(option->text, true);

    if (type == DT_NONE)
        return diag_error(dg, ST_USAGE, NULL,
                          "--%s: there is no type '%s'; use float32, int8 and so on",
                          option->row->name, option->text);
    *(enum dtype *)option->target = type;
    return ST_OK;
}

static enum status convert_level(const struct parsed *option, struct diag *dg)
{
    enum feature_level level = level_from_name(option->text);

    if (level == LEVEL_COUNT)
        return diag_error(dg, ST_USAGE, NULL, "--%s: '%s' is not a feature level from 1_0 to 6_4",
                          option->row->name, option->text);
    *(enum feature_level *)option->target = level;
    return ST_OK;
}

/* Stores the value of an option that was given. */
static enum status convert(const struct parsed *option, struct diag *dg)
{
    switch (option->row->kind) {
    case OPTION_FLAG:
        *(bool *)option->target = true;
        return ST_OK;
    case OPTION_TEXT:
    case OPTION_OPTIONAL:
        *(const char **)option->target = option->text;
        return ST_OK;
    case OPTION_NUMBER:
        return convert_number(option, dg);
    case OPTION_SECONDS:
    case OPTION_TOLERANCE:
        return convert_real(option, dg);
    case OPTION_CHOICE:
        return convert_choice(option, dg);
    case OPTION_TYPE:
        return convert_type(option, dg);
    case OPTION_LEVEL:
        return convert_level(option, dg);
    default: /* lists are filled while they are parsed */
        return ST_OK;
    }
}

/* Stores what an option is that was not given, where that is not zero. */
static void store_preset(const struct parsed *option)
{
    const struct option_row *row = option->row;

    if (row->kind == OPTION_NUMBER)
        *(long *)option->target = row->preset;
    else if (row->kind == OPTION_SECONDS)
        *(double *)option->target = (double)row->preset;
    else if (row->kind == OPTION_CHOICE)
        *(int *)option->target = (int)row->preset;
    else if (row->kind == OPTION_LEVEL)
        *(enum feature_level *)option->target = LEVEL_NEWEST;
}

static enum status convert_all(const struct parser *p, struct diag *dg)
{
    enum status st = ST_OK;

    for (size_t i = 0; i < p->n && st == ST_OK; i++) {
        if (p->options[i].text)
            st = convert(&p->options[i], dg);
        else
            store_preset(&p->options[i]);
    }
    return st;
}

/* The option of that name where it was given, else NULL. */
static const struct option_row *given(const struct parser *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->options[i].text && strcmp(p->options[i].row->name, name) == 0)
            return p->options[i].row;
    return NULL;
}

enum { SPELLED = 64 /* bytes of an option's name with its dashes */ };

/* "-o", or "--indices" for an option without a letter. */
static const char *spelled(const struct option_row *row, char text[SPELLED])
{
    if (row->letter)
        snprintf(text, SPELLED, "-%c", row->letter);
    else
        snprintf(text, SPELLED, "--%s", row->name);
    return text;
}

static enum status check_exclusions(const struct parser *p, const struct option_row *rows,
                                    struct diag *dg)
{
    char one[SPELLED], other[SPELLED];
    enum status st = ST_OK;

    for (const struct option_row *row = rows; row->kind != OPTION_END && st == ST_OK; row++) {
        if (row->kind == OPTION_GROUP)
            st = check_exclusions(p, row->group, dg);
        if (row->kind != OPTION_EXCLUDES || !given(p, row->name))
            continue;
        for (const char *const *name = row->words; *name && st == ST_OK; name++)
            if (given(p, *name))
                st = diag_error(dg, ST_USAGE, NULL, "%s and %s cannot be used together%s",
                                spelled(given(p, *name), one), spelled(given(p, row->name), other),
                                row->help);
    }
    return st;
}

bool color_wanted(int when, FILE *out)
{
    const char *no_color = getenv("NO_COLOR");

    if (when != COLOR_AUTO)
        return when == COLOR_ALWAYS;
    return !(no_color && *no_color) && isatty(fileno(out));
}

bool command_begin(const struct usage *usage, void *args, int *argc, char ***argv, enum status *st,
                   struct diag *dg)
{
    struct parser p = { .letters = ":", .letter_count = 1 }; /* ":": see refuse */
    struct common_args *common = args;

    if (completion_answer(usage, *argc, *argv, st, dg))
        return false;
    add_rows(&p, usage->rows, args);
    *st = parse(&p, *argc, *argv, dg);
    if (*st)
        return false;
    if (given(&p, "help")) {
        usage_print(usage, stdout);
        return false;
    }
    *st = convert_all(&p, dg);
    if (*st == ST_OK)
        *st = check_exclusions(&p, usage->rows, dg);
    if (*st)
        return false;
    common->bare_option = p.bare_option;
    common->after_bare = p.after_bare;
    dg->quiet = common->quiet;
    dg->verbose = common->verbose;
    *argc -= optind;
    *argv += optind;
    return true;
}
