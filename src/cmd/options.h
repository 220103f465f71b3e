#ifndef DMLOP_CMD_OPTIONS_H
#define DMLOP_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/diag.h"

/* Command-line options as table rows; the parser and --help read the same ones. */

enum option_kind {
    OPTION_FLAG,     /* bool */
    OPTION_STRING,   /* const char *; the last one counts */
    OPTION_OPTIONAL, /* const char *: --name=VALUE, or "" for --name alone */
    OPTION_LIST,     /* struct option_list: may stand several times */
};

enum { OPTION_LIST_MAX = 32, OPTION_ROWS_MAX = 64 };

struct option_list {
    const char *v[OPTION_LIST_MAX];
    size_t n;
};

struct option_row {
    const char *name;      /* long, without dashes; NULL ends a table */
    char letter;           /* 0: none */
    enum option_kind kind;
    size_t offset;         /* of the target in the command's struct of arguments */
    const char *argument;  /* its name in the help; NULL for flags */
    const char *help;
};

/* A command's face: what --help prints. */
struct usage {
    const char *name;      /* "slice" */
    const char *synopsis;  /* "[OPTIONS] INPUT", further forms after newlines */
    const char *summary;   /* one or more sentences */
    const struct option_row *const *tables; /* NULL-terminated list of tables */
    const char *after;     /* printed last; may be NULL */
};

/*
 * Parses argv[1..] by usage's tables into args (zero-initialised by the caller). GNU rules: any order, "--" ends
 * options, no abbreviations. On return argv[*first..argc-1] are the operands. Errors are ST_USAGE with a message.
 */
enum status options_parse(const struct usage *usage, void *args, int argc, char **argv, int *first, struct diag *dg);

/* Prints the help. */
void usage_print(const struct usage *usage, FILE *out);

/* "try 'dmlop NAME --help'" after an error of the caller's; returns ST_USAGE. */
enum status usage_hint(struct diag *dg);

/* A decimal number lo..hi in text; ST_USAGE naming the option where it is not. */
enum status option_number(const char *option, const char *text, long lo, long hi, long *value, struct diag *dg);

/* The index of text in names (NULL-terminated); ST_USAGE with what there is where it is none. */
enum status option_choice(const char *option, const char *text, const char *const names[], int *index, struct diag *dg);

/* Whether to colour what goes to `out`, by --color (NULL: auto): auto means a terminal, and never where NO_COLOR is
 * set. ST_USAGE where text is no such word. */
enum status option_color(const char *text, FILE *out, bool *color, struct diag *dg);

#endif
