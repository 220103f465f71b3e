/* desc/: the rules on structs that come from no text, the options that findings belong to, tensors
 * against descriptions. */
#include "unit.h"

#include <inttypes.h>
#include <math.h>

#include "desc/bind.h"
#include "desc/check.h"

static struct tensor_desc tensor_of(enum dtype type, unsigned rank, const uint64_t *sizes)
{
    struct tensor_desc t = { .present = true, .type = type, .rank = rank };

    memcpy(t.sizes, sizes, rank * sizeof *sizes);
    return t;
}

/* SLICE1 of one axis. */
static struct desc slice_of(uint64_t in, uint64_t offset, uint64_t size, int64_t stride,
                            uint64_t out)
{
    struct desc d = { .op = OP_SLICE1, .dimension_count = 1 };

    d.tensor[SLOT_IN] = tensor_of(DT_UINT8, 1, &in);
    d.tensor[SLOT_OUT] = tensor_of(DT_UINT8, 1, &out);
    d.offsets[0] = offset;
    d.sizes[0] = size;
    d.strides[0] = stride;
    return d;
}

/* The rules that d breaks, in order: at most `most` of them to rules; how many there are. */
static size_t judge(const struct desc *d, enum rule *rules, size_t most, bool *safe)
{
    struct findings fs = { 0 };
    size_t n;

    desc_check(d, LEVEL_NEWEST, &fs);
    assert_false(fs.failed);
    n = fs.n;
    *safe = true;
    for (size_t i = 0; i < n; i++) {
        *safe = *safe && rule_table[fs.v[i].rule].of != CLASS_PLAIN;
        if (i < most)
            rules[i] = fs.v[i].rule;
    }
    findings_free(&fs);
    return n;
}

TEST(test_good_struct)
{
    struct desc d = slice_of(10, 2, 8, -3, 3);
    enum rule rule;
    bool safe;

    assert_int_equal(judge(&d, &rule, 1, &safe), 0);
}

TEST(test_large_numbers)
{
    const uint64_t large = (uint64_t)1 << 40;
    struct desc d = slice_of(large, 0, large, 1, large);
    enum rule rules[8];
    bool safe;
    size_t n;

    n = judge(&d, rules, 8, &safe);
    assert_int_equal(n, 3); /* both tensors' size, the window's */
    for (size_t i = 0; i < n; i++)
        assert_int_equal(rules[i], RULE_DESC_FIELD_RANGE);
    assert_true(safe);

    d = slice_of((uint64_t)1 << 31, 0, 1, 1, 1); /* each fits, the product does not */
    d.dimension_count = d.tensor[SLOT_IN].rank = d.tensor[SLOT_OUT].rank = 2;
    d.tensor[SLOT_IN].sizes[1] = 2;
    d.tensor[SLOT_OUT].sizes[1] = d.sizes[1] = 1;
    d.strides[1] = 1;
    assert_int_equal(judge(&d, rules, 8, &safe), 1);
    assert_int_equal(rules[0], RULE_TENSOR_ELEMENT_COUNT);
    assert_true(safe);
}

/* The window's arithmetic does not wrap around. */
TEST(test_no_overflow)
{
    const struct {
        uint64_t in, offset, size, out;
        int64_t stride;
    } bad[] = {
        { 100, 3, UINT64_MAX - 1, 1, 1 },        { 100, UINT64_MAX, 2, 1, 1 },
        { UINT64_MAX, 2, UINT64_MAX - 1, 1, 1 }, { 100, 0, 101, 1, INT64_MIN },
        { 100, 0, 100, 2, INT64_MIN },
    };
    enum rule rules[8];
    bool safe;

    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        for (int op = OP_SLICE; op <= OP_SLICE1; op++) {
            struct desc d =
                slice_of(bad[i].in, bad[i].offset, bad[i].size, bad[i].stride, bad[i].out);

            d.op = (enum op)op;
            judge(&d, rules, 8, &safe);
            assert_false(safe);
        }
}

