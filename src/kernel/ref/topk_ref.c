#include "kernel/ref/topk_ref.h"

#include <assert.h>

#include "base/util.h"

/* Plain C: the first k of what was fed form a heap whose root is the last of them in the result's
 * order. O(n log k) comparisons for any data. */

struct heap_state {
    struct topk_job job;
    uint64_t fed, count, compared;
    struct topk_entry heap[]; /* [k] */
};

uint64_t topk_scratch_ref(const struct topk_job *job)
{
    return sizeof(struct heap_state) + job->k * sizeof(struct topk_entry);
}

/* The result's order: by key, equal keys by ascending index. */
static bool before(struct heap_state *s, const struct topk_entry *a, const struct topk_entry *b)
{
    s->compared++;
    return a->key != b->key ? a->key < b->key : a->index < b->index;
}

/* Restores the heap of heap[0..n-1], where only heap[at] may come before one of its children. */
static void sift_down(struct heap_state *s, size_t n, size_t at)
{
    struct topk_entry *heap = s->heap, e = heap[at];

    while (at < n / 2) { /* it has a child */
        size_t child = 2 * at + 1;

        if (child + 1 < n && before(s, &heap[child], &heap[child + 1]))
            child++;
        if (!before(s, &e, &heap[child]))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = e;
}

void topk_begin_ref(void *scratch, const struct topk_job *job)
{
    struct heap_state *s = scratch;

    assert(job->width_log2 <= 3 && 1 <= job->k && job->k <= job->n &&
           job->n <= UINT64_C(1) << TOPK_N_LOG2_MAX);
    assert((uintptr_t)scratch % CACHE_LINE == 0);
    *s = (struct heap_state){ .job = *job };
}

void topk_feed_ref(void *scratch, const void *src, size_t count)
{
    struct heap_state *s = scratch;
    unsigned width_log2 = s->job.width_log2;

    for (size_t i = 0; i < count; i++) {
        struct topk_entry e = { topk_key(topk_load(src, i, width_log2), width_log2, s->job.order),
                                s->fed++ };

        if (s->count < s->job.k) {
            s->heap[s->count++] = e;
            if (s->count == s->job.k)
                for (size_t at = s->count / 2; at-- > 0;)
                    sift_down(s, s->count, at);
        } else if (before(s, &e, &s->heap[0])) {
            s->heap[0] = e;
            sift_down(s, s->count, 0);
        }
    }
}

void topk_finish_ref(void *scratch, struct topk_list *list)
{
    struct heap_state *s = scratch;

    for (size_t left = s->count; left > 1; left--) { /* the last of those left goes to their end */
        struct topk_entry last = s->heap[0];

        s->heap[0] = s->heap[left - 1];
        sift_down(s, left - 1, 0);
        s->heap[left - 1] = last;
    }
    *list = (struct topk_list){ .form = TOPK_PAIRS, .entries = s->heap, .count = s->count,
                                .work = s->fed + s->compared };
}
