#include <string.h>

#include "base/util.h"
#include "op/topk_plan.h"

/* Where the results of one column go and come from. */
struct column {
    const struct topk_plan *plan;
    const char *in;
    char *values, *indices;
};

static uint64_t load_bits(const char *at, unsigned width_log2, bool swapped)
{
    uint16_t h;
    uint32_t w;
    uint64_t d;

    switch (width_log2) {
    case 0:
        return (unsigned char)*at;
    case 1:
        memcpy(&h, at, sizeof h);
        return swapped ? __builtin_bswap16(h) : h;
    case 2:
        memcpy(&w, at, sizeof w);
        return swapped ? __builtin_bswap32(w) : w;
    default:
        memcpy(&d, at, sizeof d);
        return swapped ? __builtin_bswap64(d) : d;
    }
}

static void store_bits(char *at, unsigned width_log2, uint64_t bits)
{
    uint8_t b = (uint8_t)bits;
    uint16_t h = (uint16_t)bits;
    uint32_t w = (uint32_t)bits;

    switch (width_log2) {
    case 0:
        memcpy(at, &b, sizeof b);
        break;
    case 1:
        memcpy(at, &h, sizeof h);
        break;
    case 2:
        memcpy(at, &w, sizeof w);
        break;
    default:
        memcpy(at, &bits, sizeof bits);
    }
}

/* Writes place `rank` of a column's result: the element at `index`, whose key is given. Most keys say what the
 * element is; only zeros and NaNs have to be looked up. */
static void put(const struct column *c, uint64_t rank, uint64_t key, uint64_t index)
{
    const struct topk_plan *p = c->plan;
    int64_t value_at = (int64_t)rank * p->values.axis_step, index_at = (int64_t)rank * p->indices.axis_step;
    unsigned index_width_log2 = dtype_table[p->indices.groups.type].width_log2;
    uint64_t bits;

    if (!topk_unkey(key, p->width_log2, p->order, &bits))
        bits = load_bits(c->in + (((int64_t)index * p->in.axis_step) << p->width_log2), p->width_log2,
                         p->in.groups.swapped);
    store_bits(c->values + (value_at << p->width_log2), p->width_log2, bits);
    store_bits(c->indices + (index_at << index_width_log2), index_width_log2, index);
}

/* Entries of a list, which is in order, whose keys are below key, or equal to it where `equal`. */
static uint64_t count_below(const struct topk_list *list, uint64_t key, bool equal)
{
    uint64_t lo = 0, hi = list->count;

    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        uint64_t at = topk_list_at(list, mid).key;

        if (at < key || (equal && at == key))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static uint64_t count_all_below(const struct topk_plan *p, const struct topk_list *lists, uint64_t key)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < p->parts; i++)
        sum += count_below(&lists[i * p->strip_columns], key, false);
    return sum;
}

/* Sets positions[i] to the number of entries of list i among the first `rank` of all. */
static void split_lists(const struct topk_plan *p, const struct topk_list *lists, uint64_t rank,
                        uint64_t *positions)
{
    uint64_t key = 0; /* the largest below which there are at most rank entries */
    uint64_t left = rank;

    for (unsigned bit = 8u << p->width_log2; bit-- > 0;)
        if (count_all_below(p, lists, key | UINT64_C(1) << bit) <= rank)
            key |= UINT64_C(1) << bit;
    for (uint64_t i = 0; i < p->parts; i++) {
        positions[i] = count_below(&lists[i * p->strip_columns], key, false);
        left -= positions[i];
    }
    /* Entries equal to the key: those of earlier rows come first. */
    for (uint64_t i = 0; i < p->parts && left > 0; i++) {
        uint64_t equal = count_below(&lists[i * p->strip_columns], key, true) - positions[i];

        equal = u64_min(equal, left);
        positions[i] += equal;
        left -= equal;
    }
}

/* The list whose next entry comes first; of equal ones the earliest. parts where all are at their end. */
static uint64_t first_list(const struct topk_plan *p, const struct topk_list *lists, const uint64_t *positions)
{
    uint64_t best = p->parts, best_key = 0;

    for (uint64_t i = 0; i < p->parts; i++) {
        const struct topk_list *list = &lists[i * p->strip_columns];

        if (positions[i] < list->count) {
            uint64_t key = topk_list_at(list, positions[i]).key;

            if (best == p->parts || key < best_key) {
                best = i;
                best_key = key;
            }
        }
    }
    return best;
}

void topk_merge(const struct topk_plan *p, const struct topk_strip *strip, uint64_t column,
                const struct topk_list *lists, uint64_t first, uint64_t last, uint64_t *positions)
{
    struct column c = {
        .plan = p,
        .in = strip->in + (((int64_t)column * p->in.column_step) << p->width_log2),
        .values = strip->values + (((int64_t)column * p->values.column_step) << p->width_log2),
        .indices = strip->indices + (int64_t)column * p->indices.column_step *
                                        (int64_t)dtype_size(p->indices.groups.type),
    };

    if (p->parts == 1) {
        for (uint64_t rank = first; rank < last; rank++) {
            struct topk_entry e = topk_list_at(lists, rank);

            put(&c, rank, e.key, e.index);
        }
        return;
    }
    split_lists(p, lists, first, positions);
    for (uint64_t rank = first; rank < last; rank++) {
        uint64_t i = first_list(p, lists, positions);
        struct topk_entry e = topk_list_at(&lists[i * p->strip_columns], positions[i]++);

        put(&c, rank, e.key, i * p->part_rows + e.index);
    }
}
