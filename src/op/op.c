#include "op/op.h"

#include "base/parallel.h"
#include "op/impl.h"

enum status op_plan_new(struct op_plan **plan, const struct desc *d,
                        struct tensor *const t[SLOT_COUNT], const struct op_exec *exec,
                        struct diag *dg)
{
    *plan = NULL;
    switch (d->op) {
    case OP_SLICE:
    case OP_SLICE1: return slice_plan_new(plan, d, t, exec, dg);
    case OP_TOP_K:
    case OP_TOP_K1: return topk_plan_new(plan, d, t, exec, dg);
    case OP_QMATMUL: return qmatmul_plan_new(plan, d, t, exec, dg);
    case OP_NONE:
    case OP_COUNT: break;
    }
    return diag_error(dg, ST_INVALID, NULL, "no operator is given");
}

struct repetition {
    struct op_plan *plan;
    uint64_t warmup;
    struct samples *samples;
    void (*after)(void *context);
    void *context;
    bool no_memory;
};

static void repeat(void *context)
{
    struct repetition *r = context;

    for (uint64_t i = 0; !r->no_memory && (i < r->warmup || samples_wanted(r->samples)); i++) {
        uint64_t start = clock_ns();

        op_plan_run(r->plan);
        r->no_memory = i >= r->warmup && !samples_add(r->samples, clock_ns() - start);
        if (r->after)
            r->after(r->context);
    }
}

bool op_plan_repeat(struct op_plan *plan, uint64_t warmup, struct samples *s,
                    void (*after)(void *context), void *context)
{
    struct repetition r = { plan, warmup, s, after, context, false };

    parallel_region(plan->threads, repeat, &r);
    return !r.no_memory;
}
