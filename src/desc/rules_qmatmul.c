#include "desc/check.h"

/* The rules for sizes and data type of a scale or zero point, by its slot. */
static const struct {
    enum rule sizes, type;
} parameter_rules[SLOT_COUNT] = {
#include "desc/parameter_rules_rows.h"
};

/* Checks for one value, or one per row or column of the matrix. */
static void check_parameter_sizes(struct check *c, const struct field *p)
{
    const struct tensor_desc *t = &c->tensor[p->slot], *m = &c->tensor[p->use.matrix];
    uint64_t lanes = m->sizes[m->rank - p->use.from_right];
    struct sizes_text ones, full;
    uint64_t sizes[DML_MAX_RANK];
    unsigned rank = t->rank < 2 ? 2 : t->rank;
    const char *lane_name = p->use.from_right == FROM_RIGHT_COLUMNS ? "column" : "row";
    struct finding *f;
    bool good = true;

    for (uint32_t i = 0; i < t->rank; i++) {
        bool lane = t->rank - i == p->use.from_right;

        good = good && (t->sizes[i] == 1 || (lane && t->sizes[i] == lanes));
    }
    if (good)
        return;
    for (unsigned i = 0; i < rank; i++)
        sizes[i] = 1;
    ones = tensor_sizes_text(rank, sizes);
    sizes[rank - p->use.from_right] = lanes;
    full = tensor_sizes_text(rank, sizes);
    f = violation(c, parameter_rules[p->slot].sizes, at_tensor(c, p->slot, "Sizes", WHOLE),
                  "are %s, but there must be one value, or one per %s of %s",
                  tensor_sizes_text(t->rank, t->sizes).text, lane_name,
                  slot_field(c, p->use.matrix)->name);
    finding_hint(f, "use %s or %s", ones.text, full.text);
    finding_relate(f, at_tensor(c, p->use.matrix, "Sizes", (int)(m->rank - p->use.from_right)).s,
                   "%s has %ju %ss", slot_field(c, p->use.matrix)->name, lanes, lane_name);
}

static void check_parameter(struct check *c, const struct field *p)
{
    const struct tensor_desc *matrix = &c->tensor[p->use.matrix];
    enum rule rule = parameter_rules[p->slot].type;
    struct finding *f;

    if (sizes_known(c, p->slot) && sizes_known(c, p->use.matrix) && matrix->rank >= 2)
        check_parameter_sizes(c, p);
    if (p->use.role == ROLE_SCALE)
        require_type(c, rule, p->slot, 1u << DT_FLOAT32, "scales must be FLOAT32");
    else if (c->tensor_seen[p->use.matrix].type &&
             (matrix->type == DT_INT8 || matrix->type == DT_UINT8)) {
        f = require_type(
            c, rule, p->slot, 1u << matrix->type,
            PHRASE("%s is %s", slot_field(c, p->use.matrix)->name, dtype_name(matrix->type)));
        if (f)
            finding_doubt(f);
        relate_type(c, f, p->use.matrix);
    }
}

/* Checks A, B and the output against each other; compares sizes only if the ranks agree. */
static void check_shapes(struct check *c)
{
    uint32_t rank = c->tensor[SLOT_A].rank;
    size_t n = c->fs->n;
    bool b, out;

    if (rank_known(c, SLOT_A) && rank < 2) {
        struct finding *f = violation(c, RULE_QMATMUL_DIMENSION_COUNT, at_sizes(c, SLOT_A),
                                      "has 1 dimension, but a matrix must have at least 2");

        finding_hint(f, "write the sizes as {M,K}, or {1,1,M,K}");
        return;
    }
    b = require_rank(c, RULE_QMATMUL_DIMENSION_COUNT, SLOT_B, SLOT_A);
    out = require_rank(c, RULE_QMATMUL_DIMENSION_COUNT, SLOT_C, SLOT_A);
    for (; n < c->fs->n; n++)
        finding_hint(&c->fs->v[n], "give all three tensors the same number of dimensions and the "
                                   "same batches; a stride of 0 uses one matrix for all");
    for (uint32_t i = 0; i + 2 < rank; i++) {
        uint64_t of_a = c->tensor[SLOT_A].sizes[i], of_b = b ? c->tensor[SLOT_B].sizes[i] : of_a;
        uint64_t of_c = out ? c->tensor[SLOT_C].sizes[i] : 0;

        n = c->fs->n;
        if (b)
            require_size(c, RULE_QMATMUL_BATCH, SLOT_B, i, SLOT_A, i);
        if (c->fs->n > n && (of_a == 1 || of_b == 1) && of_c != 1)
            finding_hint(&c->fs->v[n], "give A and B the larger size; a stride of 0 uses one "
                                       "matrix for all");
        if (out && of_c != of_a)
            require_size(c, RULE_QMATMUL_BATCH, SLOT_C, i, b && of_a == 1 ? SLOT_B : SLOT_A, i);
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
    const struct field *fields = c->schema->fields;

    for (const struct field *f = fields; f->name; f++)
        if (f->use.role == ROLE_DATA)
            require_type(c, RULE_QMATMUL_DATA_TYPE, f->slot, 1u << DT_INT8 | 1u << DT_UINT8,
                         "A, B and the output must be 8-bit integers");
    check_shapes(c);
    for (const struct field *f = fields; f->name; f++)
        if (field_is_parameter(f) && c->tensor[f->slot].present)
            check_parameter(c, f);
}
