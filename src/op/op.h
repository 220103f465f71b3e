#pragma once

#include "base/diag.h"
#include "base/samples.h"
#include "desc/desc.h"
#include "kernel/prefetch.h"

struct op_exec {
    int threads;        /* the maximum; 0: chosen by the amount of work (parallel_threads_for) */
    const char *kernel; /* its name; NULL or "auto": the best one */
    enum prefetch_policy prefetch; /* for tests and measurements */
};

/* Results of the last run that do not fit their type: sums beyond INT32. */
struct op_misfits {
    uint64_t count; /* their elements are undefined */
    uint64_t first; /* the number of the first element, in row-major order */
    int64_t value;  /* of the first */
};

/* A computation ready to run: kernel chosen, scratch allocated. The first member of the plan of
 * every operator; misfits is NULL if there are none. */
struct op_plan {
    void (*run)(struct op_plan *plan);
    void (*free)(struct op_plan *plan); /* and all that it owns */
    void (*misfits)(const struct op_plan *plan, struct op_misfits *m);
    const char *kernel;  /* that runs: "reference", "avx2", ... */
    int threads;         /* that run at most; scratch is allocated for this number */
    uint64_t operations; /* of a run: elements written (slice) or read (topk), multiply-adds */
};

/* Plans the operator of d over tensors bound by slot: t[s] is the view for d->tensor[s], with
 * exactly its data type and sizes, NULL if it is not present. Inputs may have any strides (0
 * broadcasts) and may be `swapped`; outputs may have any strides without overlapping elements, and
 * are written in native byte order. The output of slice gets the input's is_bool. Inputs and
 * outputs must not overlap. d must obey the rules of safety (bounds, sizes), and scales the rule on
 * their values (bind_check_scales). An INT32 output of qmatmul has the exact sums; then there are
 * no scales and no zero point of the output. Views must outlive the plan.
 *
 * Errors, with a message: ST_USAGE for a kernel that does not exist or cannot run here, ST_SYSTEM
 * if memory is short. */
enum status op_plan_new(struct op_plan **plan, const struct desc *d,
                        struct tensor *const t[SLOT_COUNT], const struct op_exec *exec,
                        struct diag *dg);

/* Computes the outputs; cannot fail. Another call computes the same bytes. */
static inline void op_plan_run(struct op_plan *plan) { plan->run(plan); }

/* Runs the plan `warmup` times, then as often as samples_wanted(s), and adds the times of the
 * latter to *s, all in one region of threads. after: called after each run, unless NULL. False if
 * memory is short. */
bool op_plan_repeat(struct op_plan *plan, uint64_t warmup, struct samples *s,
                    void (*after)(void *context), void *context);

static inline struct op_misfits op_plan_misfits(const struct op_plan *plan)
{
    struct op_misfits m = { .count = 0 };

    if (plan->misfits)
        plan->misfits(plan, &m);
    return m;
}

/* NULL is allowed. */
static inline void op_plan_free(struct op_plan *plan)
{
    if (plan)
        plan->free(plan);
}

/* The kernel tables, in the order of reports. */
enum kernel_list { KERNELS_SLICE, KERNELS_TOPK, KERNELS_QMATMUL, KERNEL_LISTS };

/* The command that a table is for: "slice". */
const char *kernel_list_command(enum kernel_list list);

/* Row i of a table; NULL after the last. */
const struct kernel_row *kernel_list_row(enum kernel_list list, unsigned i);

/* Chooses the row *index of a kernel table by its name; NULL or "auto" chooses the last row that
 * this processor can run. ST_USAGE, with a message, for a name that is not in the table and a
 * kernel that cannot run here. */
enum status op_select_kernel(enum kernel_list list, const char *name, unsigned *index,
                             struct diag *dg);
