#include "op/op.h"

#include "op/impl.h"

enum status op_plan_new(struct op_plan **plan, const struct desc *d,
                        struct tensor *const t[SLOT_COUNT], const struct op_exec *exec,
                        struct diag *dg)
{
    *plan = NULL;
    switch (d->op) {
    case OP_SLICE:
    case OP_SLICE1:
        return slice_plan_new(plan, d, t, exec, dg);
    case OP_TOP_K:
    case OP_TOP_K1:
        return topk_plan_new(plan, d, t, exec, dg);
    case OP_QMATMUL:
        return qmatmul_plan_new(plan, d, t, exec, dg);
    case OP_NONE:
    case OP_COUNT:
        break;
    }
    return diag_error(dg, ST_INVALID, NULL, "no operator is given");
}

void op_plan_run(struct op_plan *plan) { plan->run(plan); }

const char *op_plan_kernel(const struct op_plan *plan) { return plan->kernel; }

uint64_t op_plan_operations(const struct op_plan *plan) { return plan->operations; }

void op_plan_free(struct op_plan *plan)
{
    if (plan)
        plan->free(plan);
}
