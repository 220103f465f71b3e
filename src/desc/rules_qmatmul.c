#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"
#include "desc/check.h"

/* A scale or zero point: its tensor, the matrix it belongs to, which of that one's last two axes it may follow. */
struct parameter {
    unsigned slot, matrix;
    unsigned from_right; /* 1: along N, 2: along M */
    enum rule sizes, type;
    bool scale;
};

static const struct parameter parameters[] = {
    { SLOT_A_SCALE, SLOT_A, 2, RULE_QMATMUL_A_SCALE_SIZES, RULE_QMATMUL_SCALE_DATA_TYPE, true },
    { SLOT_A_ZERO, SLOT_A, 2, RULE_QMATMUL_A_ZERO_POINT_SIZES, RULE_QMATMUL_A_ZERO_POINT_DATA_TYPE, false },
    { SLOT_B_SCALE, SLOT_B, 1, RULE_QMATMUL_B_SCALE_SIZES, RULE_QMATMUL_SCALE_DATA_TYPE, true },
    { SLOT_B_ZERO, SLOT_B, 1, RULE_QMATMUL_B_ZERO_POINT_SIZES, RULE_QMATMUL_B_ZERO_POINT_DATA_TYPE, false },
    { SLOT_C_SCALE, SLOT_C, 2, RULE_QMATMUL_OUTPUT_SCALE_SIZES, RULE_QMATMUL_SCALE_DATA_TYPE, true },
    { SLOT_C_ZERO, SLOT_C, 2, RULE_QMATMUL_OUTPUT_ZERO_POINT_SIZES, RULE_QMATMUL_OUTPUT_ZERO_POINT_DATA_TYPE, false },
};

/* One value, or one per row or column of the matrix. */
static void check_parameter_sizes(struct check *c, const struct parameter *p)
{
    const struct tensor_desc *t = &c->d->tensor[p->slot], *m = &c->d->tensor[p->matrix];
    uint64_t lanes = m->sizes[m->rank - p->from_right];
    char have[TENSOR_SIZES_TEXT], ones[TENSOR_SIZES_TEXT], full[TENSOR_SIZES_TEXT];
    uint64_t sizes[DML_MAX_RANK];
    unsigned rank = t->rank < 2 ? 2 : t->rank;
    struct finding *f;
    bool good = true;

    for (uint32_t i = 0; i < t->rank; i++) {
        bool lane = t->rank - i == p->from_right;

        good = good && (t->sizes[i] == 1 || (lane && t->sizes[i] == lanes));
    }
    if (good)
        return;
    for (unsigned i = 0; i < rank; i++)
        sizes[i] = 1;
    tensor_sizes_text(ones, rank, sizes);
    sizes[rank - p->from_right] = lanes;
    tensor_sizes_text(full, rank, sizes);
    f = findings_add(c->fs, p->sizes, at_tensor(c, p->slot, "Sizes", WHOLE).s, AT_VALUE,
                     "%s.Sizes are %s; they are to be one value or one per %s of %s", slot_name(c, p->slot),
                     tensor_sizes_text(have, t->rank, t->sizes), p->from_right == 1 ? "column" : "row",
                     slot_name(c, p->matrix));
    finding_hint(c->fs, f, "use %s or %s", ones, full);
    finding_relate(c->fs, f, at_tensor(c, p->matrix, "Sizes", (int)(m->rank - p->from_right)).s,
                   "%s has %" PRIu64 " %ss", slot_name(c, p->matrix), lanes, p->from_right == 1 ? "column" : "row");
}

static void check_parameter(struct check *c, const struct parameter *p)
{
    const struct tensor_seen *matrix = &c->seen->tensor[p->matrix];
    char why[64];

    if (sizes_known(c, p->slot) && sizes_known(c, p->matrix) && c->d->tensor[p->matrix].rank >= 2)
        check_parameter_sizes(c, p);
    if (p->scale)
        require_type(c, p->type, p->slot, 1u << DT_FLOAT32, "scales are FLOAT32");
    else if (matrix->type && (c->d->tensor[p->matrix].type == DT_INT8 || c->d->tensor[p->matrix].type == DT_UINT8)) {
        snprintf(why, sizeof why, "%s is %s", slot_name(c, p->matrix), dtype_name(c->d->tensor[p->matrix].type));
        relate_type(c, require_type(c, p->type, p->slot, 1u << c->d->tensor[p->matrix].type, why), p->matrix);
    }
}

/* A, B and output against each other; ranks agree and are 2 or more where sizes are compared. */
static void check_shapes(struct check *c)
{
    const struct desc *d = c->d;
    bool b = require_rank(c, RULE_QMATMUL_DIMENSION_COUNT, SLOT_B, SLOT_A);
    bool out = require_rank(c, RULE_QMATMUL_DIMENSION_COUNT, SLOT_C, SLOT_A);
    uint32_t rank = d->tensor[SLOT_A].rank;

    if (rank_known(c, SLOT_A) && rank < 2) {
        struct finding *f = findings_add(c->fs, RULE_QMATMUL_DIMENSION_COUNT, at_tensor(c, SLOT_A, "Sizes", WHOLE).s,
                                         AT_VALUE, "ATensor has 1 dimension; a matrix has 2 or more");

        finding_hint(c->fs, f, "write the sizes as {M,K}, or {1,1,M,K}");
        return;
    }
    for (uint32_t i = 0; i + 2 < rank; i++) {
        if (b)
            require_size(c, RULE_QMATMUL_BATCH, SLOT_B, i, SLOT_A, i);
        if (out)
            require_size(c, RULE_QMATMUL_BATCH, SLOT_C, i, SLOT_A, i);
    }
    if (b)
        require_size(c, RULE_QMATMUL_INNER, SLOT_B, rank - 2, SLOT_A, rank - 1);
    if (out)
        require_size(c, RULE_QMATMUL_OUTPUT_SIZES, SLOT_C, rank - 2, SLOT_A, rank - 2);
    if (out && b)
        require_size(c, RULE_QMATMUL_OUTPUT_SIZES, SLOT_C, rank - 1, SLOT_B, rank - 1);
}

void check_qmatmul(struct check *c)
{
    static const unsigned matrices[] = { SLOT_A, SLOT_B, SLOT_C };

    for (size_t i = 0; i < ARRAY_LEN(matrices); i++)
        require_type(c, RULE_QMATMUL_DATA_TYPE, matrices[i], 1u << DT_INT8 | 1u << DT_UINT8,
                     "A, B and output are 8-bit integers");
    check_shapes(c);
    for (size_t i = 0; i < ARRAY_LEN(parameters); i++)
        if (c->d->tensor[parameters[i].slot].present)
            check_parameter(c, &parameters[i]);
}
