#ifndef DMLOP_KERNEL_TOPK_H
#define DMLOP_KERNEL_TOPK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/prefetch.h"
#include "kernel/select.h"
#include "tensor/dtype.h"
#include "tensor/element.h"

/*
 * The order of elements: -inf < finite < +inf < NaN, every NaN equal to every
 * other, -0 equal to +0. Every element maps to an unsigned key of its own width
 * such that the smaller key comes first in the result. For floats, smallest first, it is
 * infinity's bits plus or minus the magnitude's, so that -infinity is 0, both zeros
 * are infinity's bits, and one above +infinity is the key of every NaN.
 */
struct topk_order {
    enum dtype_kind kind;
    bool largest;  /* DML_AXIS_DIRECTION_DECREASING */
    bool nan_last; /* NaNs come after all other floats, in both directions */
};

/* Whether the largest come first and NaNs last: as for the negated floats, smallest first. */
static inline bool topk_negates(struct topk_order order)
{
    return order.kind == KIND_FLOAT && order.largest && order.nan_last;
}

/* Bits of a width: the sign alone, all of them, those of +infinity. */
static inline uint64_t topk_sign(unsigned width_log2)
{
    return UINT64_C(1) << ((8u << width_log2) - 1);
}
static inline uint64_t topk_ones(unsigned width_log2)
{
    return UINT64_MAX >> (64 - (8u << width_log2));
}

static inline uint64_t topk_infinity(unsigned width_log2)
{
    return width_log2 == 1 ? 0x7c00 : width_log2 == 2 ? 0x7f800000 : 0x7ff0000000000000;
}

/* The key of one element: bits holds it in its low `8 << width_log2` bits. */
static inline uint64_t topk_key(uint64_t bits, unsigned width_log2, struct topk_order order)
{
    uint64_t sign = topk_sign(width_log2), key = bits & topk_ones(width_log2);
    bool negate = topk_negates(order);

    if (order.kind == KIND_FLOAT) {
        uint64_t infinity = topk_infinity(width_log2), magnitude = key & (sign - 1);

        key ^= negate ? sign : 0;
        key = key & sign ? infinity - magnitude : infinity + magnitude;
        if (magnitude > infinity)
            key = 2 * infinity + 1;
    } else if (order.kind == KIND_SIGNED) {
        key ^= sign;
    }
    return order.largest && !negate ? key ^ topk_ones(width_log2) : key;
}

/* The element that has this key; false where several have it (the two zeros, the NaNs). */
static inline bool topk_unkey(uint64_t key, unsigned width_log2, struct topk_order order,
                              uint64_t *bits)
{
    uint64_t zero = topk_infinity(width_log2), sign = topk_sign(width_log2);
    bool negate = topk_negates(order);

    if (order.largest && !negate)
        key ^= topk_ones(width_log2);
    if (order.kind == KIND_FLOAT) {
        *bits = (key < zero ? (zero - key) | sign : key - zero) ^ (negate ? sign : 0);
        return key != zero && key <= 2 * zero;
    }
    *bits = order.kind == KIND_SIGNED ? key ^ sign : key;
    return true;
}

/* What a kernel is to find: the first k, in order, of a sequence of n elements; equal keys by
 * ascending index. 1 <= k <= n <= 2^32 (indices within a kernel are 32 bits wide). */
struct topk_job {
    struct topk_order order;
    unsigned width_log2; /* of an element's size in bytes: 0 to 3 */
    uint64_t n, k;
    bool loose;          /* a TOPK_LOOSE list will do; for kernels that have such */
    bool limited;        /* there may be a limit; for loose lists */
    enum prefetch_policy prefetch;
};

enum {
    TOPK_N_LOG2_MAX = 32,
    TOPK_PAD_BYTES =
        512, /* that loops may write past the end of keys; a multiple of all vectors' */
};

/* Most candidates that a loose list holds, for k of n. */
static inline uint64_t topk_candidates(uint64_t n, uint64_t k)
{
    uint64_t most = 2 * k > k + 64 ? 2 * k : k + 64;

    return most < n ? most : n;
}

/* What comes out: count elements of the sequence, in the result's order except in loose lists. */
struct topk_list {
    enum topk_form {
        TOPK_PAIRS,  /* entries: pairs of 64-bit key and index */
        TOPK_PACKED, /* entries: key << 32 | index */
        TOPK_RUN,    /* the sequence is in order already, or in strictly reverse order: entry i is
                        element i or element last - i; entries: the keys by element, of its
                        width, top bit flipped */
        TOPK_LOOSE,  /* the first k are among the entries, which are in the order of the sequence:
                        keys, of the element's width, top bit flipped; their indices in index, or
                        all elements where that is NULL */
    } form;
    bool run, reversed;    /* the entries are in order; in strictly reverse order */
    unsigned width_log2;   /* of a run's keys, and loose ones */
    uint64_t last;         /* of a run: the sequence's last index */
    const void *entries;
    const uint32_t *index; /* loose */
    uint64_t least, most;  /* loose: the keys are within */
    size_t count;          /* k; loose: topk_candidates at most */
    uint64_t work;         /* elements and candidates visited, over all passes; tests hold it to a
                              multiple of n, whatever the data */
};

