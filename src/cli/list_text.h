#pragma once

#include "base/str.h"
#include "cli/options.h"
#include "tensor/tensor.h"

/*
 * Lists of numbers on the command line, as DirectML's pages, C, NumPy and the shell write them:
 * "0,0,0,1", "0 0 0 1", "{0, 0, 0, 1}", "[0,0,0,1]", "(0, 0, 0, 1)". A list may also be several
 * words of the command line: the shell splits {0,0,0,1} unless it is quoted.
 */

enum { LIST_ENTRIES_MAX = 256 };

/* The entries, which are parts of the words. */
struct list_entries {
    struct {
        const char *s;
        size_t n; /* bytes */
    } v[LIST_ENTRIES_MAX];
    size_t n;
};

/* Splits a list into its entries, 1 to LIST_ENTRIES_MAX, whatever they are; false if brackets do
 * not match or an entry is empty. */
bool list_split(const struct option_list *words, struct list_entries *entries);

/* Adds the words of a list, for messages. */
void list_add_text(struct str *b, const struct option_list *words);

/* Reports "OPTION: 'WORDS' MESSAGE"; returns st, or ST_SYSTEM if memory is short. */
enum status list_refuse(struct diag *dg, enum status st, const char *option,
                        const struct option_list *words, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* Whole numbers for the axes of a tensor. */
struct integers {
    unsigned n;
    int64_t v[TENSOR_MAX_RANK];
};

/* "2,-1" */
struct integers_text {
    char text[TENSOR_MAX_RANK * 21 + 1];
};
struct integers_text integers_text(const struct integers *list);

/* Reads a list of axes, or of sizes, one of which may be -1 if `computed`; blank words are an empty
 * list. ST_USAGE, with a message that names the option, for all else and for negative sizes. */
enum status list_axes(const char *option, const struct option_list *words, struct integers *list,
                      struct diag *dg);
enum status list_sizes(const char *option, const struct option_list *words, bool computed,
                       struct integers *list, struct diag *dg);
