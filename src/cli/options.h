#pragma once

#include "base/diag.h"
#include "base/str.h"
#include "tensor/dtype.h"

/* Command-line options as rows of tables, made of cmd/NAME.json and the like. The parser, the
 * conversion of values, --help and the completions of shells read the same rows. A row says what
 * kind of value its option takes and which member of the command's struct of arguments gets the
 * value; cli/usage.h has its text. */

enum option_kind {
    OPTION_END,       /* ends a table */
    OPTION_FLAG,      /* bool */
    OPTION_TEXT,      /* const char *; NULL: not given; the last one counts, here and below */
    OPTION_OPTIONAL,  /* const char *: --name=VALUE, or "" for --name alone; NULL: not given */
    OPTION_LIST,      /* struct option_list: may be given several times */
    OPTION_INTEGERS,  /* struct option_list: the words of one list, see cli/number_text.h */
    OPTION_NUMBERS,   /* the same for any numbers, or a text */
    OPTION_NUMBER,    /* long, min to max */
    OPTION_SECONDS,   /* double, 0 to 1000000 */
    OPTION_TOLERANCE, /* double, 0 or more */
    OPTION_CHOICE,    /* an int: the index of the value in words */
    OPTION_TYPE,      /* enum dtype; DT_NONE: not given; DT_BFLOAT16 if that is max */
    /* Rows that are not options: */
    OPTION_GROUP,     /* the rows of another table, whose struct is at offset */
    OPTION_PARAGRAPH, /* an empty line in the help */
    OPTION_MORE,      /* the rows after it are printed by --help=all only */
    OPTION_OPERANDS,  /* what the operands can be; without this row, TAKES_TENSOR */
    OPTION_EXCLUDES,  /* this option and those in words exclude each other */
    OPTION_NEEDS,     /* this option has no meaning without the one in words */
};

/* What the completions of a shell offer for a text. Files are recognized by their extensions. */
enum option_takes {
    TAKES_OWN,    /* nothing */
    TAKES_TENSOR, /* .npy, .npz, .json, .csv, .tsv: what is read, and what is written */
    TAKES_DATA,   /* also raw data: .dat, .bin */
    TAKES_NPY,    /* .npy */
    TAKES_JSON,   /* .json */
    TAKES_FOLDER,
    TAKES_WORDS,   /* the words of the row */
    TAKES_BINDING, /* one of these words, '=' and a file as TAKES_TENSOR */
};

enum { OPTION_LIST_MAX = 256 /* words */, OPTION_TIMES_MAX = 32 };

struct option_list {
    const char *v[OPTION_LIST_MAX];
    size_t n;
};

struct option_row {
    enum option_kind kind;
    char letter;              /* 0: none */
    const char *name;         /* long, without dashes */
    size_t offset;            /* of the target in the struct of arguments */
    long min, max;            /* of a number; LONG_MIN and LONG_MAX: any whole number, and the
                                 nearest one for a number beyond these */
    long preset;              /* a number, seconds or a choice if the option is not given */
    const char *why;          /* an exclusion's end of the message; NULL: none */
    const char *const *words; /* of a choice, an exclusion or a completion; NULL ends */
    /* A choice with several spellings: the index of a text's word, -1 if it is none, and the end of
     * the message "'x' is not ...". NULL: the words as they are. */
    int (*read_choice)(const char *text);
    const char *choices;
    enum option_takes takes; /* texts, lists and operands */
    /* Adds more words for completions of a command's option, each after a blank. NULL: none. */
    void (*add_words)(struct str *words, const char *command);
    const struct option_row *group;
};

static inline bool row_is_option(const struct option_row *row)
{
    return row->kind > OPTION_END && row->kind < OPTION_GROUP;
}

/* The kind of a row and its target, a member of a struct. Does not compile if rows of that kind
 * have another type. A type and a member are no expressions.
 * NOLINTBEGIN(bugprone-macro-parentheses) */
