#include "desc/shapes/shapes.h"

/* Checks {..., M, K} x {..., K, N} = {..., M, N}; transposed matrices are {..., K, M} and
 * {..., N, K}. */
static void check_product(struct check *c, const struct shapes *s, bool transposed_a,
                          bool transposed_b)
{
    struct shape addend = shape_of_rank(c, "CTensor", s->out.rank);
    unsigned r = s->in.rank;

    if (r < 2)
        return;
    expect_same_sizes(c, &s->by, &s->in, axes_below(r - 2));
    expect_same_size(c, &s->by, r - 2 + transposed_b, &s->in, r - 1 - transposed_a);
    expect_same_sizes(c, &s->out, &s->in, axes_below(r - 2));
    expect_same_size(c, &s->out, r - 2, &s->in, r - 2 + transposed_a);
    expect_same_size(c, &s->out, r - 1, &s->by, r - 1 - transposed_b);
    for (unsigned i = 0; i < addend.rank; i++)
        require_size(c, RULE_DESC_SAME_SIZES, addend.slot, i, s->out.slot, i);
}

void shape_gemm(struct check *c, struct shapes *s)
{
    bool a = value_is(c, "TransA", "TRANSPOSE"), b = value_is(c, "TransB", "TRANSPOSE");

    if ((a || value_is(c, "TransA", "NONE")) && (b || value_is(c, "TransB", "NONE")))
        check_product(c, s, a, b);
}

void shape_matrix_multiply(struct check *c, struct shapes *s)
{
    unsigned r = s->in.rank;
    struct shape b;

    check_product(c, s, false, false);
    b = shape_of(c, "BTensor", 0);
    if (r >= 2)
        expect_parameters(c, "A", &s->in, r - 2, s->in.sizes[r - 2], "rows of ATensor");
    if (b.rank >= 2)
        expect_parameters(c, "B", &b, b.rank - 1, b.sizes[b.rank - 1], "columns of BTensor");
}
