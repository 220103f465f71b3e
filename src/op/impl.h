#pragma once

#include "op/op.h"

/* Private to op/: shared by op.c and the operators' files. */

/* op_plan_new for one operator; as documented there. */
enum status slice_plan_new(struct op_plan **plan, const struct desc *d,
                           struct tensor *const t[SLOT_COUNT], const struct op_exec *exec,
                           struct diag *dg);
enum status topk_plan_new(struct op_plan **plan, const struct desc *d,
                          struct tensor *const t[SLOT_COUNT], const struct op_exec *exec,
                          struct diag *dg);
enum status qmatmul_plan_new(struct op_plan **plan, const struct desc *d,
                             struct tensor *const t[SLOT_COUNT], const struct op_exec *exec,
                             struct diag *dg);

/* Plans a copy of `view`, whose strides may be negative, to `out`, of the same type and sizes.
 * Errors as op_plan_new. */
enum status slice_copy_plan_new(struct op_plan **plan, const struct tensor *view,
                                struct tensor *out, const struct op_exec *exec, struct diag *dg);

/* True for NULL and "auto". */
bool op_kernel_is_auto(const char *name);
