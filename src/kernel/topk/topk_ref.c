#include "kernel/topk/topk_table.h"

#include <assert.h>

#include "base/util.h"

/* Plain C: a heap of the first k elements so far; its root is the last of them in the result's
 * order. O(n log k) comparisons for any data. */

struct ref_entry {
    uint64_t key, index;
};

struct heap_state {
    struct topk_job job;
    uint64_t fed, count, compared;
    bool by_index;           /* the heap is ordered by index, to list the candidates */
    struct ref_entry heap[]; /* [k] */
};

/* Bytes of the heap, the keys and the indices. */
uint64_t topk_scratch_ref(const struct topk_job *job)
{
    return sizeof(struct heap_state) + job->k * (sizeof(struct ref_entry) + 12) + TOPK_PAD_BYTES;
}

/* The result's order: by key, equal keys by ascending index. */
static bool before(struct heap_state *s, const struct ref_entry *a, const struct ref_entry *b)
{
    s->compared++;
    return s->by_index || a->key == b->key ? a->index < b->index : a->key < b->key;
}

/* Restores the heap heap[0..n-1], in which heap[at] alone may precede a child. */
static void sift_down(struct heap_state *s, size_t n, size_t at)
{
    struct ref_entry *heap = s->heap, e = heap[at];

    while (at < n / 2) {
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

static void make_heap(struct heap_state *s)
{
    for (size_t at = s->count / 2; at-- > 0;)
        sift_down(s, s->count, at);
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
        struct ref_entry e = { topk_key(element_get(src, i, width_log2), width_log2, s->job.order),
                               s->fed++ };

        if (s->job.limited && e.key > s->job.limit)
            continue;
        if (s->count < s->job.k) {
            s->heap[s->count++] = e;
            if (s->count == s->job.k)
                make_heap(s);
        } else if (before(s, &e, &s->heap[0])) {
            s->heap[0] = e;
            sift_down(s, s->count, 0);
        }
    }
}

void topk_candidates_ref(void *scratch, struct topk_list *list)
{
    struct heap_state *s = scratch;
    unsigned width_log2 = s->job.width_log2;
    char *keys = (char *)(s->heap + s->job.k);
    uint32_t *index = (uint32_t *)(keys + s->job.k * 8 + TOPK_PAD_BYTES);

    *list =
        (struct topk_list){ .keys = keys, .index = index, .count = s->count, .least = UINT64_MAX };
    s->by_index = true;
    make_heap(s);
    for (size_t left = s->count; left-- > 0;) {
        struct ref_entry last = s->heap[0];

        element_set(keys, left, width_log2, last.key ^ topk_sign(width_log2));
        index[left] = (uint32_t)last.index;
        s->heap[0] = s->heap[left];
        sift_down(s, left, 0);
        list->least = u64_min(list->least, last.key);
        list->most = u64_max(list->most, last.key);
    }
    for (size_t i = 1; i < s->count; i++) {
        bool down = topk_list_key(list, i, width_log2) < topk_list_key(list, i - 1, width_log2);

        list->down |= down;
        list->up |= !down;
    }
    list->work = s->fed + s->compared;
}
