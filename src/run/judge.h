#pragma once

#include "run/request.h"

/* Findings in a descriptor made from options, or in tensors bound to a descriptor, reported in
 * terms of the command line. */

/*
 * Checks a descriptor made from options against the rules that concern safety, and not against
 * limits of DirectML. untyped[slot]: the input is JSON without a type. ST_USAGE for a value that is
 * wrong for every input, else ST_INPUT, after a message for each finding.
 */
enum status judge_options(const struct request *rq, const struct desc *d,
                          const bool untyped[SLOT_COUNT], struct diag *dg);

/* Warns of everything in such a descriptor that DirectML rejects at the request's feature level. */
enum status judge_limits(const struct request *rq, const struct desc *d, struct diag *dg);

/* Checks t, of `count` elements, which the request gives for field f, against its description in d.
 * ST_INPUT, after messages. */
enum status judge_input(const struct request *rq, const struct desc *d, const struct field *f,
                        const struct tensor *t, uint64_t count, struct diag *dg);
