#ifndef DMLOP_DRIVER_EXPLAIN_H
#define DMLOP_DRIVER_EXPLAIN_H

#include "base/str.h"
#include "run/inputs.h"

/* --explain: prints how the output element at coordinates `at` is computed. ST_USAGE, ST_INPUT or
 * ST_SYSTEM, with a message. */
enum status explain_run(const struct inputs *in, const struct option_list *at, struct diag *dg);

/* The explanation of element c of the output, by operator, is added to out. It is computed from the
 * descriptor and the inputs without the kernels, except for their order of keys and rounding. */
void explain_slice(struct str *out, const struct inputs *in, const uint64_t *c);
void explain_topk(struct str *out, const struct inputs *in, const uint64_t *c);
void explain_qmatmul(struct str *out, const struct inputs *in, const uint64_t *c);

#endif
