#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "cmd/bind.h"
#include "cmd/command.h"
#include "cmd/driver.h"

static const char *const output_types[] = { "int8", "uint8", NULL };

static const struct option_row rows[] = {
    OPT_TEXT(0, "a-scale", struct op_args, qmatmul.a_scale, "V",
             "scale of A: a number, or a file with one or one per row"),
    OPT_TEXT(0, "a-zero-point", struct op_args, qmatmul.a_zero, "V", "zero point of A, likewise (default: 0)"),
    OPT_TEXT(0, "b-scale", struct op_args, qmatmul.b_scale, "V",
             "scale of B: a number, or a file with one or one per column"),
    OPT_TEXT(0, "b-zero-point", struct op_args, qmatmul.b_zero, "V", "zero point of B, likewise (default: 0)"),
    OPT_TEXT(0, "output-scale", struct op_args, qmatmul.c_scale, "V",
             "scale of the output: a number, or a file with one or one per row"),
    OPT_TEXT(0, "output-zero-point", struct op_args, qmatmul.c_zero, "V",
             "zero point of the output, likewise (default: 0)"),
    OPT_CHOICE("output-type", struct op_args, qmatmul.output_type, output_types, -1, "TYPE",
               "int8 or uint8 (default: A's)"),
    OPT_TEXT(0, "explain", struct op_args, qmatmul.explain, "INDEX",
             "print how the output element I,J comes about, and nothing else"),
    OPT_ROWS(driver_options),
    OPT_EXCLUDES("descriptor", DESCRIPTOR_EXCLUDES, "output-type"),
    OPT_END,
};

static const struct usage usage = {
    "qmatmul", "[OPTIONS] --a-scale V --b-scale V --output-scale V A B\n[OPTIONS] -d DESCRIPTOR --a-scale V --b-scale V --output-scale V A B",
    "Multiplies quantized 8-bit matrices exactly (DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY).", rows, NULL,
};

static enum status check_matrix(const struct binding *b, const char *name, struct diag *dg)
{
    const struct tensor *t = &b->view;

    if (t->type != DT_INT8 && t->type != DT_UINT8)
        return diag_error(dg, ST_INPUT, b->text, "%s is %s; qmatmul takes INT8 or UINT8%s", name, dtype_name(t->type),
                          b->file.typed ? "" : " (an untyped JSON tensor takes its type from --dtype)");
    if (t->rank < 2 || t->rank > 4)
        return diag_error(dg, ST_INPUT, b->text, "%s has %u dimensions; qmatmul takes 2 to 4", name, t->rank);
    return ST_OK;
}

static enum status check_shapes(const struct binding *a, const struct binding *b, struct diag *dg)
{
    const struct tensor *ta = &a->view, *tb = &b->view;
    char sa[TENSOR_SIZES_TEXT], sb[TENSOR_SIZES_TEXT];
    unsigned r = ta->rank;

    tensor_sizes_text(sa, ta->rank, ta->sizes);
    tensor_sizes_text(sb, tb->rank, tb->sizes);
    if (r != tb->rank)
        return diag_error(dg, ST_INPUT, NULL, "A %s and B %s have different numbers of dimensions; give both the same", sa,
                          sb);
    for (unsigned i = 0; i + 2 < r; i++)
        if (ta->sizes[i] != tb->sizes[i])
            return diag_error(dg, ST_INPUT, NULL, "A %s and B %s differ in the leading size %u; it is to be equal", sa, sb,
                              i);
    if (ta->sizes[r - 1] != tb->sizes[r - 2])
        return diag_error(dg, ST_INPUT, NULL, "A %s has %" PRIu64 " columns and B %s %" PRIu64 " rows; K is to be equal",
                          sa, ta->sizes[r - 1], sb, tb->sizes[r - 2]);
    return ST_OK;
}

static enum status describe(const struct op_args *a, struct binding in[SLOT_COUNT], struct desc *d, struct diag *dg)
{
    static const unsigned scales[] = { SLOT_A_SCALE, SLOT_B_SCALE, SLOT_C_SCALE };
    const struct tensor *ta = &in[SLOT_A].view, *tb = &in[SLOT_B].view;
    uint64_t sizes[TENSOR_MAX_RANK], m, n;
    unsigned r = ta->rank;
    int output_type = a->qmatmul.output_type;
    enum dtype out = output_type < 0 ? ta->type : output_type ? DT_UINT8 : DT_INT8;
    enum status st;

    st = check_matrix(&in[SLOT_A], "A", dg);
    if (st == ST_OK)
        st = check_matrix(&in[SLOT_B], "B", dg);
    if (st == ST_OK)
        st = check_shapes(&in[SLOT_A], &in[SLOT_B], dg);
    if (st)
        return st;
    m = ta->sizes[r - 2];
    n = tb->sizes[r - 1];
    memcpy(sizes, ta->sizes, sizeof sizes);
    sizes[r - 1] = n;
    describe_tensor(d, SLOT_A, ta->type, r, ta->sizes);
    describe_tensor(d, SLOT_B, tb->type, r, tb->sizes);
    describe_tensor(d, SLOT_C, out, r, sizes);
    for (size_t i = 0; i < ARRAY_LEN(scales); i++)
        for (unsigned slot = scales[i]; slot <= scales[i] + 1; slot++) { /* a scale, then its zero point */
            enum dtype t = slot == scales[i] ? DT_FLOAT32 : slot == SLOT_A_ZERO ? ta->type
                           : slot == SLOT_B_ZERO ? tb->type : out;
            bool columns = scales[i] == SLOT_B_SCALE;

            if (!in[slot].text)
                continue;
            st = binding_parameter(&in[slot], t, r, columns ? 1 : 2, columns ? n : m, dg);
            if (st)
                return st;
            describe_tensor(d, slot, t, r, in[slot].view.sizes);
        }
    return ST_OK;
}

static const struct op_command command = { OP_QMATMUL, &usage, 2, { SLOT_A, SLOT_B }, describe };

enum status cmd_qmatmul(int argc, char **argv, struct diag *dg)
{
    return op_command_run(&command, argc, argv, dg);
}
