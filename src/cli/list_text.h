#ifndef DMLOP_CLI_LIST_TEXT_H
#define DMLOP_CLI_LIST_TEXT_H

#include "base/str.h"
#include "cli/options.h"

/*
 * Lists of numbers on the command line, as DirectML's pages, C, NumPy and the shell write them:
 * "0,0,0,1", "0 0 0 1", "{0, 0, 0, 1}", "[0,0,0,1]", "(0, 0, 0, 1)". A list may be several words
 * of the command line, too: the shell takes {0,0,0,1} apart unless it is quoted.
 */

enum { LIST_ENTRIES_MAX = 256 };

/* The entries, parts of the words that they were read from. */
struct list_entries {
    struct {
        const char *s;
        size_t n; /* bytes */
    } v[LIST_ENTRIES_MAX];
    size_t n;
};

/* Splits a list into its entries, 1 to LIST_ENTRIES_MAX; false where brackets do not match or an
 * entry is empty. What the entries are is not looked at. */
bool list_split(const struct option_list *words, struct list_entries *entries);
bool list_split_text(const char *text, struct list_entries *entries);

/* Whether the word of the command line after those of a list belongs to it: numbers or the closing
 * bracket after an open one, or without brackets a whole number after others. */
bool list_goes_on(const struct option_list *words, const char *word);

/* The words of a list, for messages. */
void list_add_text(struct str *b, const struct option_list *words);

#endif
