#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/element.h"
#include "run/explain.h"

/* One axis of the slice, for one element. */
struct axis {
    uint64_t offset, size, start; /* start: the input index of output index 0 */
    int64_t stride;
    uint64_t from, to; /* the element's index in the output and in the input */
    char begins[72];   /* the derivation of start: "0 + 4 - 1 = 3" */
};

static void derive(struct axis *a, const struct desc *d, unsigned i, uint64_t c)
{
    bool backwards = d->op == OP_SLICE1 && d->strides[i] < 0;

    *a = (struct axis){
        .offset = d->offsets[i], .size = d->sizes[i], .stride = d->strides[i], .from = c
    };
    a->start = backwards ? a->offset + a->size - 1 : a->offset;
    a->to = a->start + (uint64_t)a->stride * c; /* modulo 2^64; lies within the input */
    if (backwards)
        snprintf(a->begins, sizeof a->begins, "%" PRIu64 " + %" PRIu64 " - 1 = %" PRIu64, a->offset,
                 a->size, a->start);
    else
        snprintf(a->begins, sizeof a->begins, "%" PRIu64, a->start);
}

static void widen(int *width, int n) { *width = n > *width ? n : *width; }

static void add_axes(struct str *out, const struct axis *axes, unsigned rank)
{
    int offset = 6, size = 4, stride = 6, begins = 5; /* widths of the headings */

    for (unsigned i = 0; i < rank; i++) {
        widen(&offset, snprintf(NULL, 0, "%" PRIu64, axes[i].offset));
        widen(&size, snprintf(NULL, 0, "%" PRIu64, axes[i].size));
        widen(&stride, snprintf(NULL, 0, "%" PRId64, axes[i].stride));
        widen(&begins, (int)strlen(axes[i].begins));
    }
    str_printf(out, "axis  %*s  %*s  %*s  %-*s  input index\n", offset, "offset", size, "size",
               stride, "stride", begins, "start");
    for (unsigned i = 0; i < rank; i++)
        str_printf(out,
                   "%4u  %*" PRIu64 "  %*" PRIu64 "  %*" PRId64 "  %-*s  %" PRIu64 " + %" PRIu64
                   " * %" PRId64 " = %" PRIu64 "\n",
                   i, offset, axes[i].offset, size, axes[i].size, stride, axes[i].stride, begins,
                   axes[i].begins, axes[i].start, axes[i].from, axes[i].stride, axes[i].to);
}

/* Adds the element of the buffer at index c, if the input has Strides. */
static void add_buffer(struct str *out, const struct tensor_desc *td, const uint64_t *c)
{
    uint64_t at = 0;

    if (!td->has_strides)
        return;
    str_puts(out, "element of the buffer, by InputTensor.Strides: ");
    for (unsigned i = 0; i < td->rank; i++) {
        at += c[i] * td->strides[i]; /* fits: the buffer holds it */
        str_printf(out, "%s%" PRIu64 " * %" PRIu64, i ? " + " : "", c[i], td->strides[i]);
    }
    str_printf(out, " = %" PRIu64 "\n", at);
}

void explain_slice(struct str *out, const struct inputs *in, const uint64_t *c)
{
    const struct tensor *t = &in->v[SLOT_IN].view;
    unsigned rank = in->desc.tensor[SLOT_OUT].rank;
    char sizes[TENSOR_SIZES_TEXT], value[NUMBER_TEXT];
    struct axis axes[DML_MAX_RANK];
    uint64_t from[DML_MAX_RANK];

    for (unsigned i = 0; i < rank; i++) {
        derive(&axes[i], &in->desc, i, c[i]);
        from[i] = axes[i].to;
    }
    if (tensor_need(t, tensor_at(t, from), dtype_size(t->type)))
        return; /* inputs_intact reports the error */
    element_text(t->type, t->swapped, tensor_at(t, from), false, value);
    explain_place(out, "Output", rank, c, rank);
    str_printf(out, " of %s: on each axis, input index = start + output index * stride.\n",
               tensor_sizes_text(sizes, rank, in->desc.tensor[SLOT_OUT].sizes));
    str_puts(out, in->desc.op == OP_SLICE1
                      ? "A positive stride starts at the window's offset, a negative one at the "
                        "window's end, offset + size - 1.\n"
                      : "The start is the offset.\n");
    add_axes(out, axes, rank);
    add_buffer(out, &in->desc.tensor[SLOT_IN], from);
    explain_place(out, "Output", rank, c, rank);
    explain_place(out, " = Input", rank, from, rank);
    str_printf(out, " = %s\n", value);
}
