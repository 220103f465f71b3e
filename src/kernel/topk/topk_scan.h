#ifndef DMLOP_KERNEL_TOPK_TOPK_SCAN_H
#define DMLOP_KERNEL_TOPK_TOPK_SCAN_H

#include "base/util.h"
#include "kernel/topk/topk.h"

/*
 * The selection that all instruction sets share, and the few loops that each of them gives to it.
 *
 * Candidates are kept in a buffer of keys and indices, in the order of the sequence. Elements whose
 * keys are not below a threshold are passed over, whole vectors at a time. When the buffer is full
 * it is partitioned: the k-th of its keys becomes the threshold, and only the first k stay.
 *
 * Data that rise towards the result's order would make every element a candidate. Where candidates
 * are many, the end of a window of the sequence is read ahead, which is enough where the data just
 * rise; where it does not, the whole window is, cut into many interleaved groups, and the k-th
 * of the groups' first keys is a threshold that holds at once. So any data cost a bounded number of
 * passes over cached windows, and memory is read once.
 *
 * A run is read as one stream: eight pages at once had half its rate on a Zen 4 (bench_topk,
 * K = 100).
 *
 * Keys are signed here, as vectors compare them: topk_key with the top bit flipped.
 */

enum {
    SCAN_LANES_MAX = 64, /* of a vector, for any width */
    SCAN_KTH_MAX = 20,   /* largest k for which k-th keys are found lane by lane */
    SCAN_AHEAD = 8192, /* bytes from what is read to what is prefetched: bench_topk, Zen 5, of 512
                          to 64 K; 512 to 2048 are slower than nothing. On an Emerald Rapids 768 to
                          16 K do not differ by more than its noise */
};

enum { STEP_DOWN = 1, STEP_OTHER = 2 }; /* to a smaller key; to an equal or larger one */

/* Keys that loops may write past their end, and as many indices: a filter reads eight vectors of 64
 * bytes between two looks at the room left. */
static inline size_t scan_pad(unsigned width_log2) { return (size_t)TOPK_PAD_BYTES >> width_log2; }

/* Which of two floats comes first, by value. */
enum topk_before {
    BEFORE_LESS,           /* the smaller one, NaNs last */
    BEFORE_GREATER,        /* the larger one, NaNs last */
    BEFORE_GREATER_OR_NAN, /* NaNs, then the larger one */
};

/*
 * How elements become signed keys. For integers key = bits ^ flip; for floats key = ((bits ^
 * negate) as a signed integer in the order of values, zeros and NaNs made one) ^ flip.
 */
struct topk_mapping {
    uint64_t negate, flip;
    enum topk_before before;
};

/* What rows of n elements, at least the lanes of a vector, are compared with. */
struct topk_bounds {
    size_t n, row_bytes; /* from row to row */
    void *of;       /* [n] by element, of their width */
    const struct topk_mapping *map;
    bool by_value;  /* they are bits of values, which are compared, or, of 16 bits, signed keys,
                       smallest first; else signed keys */
    size_t ahead;   /* as in topk_filter */
    bool second;    /* what is prefetched of rows apart goes to the second cache, not the first */
};

/* The buffer as a filter sees it; pad: scan_pad. */
struct topk_filter {
    void *keys;         /* [capacity + pad], signed, of the element's width */
    uint32_t *index;    /* [capacity + pad] */
    size_t count, capacity;
    size_t ahead;       /* bytes from what is compared to what is prefetched; 0: nothing is */
    int64_t threshold;  /* keys below it are candidates */
    struct topk_mapping map;
};

/* The loops of one width and kind. */
struct topk_scan {
    size_t lanes; /* of a vector */
    /* keys[i] = key of element i, i < n. */
    void (*convert)(void *keys, const void *src, size_t n, const struct topk_mapping *map);
    /*
     * Appends the candidates among elements first..n-1 of n at src, element 0 of which has index
     * `base`, to the buffer. Stops early where that cannot hold a group of vectors more. Returns
     * the first element that was not done.
     */
    size_t (*filter)(struct topk_filter *f, const void *src, size_t first, size_t n, uint32_t base);
    /* firsts[j] = key of one of the elements j, j < n, of rows of n >= lanes elements, the first of
     * them in the result's order unless NaNs are among them. */
    void (*firsts)(void *firsts, const void *src, size_t n, size_t row_bytes, size_t rows,
                   const struct topk_mapping *map, size_t ahead);
    /* kth[j] = the k-th least of keys j of rows of n >= lanes keys each; k <= SCAN_KTH_MAX. */
    void (*kth)(void *kth, const void *keys, size_t n, size_t rows, size_t k);
    /* Keys below `bound` among n, n a multiple of lanes. */
    size_t (*below)(const void *keys, size_t n, int64_t bound);
    /* Bit i % 64 of words[i / 64] is set where element i of the first row comes before its bound;
     * the words of the next row follow. */
    void (*compare)(uint64_t *words, const void *src, size_t rows,
                    const struct topk_bounds *bounds);
    /* The same for rows apart, which do not follow each other: all are read side by side. */
    void (*compare_apart)(uint64_t *words, const void *src, size_t rows,
                          const struct topk_bounds *bounds);
    /* The least and the largest of n keys, n a multiple of lanes. */
    void (*range)(const void *keys, size_t n, int64_t *least, int64_t *most);
    /* Which steps there are from a key to the next, n steps from keys[0] on: STEP_ bits. */
    unsigned (*steps)(const void *keys, size_t n);
};

/*
 * Signed keys of floats, smallest first, before the flip: the magnitude's bits with the sign of the
 * value, minus a shift that makes -infinity the least integer; one above +infinity for NaN.
 */
#define KEY_SHIFT_16 0x400
#define KEY_SHIFT_32 0x800000
#define KEY_SHIFT_64 0x10000000000000
#define KEY_NAN_16 0x7801
#define KEY_NAN_32 0x7f000001
#define KEY_NAN_64 0x7fe0000000000001

/* By log2 of the width in bytes; integers, floats. */
typedef const struct topk_scan topk_scan_table[4][2];

/* The members of struct topk_kernel, with the loops to use. */
uint64_t topk_scan_scratch(const struct topk_job *job);
void topk_scan_begin(void *scratch, const struct topk_job *job, topk_scan_table table);
void topk_scan_feed(void *scratch, const void *src, size_t count);
void topk_scan_candidates(void *scratch, struct topk_list *list);
void topk_scan_feed_rows(const struct topk_rows *rows);
uint64_t topk_scan_rows_scratch(unsigned width_log2, uint64_t columns);

#endif
