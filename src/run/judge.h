#ifndef DMLOP_RUN_JUDGE_H
#define DMLOP_RUN_JUDGE_H

#include "run/request.h"

/* What the rules find in a descriptor made from options, or in tensors that are bound to a
 * descriptor, said in terms of the command line. */

/*
 * Holds a descriptor that options amount to against the rules that are about safety; rules that
 * only document DirectML's limits are passed over. untyped[slot]: the input is JSON that names no
 * type. ST_USAGE for a value that no input would make right, else ST_INPUT, after a message for
 * each finding.
 */
enum status judge_options(const struct request *rq, const struct desc *d,
                          const bool untyped[SLOT_COUNT], struct diag *dg);

/* Warns of what DirectML does not take in such a descriptor at the request's feature level. */
enum status judge_limits(const struct request *rq, const struct desc *d, struct diag *dg);

/* Holds t, of `count` elements, which the request gives for field f, against its description in d.
 * ST_INPUT, after messages. */
enum status judge_input(const struct request *rq, const struct desc *d, const struct field *f,
                        const struct tensor *t, uint64_t count, struct diag *dg);

#endif
