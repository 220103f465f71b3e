#ifndef DMLOP_KERNEL_TOPK_TOPK_SCAN_H
#define DMLOP_KERNEL_TOPK_TOPK_SCAN_H

#include "base/util.h"
#include "kernel/topk/topk.h"

/*
 * The selection that all instruction sets share, and the loops that each of them provides.
 *
 * Candidates are appended to a buffer of keys and indices. Whole vectors of elements are compared
 * with a threshold. A full buffer is compacted to its first k, and the threshold falls.
 *
 * If the data rise towards the result's order, every element would be a candidate. So at the start
 * and whenever a buffer fills up fast, some of the elements to come are read ahead, divided into
 * interleaved groups; the k-th of the groups' first keys is a safe threshold.
 *
 * Keys are signed here, as vectors compare them: topk_key with the top bit flipped.
 */

/* The order of two floats by value. */
enum topk_before {
    BEFORE_LESS,           /* smaller values first, NaNs last */
    BEFORE_GREATER,        /* larger values first, NaNs last */
    BEFORE_GREATER_OR_NAN, /* NaNs, then larger values first */
};

/*
 * Maps elements to signed keys. Integers: key = bits ^ flip. Floats: key = order(bits ^ negate) ^
 * flip; order() maps floats to integers in the order of values, and NaNs to one key.
 */
struct topk_mapping {
    uint64_t negate, flip;
    enum topk_before before;
    int64_t best; /* the first key in the order */
};

/* Bounds of a row of n columns. If n < 64, elements 64 - n before a row and `of` are read, too. */
struct topk_bounds {
    size_t n, row_bytes; /* row_bytes: from row to row */
    void *of;            /* [n] like struct topk_filter's bound, of the element's width */
    const struct topk_mapping *map;
    size_t ahead; /* prefetch distance in bytes; 0: none */
};

/* A buffer of candidates; pad: TOPK_PAD_BYTES in elements. */
struct topk_filter {
    void *keys;      /* [capacity + pad], signed, of the element's width */
    uint32_t *index; /* [capacity + pad] */
    size_t count, capacity;
    size_t ahead;      /* prefetch distance in bytes; 0: none */
    int64_t threshold; /* keys below it are candidates */
    int64_t bound;   /* the threshold as vectors compare it: integers, a key; floats, the bits of a
                        value; for 16 bits a signed key, smallest first */
    bool comparable; /* there is such a bound */
    struct topk_mapping map;
};

/* The loops of one width and kind. */
struct topk_scan {
    /* keys[i] = key of element i, i < n. */
    void (*convert)(void *keys, const void *src, size_t n, const struct topk_mapping *map);
    /* Appends the candidates among elements first..n-1 of src to the buffer; element 0 has index
     * `base`. Stops when the buffer is full. Returns the next element to filter. */
    size_t (*filter)(struct topk_filter *f, const void *src, size_t first, size_t n, uint32_t base);
    /* firsts[j] = the first of key firsts[j] and the keys of elements j of all rows. n is a
     * multiple of 64. */
    void (*firsts)(void *firsts, const void *src, size_t n, size_t row_bytes, size_t rows,
                   const struct topk_mapping *map);
    /* The number of keys below `bound` among n. */
    size_t (*below)(const void *keys, size_t n, int64_t bound);
    /* The least and the largest of n >= 1 keys. */
    void (*range)(const void *keys, size_t n, int64_t *least, int64_t *most);
    /* Sets bit j % 64 of words[j / 64] if element j of a row precedes its bound. Each row has
     * ceil(n / 64) words. */
    void (*compare)(uint64_t *words, const void *src, size_t rows, const struct topk_bounds *b);
};

/*
 * Signed keys of floats, smallest first, before the flip: sign times magnitude, minus a shift that
 * makes -infinity the least integer; NaN's is one above +infinity's.
 */
#define KEY_SHIFT_16 0x400
#define KEY_SHIFT_32 0x800000
#define KEY_SHIFT_64 0x10000000000000
#define KEY_NAN_16   0x7801
#define KEY_NAN_32   0x7f000001
#define KEY_NAN_64   0x7fe0000000000001

/* By log2 of the width in bytes; integers, floats. */
typedef const struct topk_scan topk_scan_table[4][2];

/* The members of struct topk_kernel; begin for each instruction set, and what they share. */
void topk_begin_avx2(void *scratch, const struct topk_job *job);
void topk_begin_neon(void *scratch, const struct topk_job *job);
uint64_t topk_scan_scratch(const struct topk_job *job);
void topk_scan_begin(void *scratch, const struct topk_job *job, topk_scan_table table);
void topk_scan_feed(void *scratch, const void *src, size_t count);
void topk_scan_candidates(void *scratch, struct topk_list *list);
void topk_scan_feed_rows(const struct topk_rows *rows);
uint64_t topk_scan_rows_scratch(unsigned width_log2, uint64_t columns);

#endif
