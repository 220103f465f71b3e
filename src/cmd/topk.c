#include "cmd/commands.h"
#include "json/number.h"
#include "driver/driver.h"

/* Of --index-type. */
static const enum dtype index_dtypes[] = { DT_UINT32, DT_UINT64, DT_INT64 };

#include "cmd/topk_rows.h"

/* Reads -k; "all" is n, the size of the axis. */
static enum status read_k(const char *text, uint64_t n, uint64_t *k, struct diag *dg)
{
    enum number_result result = NUMBER_OK;

    *k = n;
    if (strcmp(text, "all") != 0)
        result = number_uint_literal(text, strlen(text), k);
    if (result == NUMBER_RANGE && *text != '-')
        return diag_input(dg, NULL, "-k: %s is too large for any axis; use 1 to %ju", text, n);
    return result == NUMBER_OK
               ? ST_OK
               : diag_usage(dg, "-k: '%s' is neither a whole number of at least 1 nor 'all'", text);
}

static enum status describe(const struct op_args *args, const struct tensor *const in[SLOT_COUNT],
                            struct desc *d, struct diag *dg)
{
    const struct topk_args *a = &args->topk;
    const struct tensor *t = in[SLOT_IN];
    uint64_t sizes[DML_MAX_RANK] = { 0 };
    long axis = a->axis, rank = (long)t->rank;
    enum status st;

    if (a->nan && (args->files.emit || args->files.emit_model))
        return diag_usage(
            dg, "--nan last and %s cannot be used together: in DirectML NaN is the greatest value",
            args->files.emit ? "--emit-descriptor" : "--emit-model");
    if (!a->k)
        return usage_error(dg, "-k is missing: give -k K, or -k all to sort");
    if (axis < -rank || axis >= rank)
        return diag_input(dg, NULL,
                          "--axis: there is no axis %ld in an input of %ld axes; use %ld to %ld",
                          axis, rank, -rank, rank - 1);
    d->axis = (uint64_t)(axis < 0 ? axis + rank : axis);
    st = read_k(a->k, t->sizes[d->axis], &d->k, dg);
    if (st)
        return st;
    d->direction = a->smallest ? AXIS_INCREASING : AXIS_DECREASING;
    d->nan_last = a->nan;
    memcpy(sizes, t->sizes, t->rank * sizeof *sizes);
    sizes[d->axis] = d->k;
    d->tensor[SLOT_IN] = tensor_desc_packed(t->type, t->rank, t->sizes);
    d->tensor[SLOT_VALUES] = tensor_desc_packed(t->type, t->rank, sizes);
    d->tensor[SLOT_INDICES] = tensor_desc_packed(index_dtypes[a->index_type], t->rank, sizes);
    return ST_OK;
}

static const struct op_command topk_command = { OP_TOP_K1, topk_options, describe };

enum status cmd_topk(int argc, char **argv, struct diag *dg)
{
    return operator_run(&topk_command, argc, argv, dg);
}
