#include "cmd/explain_element.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "desc/schema.h"
#include "io/element.h"
#include "kernel/qmatmul.h"
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

static enum status read_index(struct element *e, const char *text, struct diag *dg)
{
    const struct tensor_desc *out = &e->in->desc.tensor[SLOT_C];
    uint64_t v[DML_MAX_RANK];
    const char *p = text;
    unsigned n = 0;
    char sizes[TENSOR_SIZES_TEXT];

    e->rank = out->rank;
    while (*p && n < DML_MAX_RANK) {
        size_t len = strcspn(p, ",");

        if (number_uint_literal(p, len, &v[n]) != NUMBER_OK)
            break;
        n++;
        p += len + (p[len] == ',');
    }
    if (*p || (n != 2 && n != e->rank))
        return diag_error(dg, ST_USAGE, NULL, "--explain: '%s' is not an index; give I,J%s", text,
                          e->rank == 4 ? " or B,C,I,J" : e->rank == 3 ? " or C,I,J" : "");
    for (unsigned i = 0; i < n; i++) {
        e->c[e->rank - n + i] = v[i];
        if (v[i] >= out->sizes[e->rank - n + i])
            return diag_error(dg, ST_USAGE, NULL,
                              "--explain: '%s' is outside the output, which is %s", text,
                              tensor_sizes_text(sizes, out->rank, out->sizes));
    }
    return ST_OK;
}

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

static const char *float_text(float f, char text[NUMBER_TEXT])
{
    element_text(DT_FLOAT32, &f, false, text);
    return text;
}

static void print_products(struct element *e)
{
    uint64_t row = e->c[e->rank - 2], column = e->c[e->rank - 1];

    printf("%8s %6s %8s %6s %8s %10s\n", "k", "a", "a - za", "b", "b - zb", "product");
    for (uint64_t k = 0; k < e->k; k++) {
        int64_t a = matrix_at(e, SLOT_A, row, k), b = matrix_at(e, SLOT_B, k, column);
        int64_t product = (a - e->za) * (b - e->zb);

        e->sum += product;
        if (e->k <= SHOWN_ROWS || k < SHOWN_FIRST)
            printf("%8" PRIu64 " %6" PRId64 " %8" PRId64 " %6" PRId64 " %8" PRId64 " %10" PRId64
                   "\n",
                   k, a, a - e->za, b, b - e->zb, product);
        else if (k == SHOWN_FIRST)
            printf("     ... %" PRIu64 " more\n", e->k - SHOWN_FIRST);
    }
    printf("sum of the products: %" PRId64 "\n", e->sum);
}

static void print_rounding(const struct element *e)
{
    enum dtype type = e->in->desc.tensor[SLOT_C].type;
    int32_t lo = type == DT_INT8 ? -128 : 0, hi = type == DT_INT8 ? 127 : 255;
    struct qmm_scale s = qmm_scale_make(e->sa, e->sb, e->sc);
    char sa[NUMBER_TEXT], sb[NUMBER_TEXT], sc[NUMBER_TEXT];
    bool tie;
    int32_t rounded = qmm_round(e->sum, &s, &tie);
    int32_t result = qmm_requantize(e->sum, &s, (int32_t)e->zc, lo, hi);

    printf("real value: %" PRId64 " * %s * %s / %s = %.17g\n", e->sum, float_text(e->sa, sa),
           float_text(e->sb, sb), float_text(e->sc, sc), (double)e->sum * s.approx);
    if (rounded == QMM_BEYOND || rounded == -QMM_BEYOND)
        printf("rounded: out of range, whatever the zero point is\n");
    else
        printf("rounded: %" PRId32 "%s\n", rounded,
               tie ? ", the even one of two that are equally near (a tie)" : " (no tie)");
    printf("zero point of the output: %" PRId64 "\n", e->zc);
    if (rounded + e->zc == result)
        printf("result: %" PRId32 " + %" PRId64 " = %" PRId32 ", within %" PRId32 " to %" PRId32
               "\n",
               rounded, e->zc, result, lo, hi);
    else
        printf("result: clamped to %" PRId32 ", the %s %s\n", result,
               result == hi ? "largest" : "smallest", dtype_name(type));
}

enum status explain_element(const struct inputs *in, const char *index, struct diag *dg)
{
    struct element e = { .in = in };
    enum status st = read_index(&e, index, dg);

    if (st)
        return st;
    e.k = in->desc.tensor[SLOT_A].sizes[e.rank - 1];
    e.za = zero_at(&e, SLOT_A_ZERO);
    e.zb = zero_at(&e, SLOT_B_ZERO);
    e.zc = zero_at(&e, SLOT_C_ZERO);
    e.sa = scale_at(&e, SLOT_A_SCALE);
    e.sb = scale_at(&e, SLOT_B_SCALE);
    e.sc = scale_at(&e, SLOT_C_SCALE);
    printf("element [");
    for (unsigned i = 0; i < e.rank; i++)
        printf("%s%" PRIu64, i ? ", " : "", e.c[i]);
    printf("] of the output: row %" PRIu64 " of A by column %" PRIu64 " of B\n", e.c[e.rank - 2],
           e.c[e.rank - 1]);
    printf("zero points: %" PRId64 " of A's row (za), %" PRId64 " of B's column (zb)\n", e.za,
           e.zb);
    print_products(&e);
    print_rounding(&e);
    return ST_OK;
}
