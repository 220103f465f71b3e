#include "driver/driver.h"
#include "io/element.h"
#include "kernel/topk/topk.h"

/* Ranks that are shown before and after the element's own. */
enum { BEFORE = 8, AFTER = 3, SHOWN = BEFORE + 1 + AFTER };

/* The elements among which an output element was selected. */
struct sequence {
    const struct tensor *t;
    const char *first; /* element 0 */
    int64_t step;      /* bytes from one to the next */
    uint64_t n, k;
    unsigned width; /* log2 of an element's bytes */
    struct topk_order order;
};

/* An element of a sequence, which is ordered by key, then by index. */
struct ranked {
    uint64_t key, index;
};

static const void *at(const struct sequence *s, uint64_t index)
{
    return s->first + (int64_t)index * s->step;
}

static uint64_t key_at(const struct sequence *s, uint64_t index)
{
    return topk_key(element_load_swapped(at(s, index), s->width, s->t->swapped), s->width,
                    s->order);
}

static struct scalar value_at(const struct sequence *s, uint64_t index)
{
    return scalar_load(s->t->type, s->t->swapped, at(s, index));
}

static bool is_nan(struct scalar v) { return v.is_float && isnan(v.f); }

static const char *value_text(const struct sequence *s, uint64_t index, char text[NUMBER_TEXT])
{
    element_text(s->t->type, s->t->swapped, at(s, index), false, text);
    return text;
}

/* The element of a rank below n. Radix selection finds its key byte by byte, most significant byte
 * first, and reads the sequence once per byte; a last pass finds its index among equal keys. */
static struct ranked select_rank(const struct sequence *s, uint64_t rank)
{
    struct ranked r = { 0, 0 };

    for (int shift = (8 << s->width) - 8; shift >= 0; shift -= 8) {
        uint64_t counts[256] = { 0 }, byte = 0;

        for (uint64_t i = 0; i < s->n; i++) {
            uint64_t key = key_at(s, i) >> shift;

            if (key >> 8 == r.key)
                counts[key & 255]++;
        }
        for (; rank >= counts[byte]; byte++)
            rank -= counts[byte];
        r.key = r.key << 8 | byte;
    }
    for (; key_at(s, r.index) != r.key || rank > 0; r.index++)
        rank -= key_at(s, r.index) == r.key;
    return r;
}

/* Compares another element with the explained one, r. */
static void add_relation(struct str *out, const struct sequence *s, const struct ranked *other,
                         const struct ranked *r)
{
    struct scalar a = value_at(s, r->index), b = value_at(s, other->index);
    bool nan = is_nan(a), other_nan = is_nan(b);

    if (other->key != r->key && (nan || other_nan) && s->order.nan_last) {
        str_puts(out, nan ? "a number: NaN comes last" : "NaN comes last");
        return;
    }
    if (other->key != r->key) {
        str_puts(out, (other->key < r->key) == s->order.largest ? "larger" : "smaller");
        str_puts(out, nan || other_nan ? ": NaN counts as above every number" : "");
        return;
    }
    str_puts(out, "equal");
    if (nan)
        str_puts(out, ", as all NaNs are");
    else if (a.is_float && a.f == 0 && signbit(a.f) != signbit(b.f))
        str_puts(out, ", as -0 and 0 are");
    str_puts(out, other->index < r->index ? "; its index is lower" : "; its index is higher");
}

