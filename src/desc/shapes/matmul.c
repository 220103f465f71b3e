#include "desc/shapes/shapes.h"

/* Checks {..., M, K} x {..., K, N} = {..., M, N}; transposed matrices are {..., K, M} and
 * {..., N, K}. */
static void check_product(struct check *c, const struct shapes *s, bool transposed_a,
                          bool transposed_b)
{
    const struct shape *a = &s->in, *out = &s->out;
    struct shape b, addend;
    unsigned r = a->rank;
    bool with_c;

    if (r < 2)
        return;
    if (!shape_of_rank(c, "BTensor", r, &b))
        b.rank = 0;
    expect_same_sizes(c, &b, a, 0, r - 2);
    expect_same_size(c, &b, r - 2 + transposed_b, a, r - 1 - transposed_a);
    expect_same_sizes(c, out, a, 0, r - 2);
    expect_same_size(c, out, r - 2, a, r - 2 + transposed_a);
    expect_same_size(c, out, r - 1, &b, r - 1 - transposed_b);
    with_c = shape_of_rank(c, "CTensor", out->rank, &addend);
    for (unsigned i = 0; with_c && i < r; i++)
        require_size(c, RULE_DESC_SAME_SIZES, addend.slot, i, out->slot, i);
}

void shape_gemm(struct check *c, struct shapes *s)
{
    bool a = shape_is(c, "TransA", "TRANSPOSE"), b = shape_is(c, "TransB", "TRANSPOSE");

    if ((a || shape_is(c, "TransA", "NONE")) && (b || shape_is(c, "TransB", "NONE")))
        check_product(c, s, a, b);
}

void shape_matrix_multiply(struct check *c, struct shapes *s)
{
    unsigned r = s->in.rank;
    struct shape b;

    check_product(c, s, false, false);
    if (r >= 2)
        expect_parameters(c, "A", &s->in, r - 2, s->in.sizes[r - 2], "rows of ATensor");
    if (shape_of(c, "BTensor", &b) && b.rank >= 2)
        expect_parameters(c, "B", &b, b.rank - 1, b.sizes[b.rank - 1], "columns of BTensor");
}
