#include "op/op.h"

#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "base/str.h"
#include "kernel/cpu.h"
#include "kernel/qmatmul/qmatmul.h"
#include "kernel/slice/slice.h"
#include "kernel/topk/topk.h"
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

void op_plan_run(struct op_plan *plan) { plan->run(plan); }

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

struct op_misfits op_plan_misfits(const struct op_plan *plan)
{
    struct op_misfits m = { .count = 0 };

    if (plan->misfits)
        plan->misfits(plan, &m);
    return m;
}

const char *op_plan_kernel(const struct op_plan *plan) { return plan->kernel; }

int op_plan_threads(const struct op_plan *plan) { return plan->threads; }

uint64_t op_plan_operations(const struct op_plan *plan) { return plan->operations; }

void op_plan_free(struct op_plan *plan)
{
    if (plan)
        plan->free(plan);
}

static const struct {
    const char *command;
    const void *rows;
    const unsigned *count;
    size_t row_bytes;
} lists[KERNEL_LISTS] = {
    [KERNELS_SLICE] = { "slice", slice_kernels, &slice_kernel_count, sizeof slice_kernels[0] },
    [KERNELS_TOPK] = { "topk", topk_kernels, &topk_kernel_count, sizeof topk_kernels[0] },
    [KERNELS_QMATMUL] = { "qmatmul", qmm_kernels, &qmm_kernel_count, sizeof qmm_kernels[0] },
};

const char *kernel_list_command(enum kernel_list list) { return lists[list].command; }

const struct kernel_row *kernel_list_row(enum kernel_list list, unsigned i)
{
    const char *rows = lists[list].rows;

    return i < *lists[list].count ? (const void *)(rows + i * lists[list].row_bytes) : NULL;
}

static enum status say_unknown(enum kernel_list list, const char *name, struct diag *dg)
{
    struct str names = { 0 };
    enum status st;

    for (unsigned i = 0; kernel_list_row(list, i); i++)
        str_printf(&names, ", %s", kernel_list_row(list, i)->name);
    st = diag_error(dg, ST_USAGE, NULL, "this operator has no kernel '%s'; it has auto%s", name,
                    names.s ? names.s : "");
    str_free(&names);
    return st;
}

bool op_kernel_is_auto(const char *name) { return !name || strcmp(name, "auto") == 0; }

enum status op_select_kernel(enum kernel_list list, const char *name, unsigned *index,
                             struct diag *dg)
{
    bool any = op_kernel_is_auto(name), known = false;

    for (unsigned i = *lists[list].count; i-- > 0;) {
        const struct kernel_row *row = kernel_list_row(list, i);

        if (!any && strcmp(name, row->name) != 0)
            continue;
        *index = i;
        if (cpu_has(row->needs))
            return ST_OK;
        known = true;
    }
    if (!known)
        return say_unknown(list, name, dg);
    return diag_error(dg, ST_USAGE, NULL,
                      "this processor cannot run the kernel '%s'; use --kernel auto", name);
}
