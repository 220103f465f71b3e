#pragma once

#include <math.h>

#include "kernel/prefetch.h"
#include "tensor/dtype.h"
#include "tensor/element.h"

/* A kernel selects candidates from a sequence and returns them in the sequence's order, or in the
 * result's; the operator sorts them (op/topk/topk_sort.c). The terms:
 *
 *   key         an unsigned integer for each element; smaller keys precede larger ones
 *   threshold   elements with keys at or above it are rejected
 *   candidate   an element whose key was below the threshold when it was read
 *   compaction  keeps the first k candidates; the last of them becomes the threshold
 *   limit       a threshold that the operator predicts
 *
 * The order: -inf < finite < +inf < NaN; all NaNs are equal, and -0 equals +0. A key has its
 * element's width. For floats, smallest first, it is the bits of infinity plus or minus the
 * magnitude's: 0 for -infinity, infinity's bits for both zeros, one above +infinity's for NaN. */
struct topk_order {
    enum dtype_kind kind;
    bool largest;  /* DML_AXIS_DIRECTION_DECREASING */
    bool nan_last; /* NaNs come after all other floats, in both directions */
};

/* Largest first with NaNs last equals the order of the negated floats, smallest first. */
static inline bool topk_negates(struct topk_order order)
{
    return order.kind == KIND_FLOAT && order.largest && order.nan_last;
}

/* The sign bit, all bits, and the bits of +infinity. */
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

/* The element with this key. Returns 1 if several elements have it (zeros, NaNs), else 0. Has no
 * branches, so that compilers vectorize loops that call it. */
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

/* A selection: candidates for the first k of n elements, equal ones by ascending index. 1 <= k <= n
 * <= 2^32, as indices within a kernel have 32 bits. */
struct topk_job {
    const struct topk_kernel *kernel;
    struct topk_order order;
    unsigned width_log2; /* of an element's size in bytes: 0 to 3 */
    uint64_t n, k;
    uint64_t limit; /* elements with keys above it are rejected, and fewer than k candidates may be
                       left; UINT64_MAX: none is */
    enum prefetch_policy prefetch;
};

enum {
    TOPK_N_LOG2_MAX = 32,
    TOPK_PAD_BYTES = 512,     /* that loops may write past the end of keys */
    TOPK_COLUMNS_MIN = 64,    /* of a row of struct topk_rows */
    TOPK_TILE_ROWS = 1 << 10, /* transposed at once: {10000,1000} axis 0, ascending, Xeon (AMX),
                                 2^8 and 2^12: 1.06 */
    TOPK_TILE_WIDTH = 256,    /* bytes of each: {10000,1000} axis 0, Xeon, 512: 1.01, 128: 1.04 */
    TOPK_LOOK_ROWS = 8,       /* of each group, or runs, looked ahead: 10^7 K = 1000, ascending, 4:
                                 1.02 */
    TOPK_SAMPLE_PART = 32,    /* elements of a sequence to one of a sample, at least */
};

/* A rank that an element of an expected rank hardly exceeds: four standard deviations and, as small
 * ranks deviate more, two. */
static inline uint64_t topk_beyond(uint64_t rank)
{
    return rank + (uint64_t)(4 * sqrt((double)rank)) + 2;
}

/* What moves the places of a sample: some of its data, at least 64 bytes, so that no data are bad
 * for all samples. */
static inline uint64_t topk_sample_seed(const void *data)
{
    uint64_t words[CACHE_LINE / sizeof(uint64_t)], seed = 0;

    memcpy(words, data, sizeof words);
    for (unsigned i = 0; i < ARRAY_LEN(words); i++)
        seed = (seed ^ words[i]) * UINT64_C(0xd6e8feb86659fd93);
    return seed >> 32;
}

/* The place of run i in a sample of runs of some elements: at nearly even distances, each moved by
 * an amount that has no period in common with the data. */
