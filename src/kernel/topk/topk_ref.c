#include "kernel/topk/topk.h"

/* Plain C: a buffer that is sorted whenever it is full, to keep its first k elements. */

struct ref_entry {
    uint64_t key, index;
};

struct ref_state {
    struct topk_job job;
    uint64_t fed, count, work;
    bool full;                  /* k elements within the limit: those equal to it come too late */
    struct ref_entry entries[]; /* [topk_candidates] */
};

static uint64_t capacity_of(const struct topk_job *job) { return topk_candidates(job->n, job->k); }

/* Bytes of the entries, the keys and the indices. */
uint64_t topk_scratch_ref(const struct topk_job *job)
{
    return sizeof(struct ref_state) + capacity_of(job) * sizeof(struct ref_entry) + job->k * 12 +
           TOPK_PAD_BYTES;
}

/* The result's order: by key, equal keys by ascending index. */
static int compare_entries(const void *a, const void *b)
{
    const struct ref_entry *x = a, *y = b;

    return x->key == y->key ? (x->index > y->index) - (x->index < y->index)
                            : (x->key > y->key) - (x->key < y->key);
}

static void keep_first(struct ref_state *s)
{
    qsort(s->entries, s->count, sizeof s->entries[0], compare_entries);
    s->work += s->count;
    s->count = u64_min(s->count, s->job.k);
    s->full = s->count == s->job.k;
    if (s->full)
        s->job.limit = s->entries[s->count - 1].key;
}

void topk_begin_ref(void *scratch, const struct topk_job *job)
{
    struct ref_state *s = scratch;

    assert(job->width_log2 <= 3 && 1 <= job->k && job->k <= job->n &&
           job->n <= UINT64_C(1) << TOPK_N_LOG2_MAX);
    assert((uintptr_t)scratch % CACHE_LINE == 0);
    *s = (struct ref_state){ .job = *job };
}

bool topk_feed_ref(void *scratch, const void *src, size_t count)
{
    struct ref_state *s = scratch;
    unsigned width_log2 = s->job.width_log2;

    for (size_t i = 0; i < count; i++, s->fed++) {
        uint64_t key = topk_key(element_get(src, i, width_log2), width_log2, s->job.order);

        if (key > s->job.limit || (s->full && key == s->job.limit))
            continue;
        if (s->count == capacity_of(&s->job))
            keep_first(s);
        s->entries[s->count++] = (struct ref_entry){ key, s->fed };
    }
    return false;
}

void topk_candidates_ref(void *scratch, struct topk_list *list)
{
    struct ref_state *s = scratch;
    char *keys = (char *)(s->entries + capacity_of(&s->job));
    uint32_t *index = (uint32_t *)(keys + s->job.k * 8 + TOPK_PAD_BYTES);

    keep_first(s);
    for (size_t i = 0; i < s->count; i++) {
        element_set(keys, i, s->job.width_log2, s->entries[i].key ^ topk_sign(s->job.width_log2));
        index[i] = (uint32_t)s->entries[i].index;
    }
    *list = (struct topk_list){
        .keys = keys, .index = index, .count = s->count, .work = s->fed + s->work
    };
}
