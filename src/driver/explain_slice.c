#include "driver/driver.h"
#include "io/element.h"

enum { START_TEXT = 72 /* bytes */ };

/* The input index of output index 0 on an axis, and its derivation: "0 + 4 - 1 = 3". */
static uint64_t derive_start(const struct desc *d, unsigned i, char text[START_TEXT])
{
    bool backwards = d->op == OP_SLICE1 && d->strides[i] < 0;
    uint64_t start = backwards ? d->offsets[i] + d->sizes[i] - 1 : d->offsets[i];

    if (backwards)
        snprintf(text, START_TEXT, "%ju + %ju - 1 = %ju", d->offsets[i], d->sizes[i], start);
    else
        snprintf(text, START_TEXT, "%ju", start);
    return start;
}

static void widen(int *width, int n) { *width = n > *width ? n : *width; }

/* Adds a line for each axis: output index c[i] is input index from[i]. */
static void add_axes(struct str *out, const struct desc *d, unsigned rank, const uint64_t *c,
                     const uint64_t *from)
{
    int offset = 6, size = 4, stride = 6, begins = 5; /* widths of the headings */
    char text[START_TEXT];

    for (unsigned i = 0; i < rank; i++) {
        widen(&offset, snprintf(NULL, 0, "%ju", d->offsets[i]));
        widen(&size, snprintf(NULL, 0, "%ju", d->sizes[i]));
        widen(&stride, snprintf(NULL, 0, "%jd", d->strides[i]));
        derive_start(d, i, text);
        widen(&begins, (int)strlen(text));
    }
    str_printf(out, "axis  %*s  %*s  %*s  %-*s  input index\n", offset, "offset", size, "size",
               stride, "stride", begins, "start");
    for (unsigned i = 0; i < rank; i++) {
        uint64_t start = derive_start(d, i, text);

        str_printf(out, "%4u  %*ju  %*ju  %*jd  %-*s  %ju + %ju * %jd = %ju\n", i, offset,
                   d->offsets[i], size, d->sizes[i], stride, d->strides[i], begins, text, start,
                   c[i], d->strides[i], from[i]);
    }
}

/* Adds the element of the buffer at index c. */
static void add_buffer(struct str *out, const struct tensor_desc *td, const uint64_t *c)
{
    uint64_t at = 0;

    str_puts(out, "element of the buffer, by InputTensor.Strides: ");
    for (unsigned i = 0; i < td->rank; i++) {
        at += c[i] * td->strides[i]; /* fits: the buffer holds it */
        str_printf(out, "%s%ju * %ju", i ? " + " : "", c[i], td->strides[i]);
    }
    str_printf(out, " = %ju\n", at);
}

void explain_slice(struct str *out, const struct inputs *in, const uint64_t *c)
{
    const struct tensor *t = &in->v[SLOT_IN].view;
    unsigned rank = in->desc.tensor[SLOT_OUT].rank;
    char value[NUMBER_TEXT], start[START_TEXT];
    uint64_t from[DML_MAX_RANK] = { 0 };

    for (unsigned i = 0; i < rank; i++) /* modulo 2^64; lies within the input */
        from[i] = derive_start(&in->desc, i, start) + (uint64_t)in->desc.strides[i] * c[i];
    element_text(t->type, t->swapped, tensor_at(t, from), false, value);
    str_printf(out,
               "Output%s of %s: on each axis, input index = start + output index * stride.\n%s\n",
               tensor_index_text(rank, c, rank).text,
               tensor_sizes_text(rank, in->desc.tensor[SLOT_OUT].sizes).text,
               in->desc.op == OP_SLICE1
                   ? "A positive stride starts at the window's offset, a negative one at the "
                     "window's end, offset + size - 1."
                   : "The start is the offset.");
    add_axes(out, &in->desc, rank, c, from);
    if (in->desc.tensor[SLOT_IN].has_strides)
        add_buffer(out, &in->desc.tensor[SLOT_IN], from);
    str_printf(out, "Output%s = Input%s = %s\n", tensor_index_text(rank, c, rank).text,
               tensor_index_text(rank, from, rank).text, value);
}
