#include "cmd/preload.h"

#include <stdint.h>

enum { PAGE = 4096 /* the smallest there is: larger pages are touched more than once */ };

/* The elements of an input's view that slice takes lie in [first, last]. */
static void slice_reach(const struct desc *d, const struct tensor *view, uint64_t *first,
                        uint64_t *last)
{
    const struct tensor_desc *out = &d->tensor[SLOT_OUT];

    *first = *last = 0;
    for (unsigned i = 0; i < view->rank; i++) {
        uint64_t step = i64_magnitude(d->strides[i]);
        uint64_t span = (out->sizes[i] - 1) * step;
        uint64_t low = d->offsets[i];

        if (d->strides[i] < 0) /* SLICE1 goes backwards from the window's end */
            low += d->sizes[i] - 1 - span;
        *first += low * (uint64_t)view->strides[i];
        *last += (low + span) * (uint64_t)view->strides[i];
    }
}

/* bytes is at least 1. */
static void read_pages(const void *data, uint64_t bytes)
{
    const volatile unsigned char *p = data;

    for (uint64_t at = 0; at < bytes; at += PAGE)
        (void)p[at];
    (void)p[bytes - 1];
}

void preload_inputs(const struct inputs *in)
{
    for (unsigned s = 0; s < SLOT_COUNT; s++) {
        const struct loaded *l = &in->v[s];
        const struct tensor *view = &l->view;
        uint64_t first = 0, last;

        if (!l->file.input.mapped || l->file.format != FORMAT_NPY || l->owned)
            continue; /* read into memory already */
        if (!tensor_extent(view->rank, view->sizes, view->strides, &last) || last-- == 0)
            continue;
        if (op_schemas[in->desc.op].copies_part)
            slice_reach(&in->desc, view, &first, &last);
        read_pages((const char *)view->data + first * dtype_size(view->type),
                   (last - first + 1) * dtype_size(view->type));
    }
}

void preload_output(void *data, size_t bytes)
{
    unsigned char *p = data;

    for (size_t at = 0; at < bytes; at += PAGE)
        *(volatile unsigned char *)(p + at) = 0;
}
