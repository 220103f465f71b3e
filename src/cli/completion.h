#pragma once

#include "cli/usage.h"

/*
 * Completion scripts for shells, made of the commands' rows of options. cli/shells/ has the two
 * halves of each: functions, and before these a text with fields, ^name^. In it, ^commands(...^)
 * and ^options(...^) are written for each command and option, ^name(...^) if the field is not
 * empty, and ^!name(...^) if it is.
 */

/* Adds a word, after a blank unless it is the first, if it is not there yet; the same in lower
 * case. */
void completion_add(struct str *words, const char *word);
void completion_add_lower(struct str *words, const char *word);

/* The shells' names; NULL ends. */
extern const char *const completion_shells[];

/* Prints the whole script for a shell. ST_USAGE, with a message, if there is no such shell. */
enum status completion_print(const char *shell, const struct command *list, struct diag *dg);
