#ifndef DMLOP_CLI_OPTIONS_H
#define DMLOP_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/diag.h"
#include "desc/level.h"
#include "tensor/dtype.h"

/*
 * Command-line options as rows of tables. The parser, the conversion of values and --help read the
 * same rows. A row says what kind of value its option takes and where the value goes in the
 * command's struct of arguments.
 */

enum option_kind {
    OPTION_END,       /* ends a table */
    OPTION_FLAG,      /* bool */
    OPTION_TEXT,      /* const char *; NULL: not given; the last one counts, here and below */
    OPTION_OPTIONAL,  /* const char *: --name=VALUE, or "" for --name alone; NULL: not given */
    OPTION_LIST,      /* struct option_list: may be given several times */
    OPTION_INTEGERS,  /* struct option_list: the words of one list, see cli/list_text.h */
    OPTION_NUMBER,    /* long, min to max */
    OPTION_SECONDS,   /* double, 0 to 1000000 */
    OPTION_TOLERANCE, /* double, 0 or more */
    OPTION_CHOICE,    /* an int: the index of the value in words */
    OPTION_TYPE,      /* enum dtype; DT_NONE: not given */
    OPTION_LEVEL,     /* enum feature_level; LEVEL_NEWEST: not given */
    /* Rows that are not options: */
    OPTION_GROUP,     /* the rows of another table, whose struct is at offset */
    OPTION_PARAGRAPH, /* an empty line in the help */
    OPTION_HELP,      /* the help of an option of a group, in this command's words */
    OPTION_OPERANDS,  /* what the operands take; without such a row, TAKES_TENSOR */
    OPTION_EXCLUDES,  /* this option and those in words exclude each other; help ends the message */
};

/* What a text can be, for the completions of shells. Files are told by their extension. */
enum option_takes {
    TAKES_OWN,     /* nothing that can be listed; but TAKES_TENSOR where the argument is FILE */
    TAKES_TENSOR,  /* .npy, .npz, .json */
    TAKES_DATA,    /* or raw data: .dat, .bin */
    TAKES_JSON,    /* .json */
    TAKES_FOLDER,
    TAKES_BINDING, /* a tensor's name, '=' and a file of TAKES_TENSOR */
    TAKES_RULE,    /* "slice.stride-zero" */
    TAKES_SCHEMA,  /* "model", "descriptor" or an operator */
    TAKES_KERNEL,  /* the command's */
    TAKES_WORDS,   /* those of the row */
};

enum { OPTION_LIST_MAX = 32 };

struct option_list {
    const char *v[OPTION_LIST_MAX];
    size_t n;
};

struct option_row {
    enum option_kind kind;
    char letter;              /* 0: none */
    const char *name;         /* long, without dashes */
    size_t offset;            /* of the target in the struct of arguments */
    const char *argument;     /* its name in the help; NULL for flags */
    const char *help;
    long min, max;            /* of a number; LONG_MIN and LONG_MAX: any whole number, where it is
                                 beyond these the nearest */
    long preset;              /* a number, seconds or a choice where the option is not given */
    const char *const *words; /* of a choice, an exclusion or TAKES_WORDS; NULL ends */
    enum option_takes takes;  /* texts, lists and operands */
    const struct option_row *group;
};

/* Arguments are types, members and initializers, which parentheses would not become.
 * NOLINTBEGIN(bugprone-macro-parentheses) */

/* The offset of a member. Does not compile where the row's kind stores another type. */
#define OPTION_AT(args, member, type) \
    (offsetof(args, member) + 0 * sizeof(_Generic(((args *)0)->member, type: 0)))

#define OPTION_ROW(kind_, name_, offset_, argument_, ...) \
    .kind = kind_, .name = name_, .offset = offset_, .argument = argument_, .help = __VA_ARGS__

#define OPT_FLAG(letter_, name_, args, member, help_) \
    { OPTION_ROW(OPTION_FLAG, name_, OPTION_AT(args, member, bool), NULL, help_), \
      .letter = letter_ }
/* After the help of these three, .takes = may follow. */
#define OPT_TEXT(letter_, name_, args, member, argument_, ...) \
    { .letter = letter_, \
      OPTION_ROW(OPTION_TEXT, name_, OPTION_AT(args, member, const char *), argument_, \
                 __VA_ARGS__) }
#define OPT_OPTIONAL(name_, args, member, argument_, ...) \
    { OPTION_ROW(OPTION_OPTIONAL, name_, OPTION_AT(args, member, const char *), argument_, \
                 __VA_ARGS__) }
#define OPT_LIST(name_, args, member, argument_, ...) \
    { OPTION_ROW(OPTION_LIST, name_, OPTION_AT(args, member, struct option_list), argument_, \
                 __VA_ARGS__) }