#define OPTION_TO(kind_, args, member) \
    .kind = OPTION_##kind_, \
    .offset = offsetof(args, member) + \
              0 * sizeof(char[OPTION_OF(OPTION_##kind_, ((args *)0)->member) ? 1 : -1])
#define OPTION_OF(kind, member) \
    _Generic(member, \
        bool: kind == OPTION_FLAG, \
        const char *: kind == OPTION_TEXT || kind == OPTION_OPTIONAL, \
        struct option_list: kind >= OPTION_LIST && kind <= OPTION_NUMBERS, \
        long: kind == OPTION_NUMBER, \
        double: kind == OPTION_SECONDS || kind == OPTION_TOLERANCE, \
        int: kind == OPTION_CHOICE, \
        enum dtype: kind == OPTION_TYPE, \
        default: kind == OPTION_GROUP)
/* NOLINTEND(bugprone-macro-parentheses) */

enum { USAGE_ROWS_MAX = 80 /* of one command */ };

/* The rows of a command, with the rows of a group instead of the group. */
struct usage_rows {
    struct {
        const struct option_row *row;
        size_t offset; /* of the target in the command's struct of arguments */
    } v[USAGE_ROWS_MAX];
    size_t n;
};

/* Adds the rows of a table, whose struct is at this offset, to *all. */
void usage_rows(const struct option_row *rows, size_t offset, struct usage_rows *all);

/* A row of the table in cmd/commands.c. A new command is a file in cmd/ with its function, a row
 * and a manual page man/dmlop-NAME.1. `make lint` compares help and manual. */
struct command {
    const char *name, *summary;
    /* argv[0] is the command's name. Returns the exit status. */
    enum status (*run)(int argc, char **argv, struct diag *dg);
    const struct option_row *options;
};

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* The first member of every command's struct of arguments. */
struct common_args {
    int color; /* enum color_when */
    bool quiet, verbose, help, help_all;
    const char *text; /* -o of text_options; NULL: not given */
    /* The first option with an optional value that was given without a value, and the operand right
     * after it, which may be meant as the value; NULL if there is no such option or operand. */
    const char *bare_option, *after_bare;
};

/* Begins a command: parses (*argv)[1..] by the rows of options, converts the values and stores them
 * in args, a zeroed struct that begins with a struct common_args; answers --help; sets quiet and
 * verbose of dg. Options and operands may come in any order, "--" ends options, names must not be
 * abbreviated. Errors are found in this order: unknown options and missing values, values in the
 * order of the rows, options that exclude each other.
 *
 * Returns true if the command goes on: (*argv)[0..*argc-1] are the operands. Returns false if the
 * command is done, with its exit status in *st: ST_OK after --help, ST_USAGE or ST_SYSTEM after a
 * message. */
bool command_begin(const struct option_row *options, void *args, int *argc, char ***argv,
                   enum status *st, struct diag *dg);

/* Without operands the operand is "-" if standard input is a pipe or a file. Returns whether there
 * is an operand. */
bool input_given(int *argc, char ***argv);

/* True if output to `out` is colored: `when` is an enum color_when; COLOR_AUTO colors a terminal
 * unless NO_COLOR is set or TERM is "dumb" or not set. */
bool color_wanted(int when, FILE *out);

/* Refuses an operand. The message suggests --OPTION=OPERAND after an option without its value, and
 * else ends with `otherwise`, which may be "". Returns ST_USAGE. */
enum status too_many_operands(const struct common_args *common, const char *operand,
                              const char *otherwise, struct diag *dg);

/* Prints "try 'dmlop NAME --help'"; returns ST_USAGE. */
enum status usage_hint(struct diag *dg);

/* An error of the command line, a format and its values, with that hint; returns ST_USAGE. */
#define usage_error(dg, ...) (diag_usage(dg, __VA_ARGS__), usage_hint(dg))
