#ifndef DMLOP_KERNEL_TOPK_TOPK_STATE_H
#define DMLOP_KERNEL_TOPK_TOPK_STATE_H

#include "kernel/topk/topk_scan.h"

/* Private to topk_scan.c and topk_rows.c: a selection in progress. */
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

/* Sets the threshold and the bound that represents it. */
static inline void topk_set_threshold(struct topk_state *s, unsigned width_log2,
                                      struct topk_order order, int64_t threshold)
{
    struct topk_filter *f = &s->filter;
    uint64_t ones = topk_ones(width_log2), most = 2 * topk_infinity(width_log2), bits;
    uint64_t key = ((uint64_t)threshold & ones) ^ topk_sign(width_log2);
    uint64_t flip = f->map.before == BEFORE_GREATER_OR_NAN ? ones : 0;

    s->open = false;
    s->closed = threshold == f->map.best;
    f->threshold = f->bound = threshold;
    f->comparable = true;
    if (order.kind != KIND_FLOAT)
        return;
    f->comparable = (key ^ flip) <= most;
    key = u64_min(key ^ flip, most);
    topk_unkey(key ^ flip, width_log2, order, &bits); /* of the zeros either will do */
    f->bound = width_log2 == 1 ? topk_signed_key(key, width_log2) : (int64_t)bits;
}

/* Makes room in a full buffer and lowers the threshold. */
void topk_scan_make_room(struct topk_state *s);

#endif