static inline uint64_t topk_sample_place(uint64_t seed, uint64_t i, uint64_t step, uint64_t run)
{
    uint64_t moved = (seed + i) * UINT64_C(0x9e3779b9) & UINT32_MAX; /* the golden ratio's part */

    return i * step + (moved * (step - run + 1) >> 32);
}

/* The most candidates for k of n. */
static inline uint64_t topk_candidates(uint64_t n, uint64_t k)
{
    uint64_t most = 2 * k > k + 64 ? 2 * k : k + 64;

    return most < n ? most : n;
}

/* Candidates; the first k elements are among them. Threads do not share its cache lines. */
struct topk_list {
    _Alignas(CACHE_LINE) void *keys; /* elements, top bit flipped, then TOPK_PAD_BYTES */
    const uint32_t *index;           /* NULL: the candidates are all elements */
    size_t count;
    bool loose;    /* the limit accepted far too many elements */
    uint64_t work; /* elements and candidates visited in all passes; tests bound it by a
                      multiple of n for any data */
    /* set by the operator: */
    bool falls;           /* some key is below the one before */
    uint64_t least, most; /* the range of the keys; UINT64_MAX and 0 for no candidates */
};

/* Key i of a list. */
INLINE uint64_t topk_list_key(const struct topk_list *list, size_t i, unsigned width_log2)
{
    return element_get(list->keys, i, width_log2) ^ topk_sign(width_log2);
}

/* Adjacent sequences: row i holds element i of each. */
struct topk_rows {
    struct topk_job job; /* of each sequence; n: rows; no limit */
    size_t columns;      /* with those that precede them in a row, at least TOPK_COLUMNS_MIN */
    const void *src;     /* rows of `columns` contiguous elements, in native byte order */
    size_t row_step;     /* from row to row, in elements; at least columns */
    void *scratch;       /* 64-byte aligned, of rows_scratch() bytes */
};

/* A selection reads a sequence front to back in pieces of any length and keeps O(k) of it: call
 * begin, feed n elements in all, then call candidates. All state is in scratch: 64-byte aligned, of
 * scratch() bytes for the job. A kernel allocates nothing, cannot fail, and reads nothing beyond
 * the pieces. */
struct topk_kernel {
    struct kernel_row row;
    uint64_t (*scratch)(const struct topk_job *job); /* bytes */
    void (*begin)(void *scratch, const struct topk_job *job);
    /* Contiguous, in native byte order. True if candidates came faster than in a
     * random order. */
    bool (*feed)(void *scratch, const void *src, size_t count);
    /* Lowers the threshold by some of the elements to come, in any order. NULL if not supported. */
    void (*look)(void *scratch, const void *src, size_t count);
    void (*candidates)(void *scratch, struct topk_list *list); /* points into scratch */
    /* The key of the k-th of n elements in order, or a later one up to the next element's if there
     * is one. keys: room for n elements. NULL if not supported. */
    uint64_t (*kth)(const struct topk_job *job, void *keys, const void *src);
    /* Selects from adjacent sequences, lists[columns]. Lists with fewer than k candidates are to be
     * selected again. NULL if not supported. */
    void (*select_rows)(const struct topk_rows *rows, struct topk_list *lists);
    uint64_t (*rows_scratch)(const struct topk_job *job, uint64_t columns); /* bytes */
    const struct topk_scan *loops; /* of the instruction set; see topk_scan.h */
};

/* The kernels of topk, a row each, slowest first; row 0 is the reference and needs nothing. */
extern const struct topk_kernel topk_kernels[];
extern const unsigned topk_kernel_count;

/* The reference kernel's members. */
uint64_t topk_scratch_ref(const struct topk_job *job);
void topk_begin_ref(void *scratch, const struct topk_job *job);
bool topk_feed_ref(void *scratch, const void *src, size_t count);
void topk_candidates_ref(void *scratch, struct topk_list *list);
