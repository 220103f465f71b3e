#ifndef DMLOP_CLI_INTEGERS_H
#define DMLOP_CLI_INTEGERS_H

#include "cli/options.h"
#include "tensor/tensor.h"

/* Lists of whole numbers, one for each axis of a tensor: sizes, axes. */
struct integers {
    unsigned n;
    int64_t v[TENSOR_MAX_RANK];
};

/* Reads the words of a list (cli/list_text.h); empty words are no numbers. False for all else. */
bool integers_read(const struct option_list *words, struct integers *list);

/* The same for axes: ST_USAGE, with a message that names the option, for all else. */
enum status integers_read_axes(const char *option, const struct option_list *words,
                               struct integers *list, struct diag *dg);

/* The same for sizes: ST_USAGE, with a message that names the option, where one is negative; one
 * may be -1 where `computed`. */
enum status integers_read_sizes(const char *option, const struct option_list *words, bool computed,
                                struct integers *list, struct diag *dg);

#endif
