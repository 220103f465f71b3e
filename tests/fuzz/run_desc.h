#pragma once

#include "desc/schema.h"
#include "fuzz.h"
#include "op/op.h"

/* Elements of a tensor, capped; 0 where it is not there. */
static inline uint64_t desc_elements(const struct tensor_desc *t)
{
    uint64_t n = 1;

    for (uint32_t i = 0; t->present && i < t->rank; i++)
        n = t->sizes[i] > 0 && n > UINT32_MAX / t->sizes[i] ? UINT32_MAX : n * t->sizes[i];
    return t->present ? n : 0;
}

/* Whether a run takes little time and memory. */
static inline bool desc_is_small(const struct desc *d, uint64_t elements, uint64_t bytes)
{
    uint64_t need, k = 1;

    for (unsigned s = 0; s < SLOT_COUNT; s++)
        if (desc_elements(&d->tensor[s]) > elements ||
            (d->tensor[s].present && (!tensor_desc_bytes(&d->tensor[s], &need) || need > bytes)))
            return false;
    if (d->op == OP_QMATMUL)
        k = d->tensor[SLOT_A].sizes[d->tensor[SLOT_A].rank - 1];
    return k * desc_elements(&d->tensor[d->op == OP_QMATMUL ? SLOT_C : SLOT_IN]) <= 16 * elements;
}

/* Runs a valid descriptor on buffers of exactly the bytes that it asks for. */
static inline void desc_run(const struct desc *d, int threads)
{
    struct tensor views[SLOT_COUNT], *t[SLOT_COUNT] = { NULL };
    void *memory[SLOT_COUNT] = { NULL };
    struct op_exec exec = { .threads = threads };
    struct diag dg = fuzz_diag();
    struct op_plan *plan;

    for (unsigned s = 0; s < SLOT_COUNT; s++) {
        const struct tensor_desc *td = &d->tensor[s];
        static const float one = 1;
        uint64_t bytes;

        if (!td->present)
            continue;
        if (!tensor_desc_bytes(td, &bytes) || posix_memalign(&memory[s], 64, bytes) != 0)
            fuzz_fail("a valid tensor has no size");
        for (uint64_t i = 0; i < bytes; i++)
            ((unsigned char *)memory[s])[i] = (unsigned char)(i * 37);
        for (uint64_t i = 0; d->op == OP_QMATMUL && td->type == DT_FLOAT32 && i + 4 <= bytes;
             i += 4)
            memcpy((char *)memory[s] + i, &one, 4);
        if (!tensor_desc_view(td, memory[s], &views[s]))
            fuzz_fail("a valid tensor has no view");
        t[s] = &views[s];
    }
    if (op_plan_new(&plan, d, t, &exec, &dg) != ST_OK)
        fuzz_fail("a valid descriptor has no plan");
    op_plan_run(plan);
    op_plan_free(plan);
    for (unsigned s = 0; s < SLOT_COUNT; s++)
        free(memory[s]);
}
