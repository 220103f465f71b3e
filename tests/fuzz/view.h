#pragma once

#include "fuzz.h"
#include "kernel/random.h"
#include "op/op.h"

/* Views of any layout that an input's bytes choose, for the targets that hold kernels to a walk
 * over coordinates. */

struct fuzz_view {
    struct tensor t;
    /* owned: exactly the bytes that the view reaches, and up to three elements before them */
    char *memory;
    size_t bytes;
};

/* Axes in any order, with gaps; of an input (broadcast) with strides of 0. A first byte of 0 means
 * packed. */
static inline struct fuzz_view fuzz_view_new(struct fuzz_bytes *b, enum dtype type, unsigned rank,
                                             const uint64_t *sizes, bool broadcast)
{
    struct fuzz_view v = { .t = { .type = type, .rank = rank } };
    uint64_t step = 1, reach = 1;
    bool placed[DML_MAX_RANK] = { false };
    unsigned layout = fuzz_byte(b);
    size_t front = layout >> 6;

    memcpy(v.t.sizes, sizes, rank * sizeof sizes[0]);
    for (unsigned left = rank; left > 0; left--) {
        unsigned choice = layout % 64 ? fuzz_byte(b) : 0,
                 i = layout % 64 ? choice % rank : left - 1;

        while (placed[i])
            i = (i + 1) % rank;
        placed[i] = true;
        if (broadcast && choice >> 5 == 7)
            continue;
        v.t.strides[i] = (int64_t)step;
        step *= sizes[i];
        if (choice >> 6 == 1)
            step += choice >> 3 & 7;
    }
    for (unsigned i = 0; i < rank; i++)
        reach += (sizes[i] - 1) * (uint64_t)v.t.strides[i];
    v.bytes = (front + reach) * dtype_size(type);
    v.memory = fuzz_alloc(v.bytes);
    v.t.data = v.memory + front * dtype_size(type);
    return v;
}

/* Random bytes all over. */
static inline void fuzz_view_random(struct fuzz_view *v, uint64_t *state)
{
    for (size_t i = 0; i < v->bytes; i += 8) {
        uint64_t r = random_next(state);

        memcpy(v->memory + i, &r, v->bytes - i < 8 ? v->bytes - i : 8);
    }
}

/* A copy of the memory, all of it 0xa5, as both are before a run. */
static inline char *fuzz_view_want(struct fuzz_view *v)
{
    char *want = fuzz_alloc(v->bytes);

    memset(want, 0xa5, v->bytes);
    return want;
}

/* Where an element of v lies in such a copy. */
static inline char *fuzz_view_in(const struct fuzz_view *v, char *want, const uint64_t *c)
{
    return want + ((char *)tensor_at(&v->t, c) - v->memory);
}

/* Runs d's operator on the tensors t. */
static inline void fuzz_run(const struct desc *d, struct tensor *const *t, const char *kernel,
                            int threads)
{
    struct op_exec exec = { .threads = threads, .kernel = kernel };
    struct diag dg = fuzz_diag();
    struct op_plan *plan;

    if (op_plan_new(&plan, d, t, &exec, &dg) != ST_OK)
        fuzz_fail("%s: no plan", kernel);
    op_plan_run(plan);
    op_plan_free(plan);
}

/* Sizes of at most `most` elements together, most of them small. */
static inline unsigned fuzz_sizes(struct fuzz_bytes *b, uint64_t most, uint64_t sizes[DML_MAX_RANK])
{
    unsigned rank = fuzz_between(b, 1, DML_MAX_RANK);

    for (unsigned i = 0; i < rank; i++) {
        uint64_t size = fuzz_byte(b);

        if (size > 200)
            size = size > 250 ? (size - 250) * 30000 : (size - 200) * 37;
        sizes[i] = 1 + size % most;
        most /= sizes[i];
    }
    return rank;
}

static inline uint64_t fuzz_seed(struct fuzz_bytes *b) { return random_start(fuzz_word(b)); }
