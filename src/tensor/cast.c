#include "tensor/cast.h"

#include <math.h>

#include "base/parallel.h"
#include "tensor/element.h"

enum { PIECE = 1 << 15 /* elements, some 0.3 ms */ };

struct casting {
    const struct tensor *t;
    enum dtype type;
    const struct cast_rules *rules;
    char *to;
    struct cast_counts counts; /* shared by all threads, as is first */
    uint64_t first;            /* the least element found to be refused; UINT64_MAX: none */
};

bool cast_allows(const struct cast_rules *rules, enum scalar_fit fit, struct cast_counts *counts)
{
    counts->rounded += fit == SCALAR_ROUNDED;
    counts->clamped += fit == SCALAR_CLAMPED;
    return fit == SCALAR_FITS ||
           (rules && (rules->clamp || (fit == SCALAR_ROUNDED && rules->round)));
}

/* Stores a value, the element at c; with a scale NaN, as 0, does not fit an integer type. */
static enum scalar_fit store(const struct casting *k, const struct scalar *s, const uint64_t *c,
                             void *to)
{
    const struct cast_rules *by = k->rules;
    struct scalar zero, v = { .is_float = true };
    int64_t whole;
    float scale, x = s->is_float ? (float)s->f : (float)s->magnitude;

    if (!by->scale)
        return scalar_store(s, k->type, to);
    scale = element_load_float(tensor_at(by->scale, c), false);
    zero = scalar_load(by->zero->type, false, tensor_at(by->zero, c));
    v.f = (double)((s->negative ? -x : x) / scale);
    scalar_store(&v, DT_INT64, &whole); /* rounds */
    v.f = (double)whole + scalar_double(&zero);
    if (k->type == DT_FLOAT32)
        v.f = (double)((float)(scalar_double(s) - scalar_double(&zero)) * scale);
    scalar_store(&v, k->type, to); /* saturates */
    return isnan(x) ? SCALAR_CLAMPED : SCALAR_FITS;
}

/* Converts n elements of a row, `step` bytes apart, up to the first that is refused. Returns the
 * number of elements converted. *column, in c, goes on. */
static uint64_t cast_row(const struct casting *k, const uint64_t *c, uint64_t *column, uint64_t n,
                         int64_t step, char *to, struct cast_counts *counts)
{
    const char *from = tensor_at(k->t, c);

    for (uint64_t i = 0; i < n; i++, ++*column, from += step, to += dtype_size(k->type)) {
        struct scalar s = scalar_load(k->t->type, k->t->swapped, from);

        if (!cast_allows(k->rules, store(k, &s, c, to), counts))
            return i;
    }
    return n;
}

static void cast_piece(void *context, uint64_t at, uint64_t left, int thread)
{
    struct casting *k = context;
    const struct tensor *t = k->t;
    uint64_t end = at + left, first = __atomic_load_n(&k->first, __ATOMIC_RELAXED);
    uint64_t c[TENSOR_MAX_RANK] = { 0 }, *column = &c[t->rank ? t->rank - 1 : 0];
    uint64_t length = t->rank ? t->sizes[t->rank - 1] : 1;
    int64_t step = t->rank ? t->strides[t->rank - 1] * (int64_t)dtype_size(t->type) : 0;
    struct cast_counts counts = { 0 };

    (void)thread;
    if (first < at)
        return; /* an earlier element is refused */
    tensor_coordinate(t->rank, t->sizes, at, c);
    while (at < end) {
        uint64_t n = u64_min(end - at, length - *column);
        uint64_t fit = cast_row(k, c, column, n, step, k->to + at * dtype_size(k->type), &counts);

        at += fit;
        if (fit < n) {
            while (at < first && !__atomic_compare_exchange_n(&k->first, &first, at, false,
                                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                ;
            return;
        }
        --*column;
        tensor_next(t->rank, t->sizes, c);
    }
    __atomic_fetch_add(&k->counts.rounded, counts.rounded, __ATOMIC_RELAXED);
    __atomic_fetch_add(&k->counts.clamped, counts.clamped, __ATOMIC_RELAXED);
}

struct cast_result tensor_cast(const struct tensor *t, uint64_t count, enum dtype type,
                               const struct cast_rules *rules, int threads, void *to)
{
    struct casting k = { .t = t, .type = type, .rules = rules, .to = to, .first = UINT64_MAX };
    size_t bytes = dtype_size(t->type) + dtype_size(type);

    tensor_run_pieces(&(struct tensor_pieces){ count, PIECE, cast_piece, &k },
                      parallel_threads_for(threads, count * bytes));
    return (struct cast_result){ k.first != UINT64_MAX, k.first, k.counts };
}
