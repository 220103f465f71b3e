#ifndef DMLOP_RUN_EXPLAIN_H
#define DMLOP_RUN_EXPLAIN_H

#include "base/str.h"
#include "cli/number_text.h"
#include "run/inputs.h"

/* Adds "NAME[0,0,1]"; the coordinate of axis `all` is ":". */
static inline void explain_place(struct str *out, const char *name, unsigned rank,
                                 const uint64_t *c, unsigned all)
{
    str_puts(out, name);
    coordinates_add(out, rank, c, all);
}

/* The explanation of element c of the output, by operator, is added to out. It is computed from the
 * descriptor and the inputs without the kernels, except for their order of keys and rounding. */
void explain_slice(struct str *out, const struct inputs *in, const uint64_t *c);
void explain_topk(struct str *out, const struct inputs *in, const uint64_t *c);
void explain_qmatmul(struct str *out, const struct inputs *in, const uint64_t *c);

#endif