static void add_rows(struct str *out, const struct sequence *s, uint64_t rank,
                     const struct ranked *r)
{
    uint64_t low = rank > BEFORE ? rank - BEFORE : 0, high = u64_min(rank + AFTER, s->n - 1);
    int ranks = snprintf(NULL, 0, "%ju", high), indices = snprintf(NULL, 0, "%ju", s->n);
    struct ranked rows[SHOWN];
    char text[NUMBER_TEXT];
    int values = 5;

    for (uint64_t i = low; i <= high; i++) {
        int n;

        rows[i - low] = select_rank(s, i);
        n = (int)strlen(value_text(s, rows[i - low].index, text));
        values = n > values ? n : values;
    }
    ranks = ranks > 4 ? ranks : 4;
    indices = indices > 5 ? indices : 5;
    str_printf(out, "%*s  %*s  %*s\n", ranks, "rank", indices, "index", values, "value");
    if (low > 0)
        str_printf(out, "%*s  %ju before these\n", ranks, "...", low);
    for (uint64_t i = low; i <= high; i++) {
        if (i == s->k)
            str_printf(out, "not in the output, as K is %ju:\n", s->k);
        str_printf(out, "%*ju  %*ju  %*s  ", ranks, i, indices, rows[i - low].index, values,
                   value_text(s, rows[i - low].index, text));
        if (i == rank)
            str_puts(out, "<- this element");
        else
            add_relation(out, s, &rows[i - low], r);
        str_puts(out, "\n");
    }
    if (high + 1 < s->n)
        str_printf(out, "%*s  %ju after these\n", ranks, "...", s->n - high - 1);
}

static void add_counts(struct str *out, const struct sequence *s, const struct ranked *r)
{
    uint64_t first = 0, nans = 0, others = 0, before = 0; /* before: of the others, equal ones */
    bool numbers = s->order.nan_last && is_nan(value_at(s, r->index));
    const char *what = numbers ? "numbers" : s->order.largest ? "larger" : "smaller";

    for (uint64_t i = 0; i < s->n; i++) {
        uint64_t key = key_at(s, i);

        first += key < r->key;
        nans += key < r->key && is_nan(value_at(s, i));
        before += key == r->key && i < r->index;
        others += key == r->key && i != r->index;
    }
    str_printf(out, "before it: %ju %s", first, what);
    if (nans)
        str_printf(out, " (%ju NaN)", nans);
    str_printf(out, " + %ju equal with a lower index = %ju, its rank\n", before, first + before);
    if (others)
        str_printf(out,
                   "ties: %ju other%s equal to it; equal elements keep their order, the lower "
                   "index first\n",
                   others, others == 1 ? " is" : "s are");
}

void explain_topk(struct str *out, const struct inputs *in, const uint64_t *c)
{
    const struct tensor_desc *values = &in->desc.tensor[SLOT_VALUES];
    const struct tensor *t = &in->v[SLOT_IN].view;
    unsigned axis = (unsigned)in->desc.axis, rank = values->rank;
    struct sequence s = {
        .t = t,
        .step = t->strides[axis] * (int64_t)dtype_size(t->type),
        .n = t->sizes[axis],
        .k = in->desc.k,
        .width = dtype_table[t->type].width_log2,
        .order = { dtype_table[t->type].kind, in->desc.direction == AXIS_DECREASING,
                   in->desc.nan_last },
    };
    struct ranked r;
    const struct sizes_text place = tensor_index_text(rank, c, rank);
    char text[NUMBER_TEXT];
    uint64_t from[DML_MAX_RANK];

    memcpy(from, c, rank * sizeof *c);
    from[axis] = 0;
    s.first = tensor_at(t, from);
    r = select_rank(&s, c[axis]);
    from[axis] = r.index;
    str_printf(
        out,
        "OutputValue%s of %s: rank %ju (the first is 0) of the %ju element%s Input%s, %s first%s\n",
        place.text, tensor_sizes_text(rank, values->sizes).text, c[axis], s.n, s.n == 1 ? "" : "s",
        tensor_index_text(rank, from, axis).text, s.order.largest ? "largest" : "smallest",
        s.order.nan_last ? ", NaN last" : "");
    add_rows(out, &s, c[axis], &r);
    add_counts(out, &s, &r);
    str_printf(out, "OutputValue%s = Input%s = %s\nOutputIndex%s = %ju\n", place.text,
               tensor_index_text(rank, from, rank).text, value_text(&s, r.index, text), place.text,
               r.index);
}
