#ifndef DMLOP_CMD_RESHAPE_H
#define DMLOP_CMD_RESHAPE_H

#include "cli/list_text.h"
#include "tensor/tensor.h"

/*
 * Gives a tensor other axes. Whatever the order on the command line, --sizes comes first and
 * divides the elements in row-major order, then --squeeze drops axes of size 1, then --permute
 * orders the axes that are left.
 */
struct reshape_args {
    struct option_list sizes_words, permute_words; /* no words: not given */
    const char *squeeze;                           /* NULL: not given; "": all axes of size 1 */
    struct integers sizes, dropped, order;         /* the same, parsed by reshape_parse */
};
extern const struct option_row reshape_options[];

/* ST_USAGE, with a message, if a text is not a list. */
enum status reshape_parse(struct reshape_args *a, struct diag *dg);

/*
 * Gives the view t its axes. Elements that are not in row-major order are copied for --sizes, to
 * *owned, the caller's. ST_INPUT if the tensor, from path, does not have such axes; ST_SYSTEM if
 * memory is short; with a message.
 */
enum status reshape_apply(const struct reshape_args *a, const char *path, struct tensor *t,
                          void **owned, struct diag *dg);

#endif
