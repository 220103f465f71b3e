#pragma once

#include "kernel/topk/topk.h"

/* The selection that all instruction sets share, and the loops that each of them provides.
 *
 * Candidates are appended to a buffer of keys and indices. Whole vectors of elements are compared
 * with a threshold. A full buffer is compacted to its first k, and the threshold falls.
 *
 * If the data rise towards the result's order, every element would be a candidate. So at the start
 * and whenever a buffer fills up fast, some of the elements to come are read ahead, divided into
 * interleaved groups; the k-th of the groups' first keys is a safe threshold.
 *
 * Keys are signed here, as vectors compare them: topk_key with the top bit flipped. */

/* Maps elements to signed keys. Integers: bits ^ flip. Floats: the magnitude with the sign of bits
 * ^ flip, plus shift, which wraps NaNs around to one end; all NaNs become `least` or `most`. */
struct topk_mapping {
    struct topk_order order;
    uint64_t flip;
    int64_t shift, least, most; /* least and most: the first and the last key in the order */
};

/* A buffer of candidates; pad: TOPK_PAD_BYTES in elements. */
struct topk_filter {
    void *keys;      /* [capacity + pad], signed, of the element's width */
    uint32_t *index; /* [capacity + pad] */
    size_t count, capacity;
    size_t ahead;      /* prefetch distance in bytes; 0: none */
    int64_t threshold; /* keys below it are candidates */
    struct topk_mapping map;
};

struct topk_best;
struct topk_state;

/* The end of the first k keys: the `smaller` ones below a key and, if these are fewer than k, the
 * first ones equal to it. */
struct topk_kth {
    int64_t key;
    size_t smaller;
};

/* The loops of one width and kind. */
struct topk_scan {
    /* keys[i] = key of element i, i < n. */
    void (*convert)(void *keys, const void *src, size_t n, const struct topk_mapping *map);
    /* Appends the candidates among elements first..n-1 of src to the buffer; element 0 has index
     * `base`. Stops when the buffer is full. Returns the next element to filter. */
    size_t (*filter)(struct topk_filter *f, const void *src, size_t first, size_t n, uint32_t base);
    /* The number of keys below `bound` among n. */
    size_t (*below)(const void *keys, size_t n, int64_t bound);
    /* Finds the end of the first k of n keys, 1 <= k <= n; adds the keys visited to *work. */
    struct topk_kth (*kth)(const void *keys, size_t n, size_t k, uint64_t *work);
    /* Keeps the first k of the buffer, in its order; the last of them in the result's order becomes
     * the threshold. */
    void (*compact)(struct topk_state *s);
    /* Lowers the threshold by some of the n elements to come: to accept the first k of the groups'
     * first keys or, if a sequence begins in order, the first k of its first row. */
    void (*look_ahead)(struct topk_state *s, const char *src, size_t n);
    /* Inserts a row, of which there are `level` so far, or k. */
    void (*insert)(struct topk_best *b, const void *row, uint32_t index, size_t level);
    /* Keeps the best of further rows; the first one has an index. */
    void (*keep)(struct topk_best *b, const void *src, uint32_t index, size_t rows);
    /* Appends the best k of a group to the columns' lists. */
    void (*sift)(struct topk_best *b, size_t group, struct topk_list *lists);
    unsigned lanes; /* of a vector */
};

/* A selection in progress. */
struct topk_state {
    struct topk_job job;
    const struct topk_scan *loops;
    struct topk_filter filter;
    uint64_t fed;   /* elements so far */
    bool whole;     /* the buffer holds the whole sequence, without indices */
    bool open;      /* no threshold yet */
    bool limited;   /* the threshold is the job's limit, and there are fewer than k candidates */
    bool loose;     /* the limit accepted far too many elements */
    bool closed;    /* no key is below the threshold */
    bool dense;     /* most elements are candidates: look ahead */
    uint64_t since; /* elements since the last compaction */
    size_t groups;  /* of elements to come; 0: no looking ahead */
    uint64_t work;
    void *firsts; /* [groups + pad] their first keys */
};

