#ifndef DMLOP_RUN_EXPLAIN_STEPS_H
#define DMLOP_RUN_EXPLAIN_STEPS_H

#include "base/str.h"
#include "run/inputs.h"

/* What --explain says of one element, by operator. Each adds lines to out about the element c of
 * the output, which lies within it; in has views of all inputs and the operator's descriptor. */
void explain_slice(struct str *out, const struct inputs *in, const uint64_t *c);
void explain_topk(struct str *out, const struct inputs *in, const uint64_t *c);
void explain_qmatmul(struct str *out, const struct inputs *in, const uint64_t *c);

#endif