TEST(test_options)
{
    static const struct {
        enum op op;
        const char *pointer, *option;
        int entry;
    } cases[] = {
        { OP_SLICE1, "/desc/InputWindowSizes/2", "--sizes", 2 },
        { OP_SLICE1, "/desc/OutputTensor/Sizes/1", "--output-sizes", 1 },
        { OP_SLICE1, "/InputTensor/Desc/DataType", "an input file", -1 },
        { OP_SLICE, "/Desc/Strides", "--strides", -1 },
        { OP_TOP_K1, "/desc/K", "-k", -1 },
        { OP_TOP_K1, "/desc/OutputIndexTensor/DataType", "--index-type", -1 },
        { OP_QMATMUL, "/desc/BZeroPointTensor/Sizes", "--b-zero-point", -1 },
        { OP_QMATMUL, "/desc/OutputTensor/DataType", "--output-type", -1 },
        { OP_QMATMUL, "/desc/OutputTensor/Sizes/0", "-o", 0 },
    };
    struct field_part part = op_field_part(OP_SLICE1, "/type");

    assert_null(part.field);
    assert_null(field_part_option(&part));
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        part = op_field_part(cases[i].op, cases[i].pointer);
        assert_string_equal(field_part_option(&part), cases[i].option);
        assert_int_equal(part.entry, cases[i].entry);
    }
    assert_int_equal(op_output(OP_QMATMUL, ROLE_DATA)->slot, SLOT_C);
    assert_int_equal(op_output(OP_TOP_K1, ROLE_INDEX)->slot, SLOT_INDICES);
    assert_null(op_output(OP_SLICE1, ROLE_INDEX));
}

TEST(test_bind)
{
    const uint64_t sizes[] = { 1, 2, 3 };
    unsigned char data[6] = { 0 };
    struct tensor t = { .type = DT_UINT8,
                        .rank = 2,
                        .sizes = { 2, 3 },
                        .strides = { 1, 2 },
                        .data = data },
                  view;
    struct desc d = slice_of(1, 0, 1, 1, 1);
    const struct field *f = schema_tensor(op_schema(OP_SLICE1), SLOT_IN);
    struct tensor_desc *td = &d.tensor[SLOT_IN];
    struct findings fs = { 0 };

    *td = tensor_of(DT_UINT8, 3, sizes);
    bind_check(&d, f, &t, 6, "x", &fs);
    assert_int_equal(fs.n, 0);
    bind_view(td, &t, &view);
    assert_int_equal(view.rank, 3);
    assert_int_equal(view.sizes[1], 2);
    assert_int_equal(view.strides[1], 1);
    assert_int_equal(view.strides[2], 2);

    t.sizes[1] = 2;
    t.type = DT_INT8;
    bind_check(&d, f, &t, 4, "x", &fs);
    assert_int_equal(fs.n, 2);
    assert_int_equal(fs.v[0].rule, RULE_BIND_DATA_TYPE);
    assert_string_equal(fs.v[0].pointer, "/desc/InputTensor/DataType");
    assert_int_equal(fs.v[1].rule, RULE_BIND_SIZES);

    td->has_strides = true; /* the last element is 5 */
    td->strides[1] = 3;
    td->strides[2] = 1;
    t.type = DT_UINT8;
    bind_check(&d, f, &t, 6, "x", &fs);
    assert_int_equal(fs.n, 2);
    bind_check(&d, f, &t, 5, "x", &fs);
    assert_int_equal(fs.n, 3);
    assert_int_equal(fs.v[2].rule, RULE_BIND_BUFFER_LENGTH);
    bind_view(td, &t, &view);
    assert_int_equal(view.strides[1], 3);
    findings_free(&fs);
}

static const struct field *qmatmul_field(unsigned slot)
{
    return schema_tensor(op_schema(OP_QMATMUL), slot);
}

TEST(test_bind_scales)
{
    float v[2] = { 1, 0 }, value;
    struct tensor t = {
        .type = DT_FLOAT32, .rank = 1, .sizes = { 2 }, .strides = { 1 }, .data = v
    };
    uint64_t index;

    assert_true(bind_bad_scale(qmatmul_field(SLOT_A_SCALE), &t, &index, &value));
    assert_int_equal(index, 1);
    v[1] = -1;
    assert_false(bind_bad_scale(qmatmul_field(SLOT_A_SCALE), &t, &index, &value));
    assert_false(bind_bad_scale(qmatmul_field(SLOT_C_SCALE), &t, &index, &value));
    v[0] = INFINITY;
    assert_true(bind_bad_scale(qmatmul_field(SLOT_A_SCALE), &t, &index, &value));
    assert_int_equal(index, 0);
    assert_false(bind_bad_scale(qmatmul_field(SLOT_A), &t, &index, &value));
}

/* Strides that reach beyond what a buffer can have are another rule's; whatever the sizes, none are
 * said to overlap. */
TEST(test_overlap_beyond)
{
    static const uint64_t sizes[][2] = { { 5, 3 }, { 3, 5 }, { 2, 2 } },
                          strides[][2] = { { UINT64_C(1) << 62, 1 }, { 1, UINT64_C(1) << 62 } };
    uint64_t spent = 0;

    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 2; j++)
            assert_int_equal(strides_overlap(2, sizes[i], strides[j], &spent), OVERLAP_NONE);
    assert_int_equal(spent, 0);
}

int main(void) { return RUN_TESTS(NULL, NULL); }
