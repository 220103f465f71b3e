#ifndef DMLOP_CLI_COMPLETION_H
#define DMLOP_CLI_COMPLETION_H

#include "base/str.h"
#include "cli/command.h"
#include "cli/options.h"

/*
 * Completion scripts for shells, made of the option tables: what an option takes is in its row. A
 * script is a header, a piece for each command, and what all have in common, src/cli/shells/.
 */

/* Writes the parts of one shell's script. */
struct completion_shell {
    const char *name;   /* "bash" */
    const char *header; /* the first lines */
    void (*start)(const struct command *list, struct str *out);
    void (*piece)(const struct usage *usage, struct str *out);
};

extern const struct completion_shell completion_bash, completion_zsh, completion_fish;

/* What a value can be: words, or files and folders. */
struct completion_value {
    struct str words;       /* between blanks; s is NULL where there are none */
    const char *extensions; /* of files, between blanks, and folders; "": folders; NULL: neither */
    bool names_file;        /* the words come before '=' and a file: NAME=PATH */
};

/* What an option of the command, or its operands, take. */
struct completion_value completion_of_row(const struct usage *usage, const struct option_row *row);
struct completion_value completion_of_operands(const struct usage *usage);

/* Frees its words. Where memory was short for them, what is written of them failed, too. */
void completion_free(struct completion_value *v, struct str *out);

/* Calls `each` for every option of the command, those of groups among the others. */
void completion_each(const struct usage *usage,
                     void (*each)(const struct usage *usage, const struct option_row *row,
                                  struct str *out),
                     struct str *out);

/* A text with backslashes before the characters of `special`, and with its single quotes as
 * `quote`, for the inside of a shell's single quotes. */
void completion_quote(struct str *out, const char *text, const char *special, const char *quote);

/*
 * The word by which a command is asked for its piece instead of being run: command_begin answers it
 * as it answers --help. Not for people; `dmlop completion` is.
 */
#define COMPLETION_ASK "--completion-for="

/* Whether the words are a command's name and COMPLETION_ASK with a shell's name; then the piece has
 * been printed, or *st is ST_SYSTEM after a message. */
bool completion_answer(const struct usage *usage, int argc, char **argv, enum status *st,
                       struct diag *dg);

/* The shells' names; NULL ends. */
extern const char *const completion_shells[];

/* Prints the whole script for that shell. ST_USAGE where there is none of that name. */
enum status completion_print(const char *shell, const struct command *list, struct diag *dg);

#endif
