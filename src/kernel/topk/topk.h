#ifndef DMLOP_KERNEL_TOPK_TOPK_H
#define DMLOP_KERNEL_TOPK_TOPK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/prefetch.h"
#include "kernel/select.h"
#include "tensor/dtype.h"
#include "tensor/element.h"

/*
 * A kernel selects: it takes a sequence and gives candidates, in the order of the sequence. The
 * operator orders them (op/topk/topk_order.h). The terms:
 *
 *   key         of an element: an unsigned integer; the smaller one comes first in the result
 *   k-th key    of the last one of the first k
 *   threshold   elements whose keys are not below it cannot be among the first k, or come too late
 *   candidate   an element that came before the threshold when it was read
 *   partition   of candidates: the first k stay, and the last of these is the new threshold
 *   look ahead  find a threshold from elements that are still to be read
 *   limit       a threshold that the operator guesses, from a sample or the sequence before;
 *               sequences side by side are limited by a sample of their rows
 *   prefetch    what kernel/prefetch.h says of this processor
 */

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

/* The element that has this key; returns 1 where several have it (the two zeros, the NaNs), else 0.
 * Without comparisons, so that compilers vectorize loops of it. */
INLINE uint64_t topk_unkey(uint64_t key, unsigned width_log2, struct topk_order order,
                           uint64_t *bits)
{
    uint64_t zero = topk_infinity(width_log2), sign = topk_sign(width_log2), negative, magnitude;
    bool negate = topk_negates(order);

    key ^= order.largest && !negate ? topk_ones(width_log2) : 0;
    if (order.kind == KIND_FLOAT) {
        negative = 0 - ((key - zero) >> 63);
        magnitude = ((key - zero) ^ negative) - negative;
        *bits = (magnitude | (negative & sign)) ^ (negate ? sign : 0);
        return ((magnitude - 1) | (zero - magnitude)) >> 63;
    }
    *bits = key ^ (order.kind == KIND_SIGNED ? sign : 0);
    return 0;
}

/* What a kernel is to select: candidates for the first k of a sequence of n elements, where equal
 * ones come by ascending index. 1 <= k <= n <= 2^32 (indices within a kernel are 32 bits wide). */
struct topk_job {
    struct topk_order order;
    unsigned width_log2; /* of an element's size in bytes: 0 to 3 */
    uint64_t n, k;
    bool exact;          /* the candidates are to be the first k alone */
    bool run, reversed;  /* the sequence probably is in the result's order, or in reverse: one end
                            says most */
    bool limited;        /* elements whose keys are above the limit are left out, so that there may
                            be fewer than k candidates */
    uint64_t limit;      /* key */
    enum prefetch_policy prefetch;
};

enum {
    TOPK_N_LOG2_MAX = 32,
    TOPK_PAD_BYTES =
        512, /* that loops may write past the end of keys; a multiple of all vectors' */
    TOPK_FEW = 320, /* candidates that are ordered by counting; up to so large a k there are no
                       more. bench_topk's {1000,10000}, Zen 4: with 160, K = 200 takes 1.6 times as
                       long, K = 250 1.35 times, K = 10 and 100 do not differ */
};

/* Most candidates of k of n. */
static inline uint64_t topk_candidates(uint64_t n, uint64_t k)
{
    uint64_t most = 2 * k > k + 64 ? 2 * k : k + 64;

    return most < n ? most : n;
}

/* Candidates, in the order of the sequence: the first k are among them. */
struct topk_list {
    void *keys;            /* of the element's width, top bit flipped; TOPK_PAD_BYTES follow */
    const uint32_t *index; /* NULL: they are all elements */
    size_t count;
    bool run, reversed;    /* the keys are in order; in strictly reverse order */
    uint64_t least, most;  /* the keys are within, where there are any */
    uint64_t work;         /* elements and candidates visited, over all passes; tests hold it to a
                              multiple of n, whatever the data */
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
 * O(k) of it: begin once, feed n elements in all, then ask for the candidates. All its state lies
 * in scratch: 64-byte aligned, of at least the bytes that scratch() gives for the job. A
 * kernel allocates nothing and cannot fail; it reads nothing beyond the pieces.
 */
struct topk_kernel {
    struct kernel_row row;
    uint64_t (*scratch)(const struct topk_job *job); /* bytes, which do not overflow: n <= 2^32 */
    void (*begin)(void *scratch, const struct topk_job *job);
    void (*feed)(void *scratch, const void *src, size_t count); /* contiguous, native byte order */
    void (*candidates)(void *scratch, struct topk_list *list);  /* which lie in scratch */
    /* ranks[i] = how many of n keys are below key i, or equal to it and before it: arrays of
     * TOPK_FEW, whose ends are of no meaning. Keys are below INT16_MAX. For the operator's
     * ordering. */
    void (*ranks)(const int16_t *keys, size_t n, uint16_t *ranks);
    /* Feeds many selections at once; NULL where a kernel has no way for that. */
    void (*feed_rows)(const struct topk_rows *rows);
    uint64_t (*rows_scratch)(unsigned width_log2, uint64_t columns); /* bytes */
    /*
     * "auto" takes this row only where it gains: for several columns side by side, and for a K
     * that is large, or large for its sequence; else the row before. bench_topk, one thread,
     * AVX-512's time to AVX2's: axis 0 0.97 on a Zen 4 and 1.01 to 1.07 on a Zen 5, {1000,10000}
     * K = 100 0.97 to 1 and 0.88 to 0.96; but FLOAT16 1.1 to 1.2 on a Zen 4, FLOAT64 1.12 to 1.17
     * on a Zen 5.
     */
    bool gains_by_width;
};

#endif
