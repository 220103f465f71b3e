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

/* Sets the threshold and the bound that represents it. */
void topk_scan_set_threshold(struct topk_state *s, int64_t threshold);

/* Makes room in a full buffer and lowers the threshold. */
void topk_scan_make_room(struct topk_state *s);

#endif