/* Bytes from compared to prefetched elements: bench_topk, {10000,4000} axis 0, Xeon (AMX), 2
 * K: 1.04 of the time. */
enum { SCAN_AHEAD = 8192 };

/* A key as vectors compare it: signed, its top bit flipped. */
static inline int64_t topk_signed_key(uint64_t key, unsigned width_log2)
{
    unsigned unused = 64 - (8u << width_log2);

    return (int64_t)((key ^ topk_sign(width_log2)) << unused) >> unused;
}

/* Sets the threshold. One after the last key rejects nothing: there is still none. */
static inline void topk_set_threshold(struct topk_state *s, int64_t threshold)
{
    if (threshold > s->filter.map.most)
        return;
    s->open = false;
    s->closed = threshold <= s->filter.map.least;
    s->filter.threshold = threshold;
}

/* The threshold of a column, or the least of its width if no key is below it. It has one. */
static inline int64_t topk_bound(const struct topk_state *s)
{
    return s->closed ? topk_signed_key(0, s->job.width_log2) : s->filter.threshold;
}

/* How elements are mapped to keys. */
struct topk_mapping topk_mapping_of(const struct topk_job *job);

/* Makes room in a full buffer and lowers the threshold. True if candidates came twice as fast as in
 * a random order. */
bool topk_scan_make_room(struct topk_state *s);

/* The best k of each of adjacent columns. Groups of as many columns as a vector has lanes keep
 * their first k keys in order; what was inserted is logged, which tells the indices in the end. The
 * last group may overlap the one before. */
enum { TOPK_BLOCK = 1 << 10 }; /* columns, at most: {10000,1000} K = 1, Zen 5, 1 << 9: 1.6 */

struct topk_best {
    size_t k, columns, count; /* count: of groups */
    void *keys;               /* [count][k][lanes], ascending */
    void *bounds;             /* [columns]: keys below them are kept; only fall */
    void *logged;             /* [count][capacity][lanes] keys */
    uint32_t *index;          /* [count][capacity] rows of the log */
    size_t *logs;             /* [count] rows of the log */
    size_t capacity;
    const struct topk_mapping *map;
    size_t row_bytes, ahead;
    size_t hits;  /* keys below their bounds */
    size_t taken; /* of these, those inserted together count once */
    char *states; /* of column j at j * state_bytes; NULL: the best are kept */
    size_t state_bytes;
};

/* The first column of a group. */
static inline ptrdiff_t topk_group_column(const struct topk_best *b, size_t group, size_t lanes)
{
    ptrdiff_t column = (ptrdiff_t)(group * lanes), last = (ptrdiff_t)b->columns - (ptrdiff_t)lanes;

    return column < last ? column : last;
}

static inline struct topk_state *topk_state_of(const struct topk_best *b, size_t column)
{
    return (struct topk_state *)(b->states + column * b->state_bytes);
}

/* The loops of each instruction set, by the width; of integers, then of floats. */
extern const struct topk_scan topk_loops_avx2[], topk_loops_avx512[], topk_loops_neon[];

/* The members of struct topk_kernel. */
uint64_t topk_scan_scratch(const struct topk_job *job);
void topk_scan_begin(void *scratch, const struct topk_job *job);
bool topk_scan_feed(void *scratch, const void *src, size_t count);
void topk_scan_look(void *scratch, const void *src, size_t count);
void topk_scan_candidates(void *scratch, struct topk_list *list);
uint64_t topk_scan_kth(const struct topk_job *job, void *keys, const void *src);
void topk_scan_select_rows(const struct topk_rows *rows, struct topk_list *lists);
uint64_t topk_scan_rows_scratch(const struct topk_job *job, uint64_t columns);

/* The loops of a job. */
static inline const struct topk_scan *topk_loops_of(const struct topk_job *job)
{
    return &job->kernel->loops[2 * job->width_log2 + (job->order.kind == KIND_FLOAT)];
}