struct topk_entry {
    uint64_t key, index;
};

/* Element i of an array of unsigned integers, which need not be aligned. */
INLINE uint64_t topk_load(const void *p, size_t i, unsigned width_log2)
{
    return element_load((const char *)p + (i << width_log2), width_log2);
}

/* Makes bits element i of such an array. */
INLINE void topk_store(void *p, size_t i, unsigned width_log2, uint64_t bits)
{
    element_store((char *)p + (i << width_log2), width_log2, bits);
}

/* Entry i of an array of them: packed, or pairs where elements have 8 bytes. */
static inline struct topk_entry topk_entry_get(const void *entries, size_t i, unsigned width_log2)
{
    uint64_t packed;

    if (width_log2 == 3)
        return ((const struct topk_entry *)entries)[i];
    packed = ((const uint64_t *)entries)[i];
    return (struct topk_entry){ packed >> 32, packed & UINT32_MAX };
}

static inline void topk_entry_set(void *entries, size_t i, uint64_t key, uint32_t index,
                                  unsigned width_log2)
{
    if (width_log2 < 3)
        ((uint64_t *)entries)[i] = key << 32 | index;
    else
        ((struct topk_entry *)entries)[i] = (struct topk_entry){ key, index };
}

static inline size_t topk_entry_bytes(unsigned width_log2)
{
    return width_log2 < 3 ? sizeof(uint64_t) : sizeof(struct topk_entry);
}

/* Entry i of a list that is not loose. */
static inline struct topk_entry topk_list_at(const struct topk_list *list, size_t i)
{
    if (list->form != TOPK_RUN)
        return topk_entry_get(list->entries, i, list->form == TOPK_PAIRS ? 3 : 0);
    if (list->reversed)
        i = list->last - i;
    return (struct topk_entry){
        topk_load(list->entries, i, list->width_log2) ^ topk_sign(list->width_log2), i
    };
}

/* Sequences that lie side by side: row i holds element i of each. */
struct topk_rows {
    void *states;         /* scratch of the selection of column j: states + j * state_bytes */
    size_t state_bytes;
    size_t columns;
    const void *src;      /* rows of `columns` contiguous elements, in native byte order */
    size_t row_step;      /* from row to row, in elements; at least columns */
    size_t rows;
    void *scratch;        /* 64-byte aligned, of the bytes that rows_scratch gives */
};

/*
 * A selection reads a sequence front to back in pieces of any length, and keeps
 * O(k) of it: begin once, feed n elements in all, finish once. All its state lies in
 * scratch: 64-byte aligned, of at least the bytes that scratch() gives for the job. A
 * kernel allocates nothing and cannot fail; it reads nothing beyond the pieces.
 */
struct topk_kernel {
    struct kernel_row row;
    uint64_t (*scratch)(const struct topk_job *job); /* bytes, which do not overflow: n <= 2^32 */
    void (*begin)(void *scratch, const struct topk_job *job);
    void (*feed)(void *scratch, const void *src, size_t count); /* contiguous, native byte order */
    void (*finish)(void *scratch, struct topk_list *list);      /* the entries lie in scratch */
    /* Feeds many selections at once; NULL where a kernel has no way for that. */
    void (*feed_rows)(const struct topk_rows *rows);
    uint64_t (*rows_scratch)(unsigned width_log2, uint64_t columns); /* bytes */
    bool loose; /* lists are loose where the job says so; then there are these as well, to use
                   before feeding: */
    /* Makes n elements keys, in place, as the next two want them. */
    void (*make_keys)(void *scratch, void *elements, size_t n);
    /* The rank-th of n such keys, or a later one before the next, 1 <= rank <= n <=
     * topk_candidates; for limited jobs. TOPK_PAD_BYTES after the keys are written to. */
    uint64_t (*rank)(void *scratch, void *keys, size_t n, uint64_t rank);
    /* How many of n such keys, a multiple of TOPK_PAD_BYTES' worth, do not come after a key. */
    uint64_t (*within)(const void *scratch, const void *keys, size_t n, uint64_t key);
    /* Leaves out elements that come after the key, or with it unless equal, so that the list may
     * lack some of the first k. */
    void (*limit)(void *scratch, uint64_t key, bool equal);
    /*
     * "auto" takes this row only where it gains: for several columns side by side, and for a K
     * that is large, or large for its sequence; else the row before. bench_topk, one thread,
     * AVX-512's time to AVX2's on a Zen 4 and an Emerald Rapids: axis 0 0.9 to 0.96 and 1,
     * K = 100000 0.85 and 0.82, {1000,10000} K = 100 1.01 and 0.77; but FLOAT16 1.1 to 1.24 and
     * 1.02 to 1.1, {1000,10000} K = 10 1.05 to 1.18 and 1, {512,128000} 0.94 to 1.07 and 1.
     */
    bool gains_by_width;
};

#endif
