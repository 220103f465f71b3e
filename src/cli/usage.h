#pragma once

#include "cli/options.h"

/* The help of an option: the command's own OPTION_HELP if there is one. */
const char *usage_help(const struct usage_rows *all, const struct option_row *option);

/* Length of the first line of a text that is broken at blanks to lines of at most `width` bytes;
 * after it comes a blank or the end. A longer word has a line of its own. */
size_t usage_line(const char *text, size_t width);

/* Columns of COLUMNS, or of the terminal that is standard output; 0 if neither is known. */
unsigned terminal_width(void);

/* Prints a text, whose first line begins at column `at`, in lines of at most 80 columns, or the
 * terminal's width; the other lines are indented.
 * Lines are broken at blanks; a tab is a blank that no line is broken at. */
void usage_text(FILE *out, const char *text, int at, int indent);

/* Prints a command's help, with the rows after OPTION_MORE if `all`. */
void usage_print(const struct usage *usage, const struct usage_rows *rows, bool all, FILE *out);
