#include "base/util.h"
#include "op/topk_plan.h"

enum { AT_ONCE = 256 }; /* entries, between merging and writing */

/* Where the results of one column go and come from. */
struct topk_column {
    const struct topk_plan *plan;
    const char *in;
    char *values, *indices;
};

/* Writes n entries of a column's result, from `rank` on. Most keys say what the element is; only
 * zeros and NaNs have to be looked up. The last two arguments are the plan's. */
INLINE void write_width(const struct topk_column *c, uint64_t rank,
                        const struct topk_entry *entries, size_t n, unsigned width_log2,
                        enum dtype_kind kind)
{
    const struct topk_plan *p = c->plan;
    struct topk_order order = { kind, p->order.largest, p->order.nan_last };
    int64_t step = p->values.axis_step * (INT64_C(1) << width_log2);
    char *at = c->values + (int64_t)rank * step;

    for (size_t i = 0; i < n; i++, at += step) {
        uint64_t bits;

        if (!topk_unkey(entries[i].key, width_log2, order, &bits))
            bits = element_load_swapped(
                c->in + (((int64_t)entries[i].index * p->in.axis_step) << width_log2), width_log2,
                p->in.groups.swapped);
        element_store(at, width_log2, bits);
    }
}

static void write_values(const struct topk_column *c, uint64_t rank,
                         const struct topk_entry *entries, size_t n)
{
    switch (c->plan->width_log2 << 2 | c->plan->order.kind) {
    case 0 << 2 | KIND_SIGNED: write_width(c, rank, entries, n, 0, KIND_SIGNED); break;
    case 0 << 2 | KIND_UNSIGNED: write_width(c, rank, entries, n, 0, KIND_UNSIGNED); break;
    case 1 << 2 | KIND_SIGNED: write_width(c, rank, entries, n, 1, KIND_SIGNED); break;
    case 1 << 2 | KIND_UNSIGNED: write_width(c, rank, entries, n, 1, KIND_UNSIGNED); break;
    case 1 << 2 | KIND_FLOAT: write_width(c, rank, entries, n, 1, KIND_FLOAT); break;
    case 2 << 2 | KIND_SIGNED: write_width(c, rank, entries, n, 2, KIND_SIGNED); break;
    case 2 << 2 | KIND_UNSIGNED: write_width(c, rank, entries, n, 2, KIND_UNSIGNED); break;
    case 2 << 2 | KIND_FLOAT: write_width(c, rank, entries, n, 2, KIND_FLOAT); break;
    case 3 << 2 | KIND_SIGNED: write_width(c, rank, entries, n, 3, KIND_SIGNED); break;
    case 3 << 2 | KIND_UNSIGNED: write_width(c, rank, entries, n, 3, KIND_UNSIGNED); break;
    case 3 << 2 | KIND_FLOAT: write_width(c, rank, entries, n, 3, KIND_FLOAT); break;
    default: break;
    }
}

static void write_indices(const struct topk_column *c, uint64_t rank,
                          const struct topk_entry *entries, size_t n)
{
    const struct topk_view *v = &c->plan->indices;
    int64_t step = v->axis_step * (int64_t)dtype_size(v->groups.type);
    char *at = c->indices + (int64_t)rank * step;

    if (v->groups.type == DT_UINT32)
        for (size_t i = 0; i < n; i++, at += step)
            element_store(at, 2, entries[i].index);
    else
        for (size_t i = 0; i < n; i++, at += step)
            element_store(at, 3, entries[i].index);
}

/* Writes n entries of a column's result where that is a run: of the elements from `from` on, or
 * backwards. */
INLINE void copy_run(const struct topk_column *c, uint64_t rank, uint64_t from, size_t n,
                     bool reversed, unsigned width_log2)
{
    const struct topk_plan *p = c->plan;
    int64_t in_step = p->in.axis_step * (INT64_C(1) << width_log2);
    int64_t step = p->values.axis_step * (INT64_C(1) << width_log2);
    const char *at = c->in + (int64_t)from * in_step;
    char *to = c->values + (int64_t)rank * step;

    if (reversed)
        in_step = -in_step;
    for (size_t i = 0; i < n; i++)
        element_store(
            to + (int64_t)i * step, width_log2,
            element_load_swapped(at + (int64_t)i * in_step, width_log2, p->in.groups.swapped));
}

static struct topk_column column_of(const struct topk_plan *p, const struct topk_strip *strip,
                                    uint64_t column)
{
    return (struct topk_column){
        .plan = p,
        .in = strip->in + (((int64_t)column * p->in.column_step) << p->width_log2),
        .values = strip->values + (((int64_t)column * p->values.column_step) << p->width_log2),
        .indices = strip->indices + (int64_t)column * p->indices.column_step *
                                        (int64_t)dtype_size(p->indices.groups.type),
    };
}

void topk_write(const struct topk_plan *p, const struct topk_strip *strip, uint64_t column,
                uint64_t rank, const struct topk_entry *entries, size_t n)
{
    struct topk_column c = column_of(p, strip, column);

    write_values(&c, rank, entries, n);
    write_indices(&c, rank, entries, n);
}

void topk_write_run(const struct topk_plan *p, const struct topk_strip *strip, uint64_t column,
                    bool reversed, uint64_t rank, uint64_t n)
{
    struct topk_column c = column_of(p, strip, column);
    unsigned width_log2 = dtype_table[p->indices.groups.type].width_log2;
    int64_t step = p->indices.axis_step * (INT64_C(1) << width_log2);
    uint64_t from = reversed ? p->n - 1 - rank : rank;
    char *at = c.indices + (int64_t)rank * step;

    WITH_WIDTH(copy_run, p->width_log2, &c, rank, from, n, reversed);
    for (size_t i = 0; i < n; i++, at += step)
        element_store(at, width_log2, reversed ? from - i : from + i);
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

static uint64_t count_all_below(const struct topk_plan *p, const struct topk_list *lists,
                                uint64_t key)
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

    for (unsigned bit = 8u << p->width_log2; rank > 0 && bit-- > 0;)
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

/* The list whose next entry comes first; of equal ones the earliest. parts where all are at their
 * end. */
static uint64_t first_list(const struct topk_plan *p, const struct topk_list *lists,
                           const uint64_t *positions)
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

/* The next n entries of all lists, their indices counted from the start of the sequence. */
static void next_entries(const struct topk_plan *p, const struct topk_list *lists,
                         uint64_t *positions, struct topk_entry *entries, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t from = first_list(p, lists, positions);

        entries[i] = topk_list_at(&lists[from * p->strip_columns], positions[from]++);
        entries[i].index += from * p->part_rows;
    }
}

void topk_merge(const struct topk_plan *p, const struct topk_strip *strip, uint64_t column,
                const struct topk_list *lists, uint64_t first, uint64_t last, uint64_t *positions)
{
    if (p->parts == 1 && lists->form == TOPK_RUN) {
        topk_write_run(p, strip, column, lists->reversed, first, last - first);
        return;
    }
    if (p->parts > 1)
        split_lists(p, lists, first, positions);
    while (first < last) {
        struct topk_entry entries[AT_ONCE];
        size_t n = u64_min(last - first, AT_ONCE);

        if (p->parts > 1)
            next_entries(p, lists, positions, entries, n);
        else
            for (size_t i = 0; i < n; i++)
                entries[i] = topk_list_at(lists, first + i);
        topk_write(p, strip, column, first, entries, n);
        first += n;
    }
}
