#include <inttypes.h>
#include <string.h>

#include "desc/schema.h"
#include "kernel/qmatmul/qmatmul.h"
#include "run/explain_steps.h"
#include "run/ratio.h"
#include "tensor/scalar.h"

enum { SHOWN_ROWS = 32, SHOWN_FIRST = 24 /* of the products, where there are more */ };

/* One output element. */
struct element {
    const struct inputs *in;
    uint64_t c[DML_MAX_RANK]; /* its index in the output */
    unsigned rank;
    uint64_t k;
    int64_t za, zb, zc;
    float sa, sb, sc;
    int64_t sum;
};

static int64_t signed_value(struct scalar s)
{
    return s.negative ? -(int64_t)s.magnitude : (int64_t)s.magnitude;
}

/* The element of an 8-bit matrix at a row and column of the element's product. */
static int64_t matrix_at(const struct element *e, unsigned slot, uint64_t row, uint64_t column)
{
    const struct tensor *t = &e->in->v[slot].view;
    uint64_t c[DML_MAX_RANK];

    memcpy(c, e->c, sizeof c);
    c[e->rank - 2] = row;
    c[e->rank - 1] = column;
    return signed_value(scalar_load(t->type, false, tensor_at(t, c)));
}

/* The scale or zero point of the element's row or column. */
static struct scalar parameter_at(const struct element *e, unsigned slot)
{
    unsigned from_right = op_tensor_field(OP_QMATMUL, slot)->from_right;
    const struct tensor *t = &e->in->v[slot].view;
    uint64_t c[DML_MAX_RANK] = { 0 };

    if (t->rank >= from_right && t->sizes[t->rank - from_right] > 1)
        c[t->rank - from_right] = e->c[e->rank - from_right];
    return scalar_load(t->type, t->swapped, tensor_at(t, c));
}

static float scale_at(const struct element *e, unsigned slot)
{
    return (float)parameter_at(e, slot).f;
}

static int64_t zero_at(const struct element *e, unsigned slot)
{
    return e->in->desc.tensor[slot].present ? signed_value(parameter_at(e, slot)) : 0;
}

static void add_products(struct str *out, struct element *e)
{
    uint64_t row = e->c[e->rank - 2], column = e->c[e->rank - 1];
    int64_t shown = 0;

    str_printf(out, "%8s %6s %8s %6s %8s %10s\n", "k", "a", "a - za", "b", "b - zb", "product");
    for (uint64_t k = 0; k < e->k; k++) {
        int64_t a = matrix_at(e, SLOT_A, row, k), b = matrix_at(e, SLOT_B, k, column);
        int64_t product = (a - e->za) * (b - e->zb);

        e->sum += product;
        if (e->k > SHOWN_ROWS && k >= SHOWN_FIRST)
            continue;
        shown = e->sum;
        str_printf(out,
                   "%8" PRIu64 " %6" PRId64 " %8" PRId64 " %6" PRId64 " %8" PRId64 " %10" PRId64
                   "\n",
                   k, a, a - e->za, b, b - e->zb, product);
    }
    if (e->k > SHOWN_ROWS)
        str_printf(out, "     ... %" PRIu64 " more, whose products add up to %" PRId64 "\n",
                   e->k - SHOWN_FIRST, e->sum - shown);
    str_printf(out, "sum of the products: %" PRId64 "\n", e->sum);
}

/* The last step, from the rounded value to the range of the output. */
static void add_result(struct str *out, const struct element *e, int32_t rounded, bool tie)
{
    enum dtype type = e->in->desc.tensor[SLOT_C].type;
    int64_t lo = dtype_min(type), hi = (int64_t)dtype_max(type), sum = rounded + e->zc;
    const char *end = sum < lo ? "smallest" : "largest", *side = sum < lo ? "below" : "above";
    int64_t result = sum < lo ? lo : hi;

    if (rounded == QMM_BEYOND || rounded == -QMM_BEYOND) {
        str_printf(out, "rounded: so far %s the range that the zero point cannot bring it back\n",
                   side);
        str_printf(out, "zero point of the output: %" PRId64 "\n", e->zc);
        str_printf(out, "result: clamped to %" PRId64 ", the %s %s\n", result, end,
                   dtype_name(type));
        return;
    }
    str_printf(out, "rounded: %" PRId32 "%s\n", rounded,
               tie ? ", the even one of two that are equally near (a tie)" : " (no tie)");
    str_printf(out, "zero point of the output: %" PRId64 "\n", e->zc);
    if (sum >= lo && sum <= hi)
        str_printf(out, "result: %" PRId32 " + %" PRId64 " = %" PRId64 ", within %" PRId64
                        " to %" PRId64 "\n",
                   rounded, e->zc, sum, lo, hi);
    else
        str_printf(out, "result: clamped to %" PRId64 ", the %s %s: %" PRId32 " + %" PRId64
                        " = %" PRId64 " is %s it\n",
                   result, end, dtype_name(type), rounded, e->zc, sum, side);
}

static void add_rounding(struct str *out, const struct element *e)
{
    struct qmm_scale s = qmm_scale_make(e->sa, e->sb, e->sc);
    char sa[FLOAT_TEXT], sb[FLOAT_TEXT], sc[FLOAT_TEXT], real[RATIO_TEXT];
    bool tie;
    int32_t rounded = qmm_round(e->sum, &s, &tie);

    str_printf(out, "real value: %" PRId64 " * %s * %s / %s = %s\n", e->sum,
               float_exact(e->sa, sa), float_exact(e->sb, sb), float_exact(e->sc, sc),
               ratio_exact(e->sum, e->sa, e->sb, e->sc, real));
    add_result(out, e, rounded, tie);
}

void explain_qmatmul(struct str *out, const struct inputs *in, const uint64_t *c)
{
    struct element e = { .in = in, .rank = in->desc.tensor[SLOT_C].rank };

    memcpy(e.c, c, e.rank * sizeof *c);
    e.k = in->desc.tensor[SLOT_A].sizes[e.rank - 1];
    e.za = zero_at(&e, SLOT_A_ZERO);
    e.zb = zero_at(&e, SLOT_B_ZERO);
    e.zc = zero_at(&e, SLOT_C_ZERO);
    e.sa = scale_at(&e, SLOT_A_SCALE);
    e.sb = scale_at(&e, SLOT_B_SCALE);
    e.sc = scale_at(&e, SLOT_C_SCALE);
    str_puts(out, "element [");
    for (unsigned i = 0; i < e.rank; i++)
        str_printf(out, "%s%" PRIu64, i ? ", " : "", e.c[i]);
    str_printf(out, "] of the output: row %" PRIu64 " of A by column %" PRIu64 " of B\n",
               e.c[e.rank - 2], e.c[e.rank - 1]);
    str_printf(out, "zero points: %" PRId64 " of A's row (za), %" PRId64 " of B's column (zb)\n",
               e.za, e.zb);
    add_products(out, &e);
    add_rounding(out, &e);
}
