#include "cmd/commands.h"
#include "driver/driver.h"

#include "cmd/qmatmul_rows.h"

/* Describes a scale or zero point: one value, or one for each row or column of its matrix, which
 * has `rank` dimensions. A vector may have one dimension; leading sizes of 1 are dropped. */
static enum status describe_parameter(struct tensor_desc *td, const struct field *f,
                                      enum dtype type, unsigned rank, const struct tensor *t,
                                      struct diag *dg)
{
    unsigned skip = 0, wide;
    uint64_t sizes[DML_MAX_RANK];

    while (t->rank - skip > rank && t->sizes[skip] == 1)
        skip++;
    wide = t->rank - skip > rank ? t->rank - skip : rank;
    if (wide > DML_MAX_RANK)
        return diag_input(dg, NULL, "%s: the array has %u dimensions; operators support 1 to %d",
                          f->use.option, t->rank, DML_MAX_RANK);
    for (unsigned i = 0; i < wide; i++)
        sizes[i] = 1;
    for (unsigned i = skip; i < t->rank; i++)
        sizes[t->rank == 1 ? wide - f->use.from_right : wide - t->rank + i] = t->sizes[i];
    *td = tensor_desc_packed(type, wide, sizes);
    return ST_OK;
}

/* Describes a matrix of `rank` dimensions, or its transpose, with the strides of the file's
 * elements. A vector is a row. Along leading axes of size 1 it is repeated for each matrix of
 * `other`. */
static struct tensor_desc describe_matrix(const struct tensor *t, unsigned rank, bool transpose,
                                          const struct tensor *other)
{
    struct tensor_desc td = tensor_desc_packed(t->type, t->rank, t->sizes);
    uint64_t stride = 1;

    td.rank = rank;
    td.has_strides = transpose;
    for (unsigned i = 1; i <= rank; i++) { /* from the right */
        unsigned at = rank - (transpose && i <= 2 ? 3 - i : i);
        uint64_t size = i <= t->rank ? t->sizes[t->rank - i] : 1;
        bool single = i > 2 && i <= other->rank && size == 1;
        uint64_t repeat = single ? other->sizes[other->rank - i] : 1;

        td.sizes[at] = size * repeat;
        td.strides[at] = repeat > 1 ? 0 : stride;
        td.has_strides = td.has_strides || repeat > 1;
        stride *= size;
    }
    return td;
}

static enum status describe(const struct op_args *args, const struct tensor *const in[SLOT_COUNT],
                            struct desc *d, struct diag *dg)
{
    static const enum dtype types[] = { DT_INT8, DT_UINT8, DT_INT32 };
    const struct tensor *a = in[SLOT_A], *b = in[SLOT_B];
    const struct qmatmul_args *q = &args->qmatmul;
    int type = q->output_dtype < 0 ? q->output_type : q->output_dtype;
    enum dtype out = type < 0 ? a->type : types[type];
    unsigned rank = (unsigned)u64_max(2, u64_max(a->rank, b->rank));
    enum status st = ST_OK;

    if (type == OUTPUT_INT32 && (args->files.emit || args->files.emit_model))
        return diag_usage(dg,
                          "--output-%s int32 and %s cannot be used together: this operator of "
                          "DirectML has no INT32 output (DML_OPERATOR_MATRIX_MULTIPLY_INTEGER has)",
                          q->output_dtype < 0 ? "type" : "dtype",
                          args->files.emit ? "--emit-descriptor" : "--emit-model");
    d->vector_a = a->rank == 1;
    d->vector_b = b->rank == 1;
    d->tensor[SLOT_A] = describe_matrix(a, rank, false, b);
    d->tensor[SLOT_B] = describe_matrix(b, rank, d->vector_b || q->transpose_b, a);
    d->tensor[SLOT_C] = tensor_desc_packed(out, rank, d->tensor[SLOT_A].sizes);
    d->tensor[SLOT_C].sizes[rank - 1] = d->tensor[SLOT_B].sizes[rank - 1];
    for (const struct field *f = op_schema(d->op)->fields; f->name && st == ST_OK; f++)
        if (field_is_parameter(f) && in[f->slot])
            st = describe_parameter(&d->tensor[f->slot], f,
                                    f->use.role == ROLE_SCALE ? DT_FLOAT32
                                                              : d->tensor[f->use.matrix].type,
                                    d->tensor[f->use.matrix].rank, in[f->slot], dg);
    return st;
}

static const struct op_command qmatmul_command = { OP_QMATMUL, qmatmul_options, describe };

enum status cmd_qmatmul(int argc, char **argv, struct diag *dg)
{
    return operator_run(&qmatmul_command, argc, argv, dg);
}
