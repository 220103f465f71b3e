#ifndef DMLOP_OP_TOPK_TOPK_ORDER_H
#define DMLOP_OP_TOPK_TOPK_ORDER_H

#include "op/topk/topk_plan.h"

/* Private to topk_order.c and topk_sort.c. */

/* Measured as those in topk.c. */
enum {
    TOPK_FEW = 320, /* sorted on the stack; least of a bucket: {10000,1000} K = 100, 640: 1.02 */
    SORT_PREFIX_BITS = 14, /* 10^7 K = n, 12: 1.16 */
    SORT_BUCKETS = 256,    /* 10^7 K = n, 512: 1.02 */
};

/* Neighbouring prefixes of keys, whose entries are sorted at once. */
struct topk_bucket {
    uint64_t start; /* position of its first entry */
    uint64_t least; /* its keys exceed this by less than 2^bits */
    unsigned bits;
    uint64_t work; /* entries visited to sort it, in all passes; bounded by tests */
};

/*
 * Room to sort the candidates of one column: entries are scattered to buckets by a prefix of their
 * keys; each bucket, which fits a cache, is sorted by the rest.
 */
struct topk_sorter {
    int threads;
    uint64_t most;        /* candidates of all parts */
    void *entries, *room; /* [most]; room: of each thread, if its largest bucket fits */
    uint64_t *starts;     /* [parts + 1] candidates of the parts before */
    uint64_t *counts;    /* [parts][most_prefixes] candidates by prefix, then positions by bucket */
    uint16_t *bucket_of; /* [most_prefixes] of a prefix; `buckets` after the k-th entry */
    uint64_t least;      /* key */
    unsigned shift;      /* prefix = (key - least) >> shift */
    uint32_t prefixes, most_prefixes;
    uint64_t largest;                            /* entries of a bucket */
    unsigned buckets;                            /* 0: the candidates were in order */
    struct topk_bucket bucket[SORT_BUCKETS + 2]; /* also entries left out, and the end */
};

/* One column's candidates to be sorted. */
struct topk_ordering {
    const struct topk_plan *plan;
    struct topk_sorter *sorter;
    const struct topk_strip *strip;
    uint64_t column;
    const struct topk_list *lists;
    bool reversed; /* the candidates are in reverse order */
    bool whole;    /* they are the whole column */
};

static inline const struct topk_list *topk_part(const struct topk_ordering *w, size_t part)
{
    return &w->lists[part * w->plan->cut.strip_columns];
}

/* Candidate i of a part whose first element has the index `first`. */
INLINE struct topk_entry topk_candidate(const struct topk_list *list, uint64_t first, size_t i,
                                        unsigned width_log2)
{
    return (struct topk_entry){ topk_list_key(list, i, width_log2),
                                first + (list->index ? list->index[i] : i) };
}

/* Sets the range of all keys; returns the number of bits in which they differ from the least. */
unsigned topk_key_range(const struct topk_ordering *w, uint64_t *least);

/* The most prefixes for n candidates, a power of 2. */
uint32_t topk_prefixes(uint64_t n);

/* Sorts a few entries, whose keys exceed `least` by less than 2^bits, stably; returns entries or
 * room. By n to 2n digits of their first bits, then by insertion. */
void *topk_sort_few(void *entries, void *room, size_t n, uint64_t least, unsigned bits, bool pairs);

/* Sorts many candidates and writes the result; starts is set. */
void topk_sort(struct topk_ordering *w);

#endif
