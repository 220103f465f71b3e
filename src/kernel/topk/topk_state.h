#ifndef DMLOP_KERNEL_TOPK_TOPK_STATE_H
#define DMLOP_KERNEL_TOPK_TOPK_STATE_H

#include "kernel/topk/topk_scan.h"

/* Private to topk_scan.c, topk_walk.c and topk_rows.c: a selection in progress. */
struct topk_state {
    struct topk_job job;
    const struct topk_scan *loops;
    struct topk_filter filter;
    uint64_t fed;    /* elements so far */
    uint64_t since;  /* of them, since the buffer was compacted */
    size_t ahead;    /* elements to come that were looked at ahead */
    size_t groups;   /* most, into which a window is cut; 0: no looking ahead */
    uint64_t work;
    bool whole;      /* the buffer holds the whole sequence: capacity n */
    bool open;       /* no threshold yet */
    bool limited;    /* the threshold is the job's limit, and there are fewer than k candidates */
    bool closed;     /* nothing comes before the threshold */
    bool dense;      /* candidates are many: look ahead */
    bool peeked;     /* at the end of the window only */
    int64_t best;    /* the first key of all */
    void *firsts;    /* [groups + scan_pad] keys */
    void *room;      /* for searching */
};

/* Keeps the first k of the buffer, of which there are at least k, and makes the last of them the
 * threshold. */
void topk_scan_compact(struct topk_state *s);

/* A key as it is compared: its top bit flipped, and signed. */
static inline int64_t topk_signed_key(uint64_t key, unsigned width_log2)
{
    unsigned unused = 64 - (8u << width_log2);

    return (int64_t)((key ^ topk_sign(width_log2)) << unused) >> unused;
}

/* struct topk_filter's ahead, where what comes is in no cache. */
static inline size_t topk_scan_ahead(const struct topk_job *job)
{
    return job->prefetch >= PREFETCH_AHEAD ? SCAN_AHEAD : 0;
}

/* Groups that a window is cut into to look ahead for k, at least: with fewer, too many elements
 * would come before the k-th of their firsts. A multiple of all vectors' lanes. */
static inline size_t topk_scan_groups(uint64_t k)
{
    return (size_t)(2 * k / SCAN_LANES_MAX + 1) * SCAN_LANES_MAX;
}

/* Lowers the threshold to what holds where k elements of a window still to be read do not come
 * after this key; the largest key says nothing. */
static inline void topk_scan_lower_to(struct topk_state *s, int64_t key)
{
    if (key == INT64_MAX >> (64 - (8u << s->job.width_log2)))
        return;
    if (s->open || key + 1 < s->filter.threshold)
        s->filter.threshold = key + 1;
    s->open = false;
}

/* Lowers the threshold to what holds where `rank` elements still to be read do not come after the
 * key of that rank among n >= rank. They have room for scan_pad more. */
void topk_scan_lower(struct topk_state *s, void *keys, size_t n, size_t rank);

/* Begins the same selection anew. */
void topk_scan_restart(struct topk_state *s);

#endif
