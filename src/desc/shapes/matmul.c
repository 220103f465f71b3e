#include "desc/shapes/parts.h"

/* Checks {..., M, K} x {..., K, N} = {..., M, N}; transposed matrices are {..., K, M} and
 * {..., N, K}. */
static void check_product(struct check *c, bool transposed_a, bool transposed_b)
{
    bool with_b, with_out;
    struct shape a, b, out, addend;
    unsigned r;

    if (!shape_of(c, "ATensor", &a) || a.rank < 2)
        return;
    r = a.rank;
    with_b = shape_of_rank(c, "BTensor", r, &b);
    with_out = shape_of_rank(c, "OutputTensor", r, &out);
    if (with_b) {
        expect_same_sizes(c, &b, &a, 0, r - 2);
        expect_same_size(c, &b, r - 2 + transposed_b, &a, r - 1 - transposed_a);
    }
    if (with_out) {
        expect_same_sizes(c, &out, &a, 0, r - 2);
        expect_same_size(c, &out, r - 2, &a, r - 2 + transposed_a);
    }
    if (with_b && with_out)
        expect_same_size(c, &out, r - 1, &b, r - 1 - transposed_b);
    with_out = with_out && shape_of_rank(c, "CTensor", r, &addend);
    for (unsigned i = 0; with_out && i < r; i++)
        require_size(c, RULE_DESC_SAME_SIZES, addend.slot, i, out.slot, i);
}

void shape_gemm(struct check *c)
{
    bool a = shape_is(c, "TransA", "TRANSPOSE"), b = shape_is(c, "TransB", "TRANSPOSE");

    if ((a || shape_is(c, "TransA", "NONE")) && (b || shape_is(c, "TransB", "NONE")))
        check_product(c, a, b);
}

void shape_matrix_multiply(struct check *c)
{
    struct shape s;

    check_product(c, false, false);
    if (shape_of(c, "ATensor", &s) && s.rank >= 2)
        expect_parameters(c, "A", &s, s.rank - 2, s.sizes[s.rank - 2], "rows of ATensor");
    if (shape_of(c, "BTensor", &s) && s.rank >= 2)
        expect_parameters(c, "B", &s, s.rank - 1, s.sizes[s.rank - 1], "columns of BTensor");
}
