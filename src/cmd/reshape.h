#ifndef DMLOP_CMD_RESHAPE_H
#define DMLOP_CMD_RESHAPE_H

#include "cli/options.h"
#include "tensor/tensor.h"

/*
 * A tensor's elements by other axes. Whatever the order on the command line: first --sizes takes
 * the elements in row-major order, then --squeeze leaves axes of size 1 out, then --permute orders
 * the axes that are left.
 */
struct reshape_args {
    struct option_list sizes; /* no words: not given, here and below */
    const char *squeeze;      /* NULL: not given; "": all axes of size 1 */
    struct option_list permute;
};
extern const struct option_row reshape_options[];

/* ST_USAGE, with a message, where a text is not a list. */
enum status reshape_check(const struct reshape_args *a, struct diag *dg);

/* Reads --sizes, of which one may be -1, for `count` elements. ST_INPUT, with a message that calls
 * these `what`, where they do not fit. */
enum status reshape_sizes(const struct reshape_args *a, uint64_t count, const char *what,
                          const char *path, unsigned *rank, uint64_t sizes[TENSOR_MAX_RANK],
                          struct diag *dg);

/* Sizes as --sizes says, before their -1 is known: false where there is one. */
bool reshape_known_count(const struct reshape_args *a, uint64_t *count);

/*
 * Gives the view t its axes. Elements that --sizes finds in another order than row-major are copied
 * to *owned, the caller's. ST_INPUT where the tensor, from path, does not have what is asked for;
 * ST_SYSTEM where memory is short; with a message.
 */
enum status reshape_apply(const struct reshape_args *a, const char *path, struct tensor *t,
                          void **owned, struct diag *dg);

#endif
