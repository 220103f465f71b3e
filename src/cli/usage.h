#pragma once

#include "cli/options.h"

/* What --help says of a command is in cli/help/NAME.txt, paragraph by paragraph: its forms, one a
 * line; what it does, and in a second line what is printed last, if anything; a line
 * "--OPTION ARGUMENT: TEXT" for each of its options. Options that have the same text in several
 * commands are in shared.txt; dmlop.txt is what dmlop --help prints. */
struct option_text {
    char argument[24]; /* its name; "" for flags */
    const char *help;  /* to the end of the line */
};

/* The text of an option: the command's own if there is one; empty if there is none. */
struct option_text usage_option(const char *command, const char *option);

/* Length of the first line of a text that is broken at blanks to lines of at most `width` bytes;
 * after it comes a blank, a line end or the end. A longer word has a line of its own. */
size_t usage_line(const char *text, size_t width);

/* Columns of COLUMNS, or of the terminal that is standard output; 0 if neither is known. */
unsigned terminal_width(void);

/* Prints a line of text, which begins at column `at`, in lines of at most 80 columns, or the
 * terminal's width; those after the first are indented. Lines are broken at blanks; no line is
 * broken at a tab, which is printed as a blank. */
void usage_text(FILE *out, const char *text, int at, int indent);

/* Prints a command's help, with the rows after OPTION_MORE if `all`. */
void usage_print(const char *command, const struct usage_rows *rows, bool all, FILE *out);

/* Completion scripts for shells, made of the commands' rows of options. cli/shells/ has the two
 * halves of each: functions, and before these a text with fields, ^name^. In it, ^commands(...^)
 * and ^options(...^) are written for each command and option, ^name(...^) if the field is not
 * empty, and ^!name(...^) if it is. */

/* Adds a word, after a blank unless it is the first, if it is new; the same in lower case. */
void completion_add(struct str *words, const char *word);
void completion_add_lower(struct str *words, const char *word);

/* The shells' names; NULL ends. */
extern const char *const completion_shells[];

/* Prints the whole script for a shell. ST_USAGE, with a message, if there is no such shell. */
enum status completion_print(const char *shell, const struct command *list, struct diag *dg);
