#ifndef DMLOP_CLI_COMPLETION_H
#define DMLOP_CLI_COMPLETION_H

#include "cli/usage.h"

/*
 * Completion scripts for shells. A script has a header, a piece for each command, made of its rows
 * of options, and a common end, src/cli/shells/.
 */

/* A value, completed by a function of the script: "words" of args, "files" with these extensions
 * (without any, folders), or "bind", one of args, '=' and a file. function is NULL if nothing is
 * offered; args are between blanks, and may be "". */
struct completion_value {
    const char *function, *args;
    struct str words; /* owned: args, if they are not a constant */
};

/* What a piece is made of. */
struct completion {
    const char *command;
    struct completion_option {
        const struct option_row *row;
        const char *help;
        struct completion_value value;
    } options[USAGE_ROWS_MAX];
    size_t n;
    struct completion_value operands;
};

/* Adds a word, after a blank unless it is the first, if it is not there yet; the same in lower
 * case. */
void completion_add(struct str *words, const char *word);
void completion_add_lower(struct str *words, const char *word);

/* Writes the pieces of a shell's script. */
struct completion_shell {
    const char *name; /* "bash" */
    void (*start)(const struct command *list, struct str *out);
    void (*piece)(const struct completion *c, struct str *out);
};

extern const struct completion_shell completion_list[]; /* name NULL ends */

/* The shells' names; NULL ends. */
extern const char *const completion_shells[];

/* Prints the whole script for a shell. ST_USAGE, with a message, if there is no such shell. */
enum status completion_print(const char *shell, const struct command *list, struct diag *dg);

#endif
