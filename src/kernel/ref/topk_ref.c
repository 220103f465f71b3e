#include "kernel/ref/topk_ref.h"

#include <string.h>

#include "base/util.h"

/* Plain C: the k first seen so far stand in a heap whose root is the last of them in the result's order.
 * O(n log k) comparisons for any data. */

struct entry {
    uint64_t key, index;
};

uint64_t topk_scratch_ref(unsigned width_log2, size_t n, size_t k)
{
    uint64_t bytes;

    (void)width_log2;
    (void)n;
    return u64_mul(k, sizeof(struct entry), &bytes) ? bytes : UINT64_MAX;
}

/* The result's order: by key, equal keys by ascending index. */
static bool before(const struct entry *a, const struct entry *b)
{
    return a->key != b->key ? a->key < b->key : a->index < b->index;
}

/* Mends heap[0..n-1] where only heap[at] may stand before one of its children. */
static void sift_down(struct entry *heap, size_t n, size_t at)
{
    struct entry e = heap[at];

    while (at < n / 2) { /* it has a child */
        size_t child = 2 * at + 1;

        if (child + 1 < n && before(&heap[child], &heap[child + 1]))
            child++;
        if (!before(&e, &heap[child]))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = e;
}

static uint64_t load(const void *src, size_t i, unsigned width_log2)
{
    const unsigned char *p = (const unsigned char *)src + (i << width_log2);
    uint16_t h;
    uint32_t w;
    uint64_t d;

    switch (width_log2) {
    case 0:
        return *p;
    case 1:
        memcpy(&h, p, sizeof h);
        return h;
    case 2:
        memcpy(&w, p, sizeof w);
        return w;
    default:
        memcpy(&d, p, sizeof d);
        return d;
    }
}

static void select_first(const void *src, size_t n, size_t k, struct topk_order order, unsigned width_log2,
                         struct entry *heap, uint64_t *index)
{
    for (size_t i = 0; i < k; i++)
        heap[i] = (struct entry){ topk_key(load(src, i, width_log2), width_log2, order), i };
    for (size_t i = k / 2; i-- > 0;)
        sift_down(heap, k, i);
    for (size_t i = k; i < n; i++) {
        struct entry e = { topk_key(load(src, i, width_log2), width_log2, order), i };

        if (before(&e, &heap[0])) {
            heap[0] = e;
            sift_down(heap, k, 0);
        }
    }
    for (size_t left = k; left > 0; left--) { /* take the last of those left, again and again */
        index[left - 1] = heap[0].index;
        heap[0] = heap[left - 1];
        sift_down(heap, left - 1, 0);
    }
}

#define DEFINE_SELECT(bits, width_log2)                                                          \
    void topk_select_ref_##bits(const void *src, size_t n, size_t k, struct topk_order order,    \
                                void *scratch, uint64_t *index)                                  \
    {                                                                                            \
        select_first(src, n, k, order, width_log2, scratch, index);                              \
    }

DEFINE_SELECT(8, 0)
DEFINE_SELECT(16, 1)
DEFINE_SELECT(32, 2)
DEFINE_SELECT(64, 3)
