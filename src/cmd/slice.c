#include "cmd/commands.h"
#include "driver/driver.h"

#include "cmd/slice_rows.h"

static enum status describe(const struct op_args *args, const struct tensor *const in[SLOT_COUNT],
                            struct desc *d, struct diag *dg)
{
    struct slice_args own = args->slice;
    const struct slice_args *a = &own;
    const struct tensor *t = in[SLOT_IN];
    enum status st;

    if (args->reading.raw)
        own.sizes.n = 0;
    if (a->index && (a->offsets.n || a->sizes.n || a->strides.n || a->output_sizes.n))
        return diag_usage(
            dg,
            "--index cannot be used together with --offsets, --sizes, --strides or --output-sizes");
    st = a->index ? window_from_index(a->index, t->rank, t->sizes, d, dg)
                  : window_from_lists(a, t->rank, t->sizes, d, dg);
    if (st)
        return st;
    d->dimension_count = t->rank;
    d->tensor[SLOT_IN] = tensor_desc_packed(t->type, t->rank, t->sizes);
    d->tensor[SLOT_OUT] = tensor_desc_packed(t->type, t->rank, d->tensor[SLOT_OUT].sizes);
    return ST_OK;
}

static const struct op_command slice_command = { OP_SLICE1, slice_options, describe };

enum status cmd_slice(int argc, char **argv, struct diag *dg)
{
    return operator_run(&slice_command, argc, argv, dg);
}