#define OPT_INTEGERS(name_, args, member, argument_, help_) \
    { OPTION_ROW(OPTION_INTEGERS, name_, OPTION_AT(args, member, struct option_list), argument_, \
                 help_) }
#define OPT_NUMBER(name_, args, member, min_, max_, preset_, argument_, help_) \
    { OPTION_ROW(OPTION_NUMBER, name_, OPTION_AT(args, member, long), argument_, help_), \
      .min = min_, .max = max_, .preset = preset_ }
#define OPT_SECONDS(name_, args, member, preset_, argument_, help_) \
    { OPTION_ROW(OPTION_SECONDS, name_, OPTION_AT(args, member, double), argument_, help_), \
      .preset = preset_ }
#define OPT_TOLERANCE(name_, args, member, argument_, help_) \
    { OPTION_ROW(OPTION_TOLERANCE, name_, OPTION_AT(args, member, double), argument_, help_) }
#define OPT_CHOICE(name_, args, member, words_, preset_, argument_, help_) \
    { OPTION_ROW(OPTION_CHOICE, name_, OPTION_AT(args, member, int), argument_, help_), \
      .words = words_, .preset = preset_ }
#define OPT_TYPE(name_, args, member, argument_, help_) \
    { OPTION_ROW(OPTION_TYPE, name_, OPTION_AT(args, member, enum dtype), argument_, help_) }
#define OPT_LEVEL(name_, args, member, argument_, help_) \
    { OPTION_ROW(OPTION_LEVEL, name_, OPTION_AT(args, member, enum feature_level), argument_, \
                 help_) }
#define OPT_GROUP(rows_, args, member) \
    { .kind = OPTION_GROUP, .offset = offsetof(args, member), .group = rows_ }
/* Rows of another table for the same struct. */
#define OPT_ROWS(rows_) { .kind = OPTION_GROUP, .group = rows_ }
#define OPT_PARAGRAPH { .kind = OPTION_PARAGRAPH }
#define OPT_HELP(name_, help_) { .kind = OPTION_HELP, .name = name_, .help = help_ }
#define OPT_OPERANDS(takes_) { .kind = OPTION_OPERANDS, .takes = takes_ }
#define OPT_OPERAND_WORDS(words_) \
    { .kind = OPTION_OPERANDS, .takes = TAKES_WORDS, .words = words_ }
#define OPT_EXCLUDES(name_, why, ...) \
    { .kind = OPTION_EXCLUDES, .name = name_, .help = why, \
      .words = (const char *const[]){ __VA_ARGS__, NULL } }
#define OPT_END { .kind = OPTION_END }

/* NOLINTEND(bugprone-macro-parentheses) */

/* What --help prints of a command, and what command_begin parses. */
struct usage {
    const char *name;      /* "slice" */
    const char *synopsis;  /* "[OPTIONS] INPUT", further forms after newlines */
    const char *summary;   /* one or more sentences */
    const struct option_row *rows;
    const char *after;     /* printed last; may be NULL */
};

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* The first member of every command's struct of arguments. */
struct common_args {
    int color; /* enum color_when */
    bool quiet, verbose, help;
    /* The first option with an optional value that was given without one, and the operand right
     * after it, which may be meant for one; NULL where there is no such option or operand. */
    const char *bare_option, *after_bare;
};

/*
 * Begins a command: parses (*argv)[1..] by usage's rows into args, which the caller has
 * zero-initialised and which begins with a struct common_args; converts the values; answers --help;
 * sets dg's quiet and verbose. GNU rules: any order, "--" ends options, no abbreviations. Errors
 * are found in this order: unknown options and missing values, values in the order of the rows,
 * options that exclude each other.
 *
 * True where the command goes on: (*argv)[0..*argc-1] are the operands. False where it is done,
 * with *st the exit status: ST_OK after --help, ST_USAGE or ST_SYSTEM after a message.
 */
bool command_begin(const struct usage *usage, void *args, int *argc, char ***argv, enum status *st,
                   struct diag *dg);

/* Whether to colour what goes to `out`, by an enum color_when: auto means a terminal, and never
 * where NO_COLOR is set. */
bool color_wanted(int when, FILE *out);

/* Refuses an operand, with what may be meant: a value that is not joined to its option by '=', or
 * else `otherwise`, which may be "". Returns ST_USAGE. */
enum status too_many_operands(const struct common_args *common, const char *operand,
                              const char *otherwise, struct diag *dg);

/* "try 'dmlop NAME --help'" after an error of the caller's; returns ST_USAGE. */
enum status usage_hint(struct diag *dg);

#endif
