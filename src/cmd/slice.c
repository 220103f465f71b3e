#include "cmd/bind.h"
#include "cmd/command.h"
#include "cmd/driver.h"
#include "cmd/many.h"
#include "cmd/window.h"

#define AT(member) offsetof(struct op_args, member)

static const struct option_row rows[] = {
    { "index", 0, OPTION_STRING, AT(index), "SPEC", "NumPy's basic slicing: '1:4, ::-2, 3, ...'" },
    { "offsets", 0, OPTION_STRING, AT(offsets), "LIST", "start of the window on each axis (default: 0)" },
    { "sizes", 0, OPTION_STRING, AT(sizes), "LIST", "size of the window on each axis (default: to the end)" },
    { "strides", 0, OPTION_STRING, AT(strides), "LIST", "step on each axis; negative: from the window's end (default: 1)" },
    { "output-sizes", 0, OPTION_STRING, AT(output_sizes), "LIST", "elements to take on each axis (default: all that the window has)" },
    { NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

static const struct option_row *const tables[] = { rows, many_options, common_options, NULL };

static const struct usage usage = {
    "slice", "[OPTIONS] [--index SPEC] INPUT\n[OPTIONS] [--offsets L] [--sizes L] [--strides L] [--output-sizes L] INPUT\n"
             "[OPTIONS] -d DESCRIPTOR INPUT\n[OPTIONS] --output-dir DIR INPUT...",
    "Copies a strided window of a tensor (DML_OPERATOR_SLICE1).", tables, NULL,
};

static const char *attribute(const struct op_args *a)
{
    return a->index ? "--index" : a->offsets ? "--offsets" : a->sizes ? "--sizes" : a->strides ? "--strides"
           : a->output_sizes ? "--output-sizes" : NULL;
}

static enum status describe(const struct op_args *a, struct binding in[SLOT_COUNT], struct desc *d, struct diag *dg)
{
    const struct tensor *t = &in[SLOT_IN].view;
    struct window w;
    enum status st;

    if (a->index && (a->offsets || a->sizes || a->strides || a->output_sizes))
        return diag_error(dg, ST_USAGE, NULL, "--index stands instead of --offsets, --sizes, --strides and --output-sizes");
    st = a->index ? window_from_index(a->index, t->rank, t->sizes, &w, dg)
                  : window_from_lists(a->offsets, a->sizes, a->strides, a->output_sizes, t->rank, t->sizes, &w, dg);
    if (st)
        return st;
    d->dimension_count = t->rank;
    for (unsigned i = 0; i < t->rank; i++) {
        d->offsets[i] = w.offsets[i];
        d->sizes[i] = w.sizes[i];
        d->strides[i] = w.strides[i];
    }
    describe_tensor(d, SLOT_IN, t->type, t->rank, t->sizes);
    describe_tensor(d, SLOT_OUT, t->type, t->rank, w.output);
    return ST_OK;
}

static const struct op_command command = { OP_SLICE1, &usage, 1, { SLOT_IN }, attribute, describe };

enum status cmd_slice(int argc, char **argv, struct diag *dg)
{
    return op_command_run(&command, argc, argv, dg);
}
