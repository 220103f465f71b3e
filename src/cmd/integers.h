#ifndef DMLOP_CMD_INTEGERS_H
#define DMLOP_CMD_INTEGERS_H

#include "base/diag.h"
#include "tensor/tensor.h"

/* Lists of whole numbers, one for each axis of a tensor: sizes, axes. */
struct integers {
    unsigned n;
    int64_t v[TENSOR_MAX_RANK];
};

/* Reads "2,3", "2 3", "{2,3}", "[2, 3]" or "(2,3)"; an empty text is no numbers. False for all
 * else. */
bool integers_read(const char *text, struct integers *list);

/* The same for sizes: ST_USAGE, with a message that names the option, where one is negative; one
 * may be -1 where `computed`. */
enum status integers_read_sizes(const char *option, const char *text, bool computed,
                                struct integers *list, struct diag *dg);

#endif
