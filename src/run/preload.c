#include "run/preload.h"

#include <stdint.h>

#include "op/slice/slice_view.h"

enum { PAGE = 4096 /* the smallest there is: larger pages are touched more than once */ };

/* bytes is at least 1. */
static void read_pages(const void *data, uint64_t bytes)
{
    const volatile unsigned char *p = data;

    for (uint64_t at = 0; at < bytes; at += PAGE)
        (void)p[at];
    (void)p[bytes - 1];
}

/* An axis of a view: how many bytes an index is from the next, and how many there are. */
struct preload_axis {
    uint64_t step, size;
};

/* The axes of a view that is not empty, those of the longest steps first; returns how many. *low is
 * its lowest address. */
static unsigned sort_axes(const struct tensor *t, struct preload_axis *axes, const char **low)
{
    unsigned n = 0;

    *low = t->data;
    for (unsigned i = 0; i < t->rank; i++) {
        struct preload_axis a = { i64_magnitude(t->strides[i]) * dtype_size(t->type), t->sizes[i] };
        unsigned at = n++;

        for (; at > 0 && axes[at - 1].step < a.step; at--)
            axes[at] = axes[at - 1];
        axes[at] = a;
        if (t->strides[i] < 0)
            *low -= (a.size - 1) * a.step;
    }
    return n;
}

/* Reads the pages of a view, but not those between its rows. */
static void read_view(const struct tensor *t)
{
    struct preload_axis axes[TENSOR_MAX_RANK];
    uint64_t span = dtype_size(t->type), c[TENSOR_MAX_RANK] = { 0 }, sizes[TENSOR_MAX_RANK];
    const char *low;
    unsigned n = sort_axes(t, axes, &low);

    for (; n > 0 && axes[n - 1].step < span + PAGE; n--) /* there is no page between them */
        span += (axes[n - 1].size - 1) * axes[n - 1].step;
    for (unsigned i = 0; i < n; i++)
        sizes[i] = axes[i].size;
    do {
        const char *at = low;

        for (unsigned i = 0; i < n; i++)
            at += c[i] * axes[i].step;
        read_pages(at, span);
    } while (tensor_next(n, sizes, c));
}

void preload_inputs(const struct inputs *in)
{
    for (unsigned s = 0; s < SLOT_COUNT; s++) {
        const struct loaded *l = &in->v[s];
        struct tensor view = l->view;
        int64_t first = 0;

        if (!l->file.input.mapped || l->file.format != FORMAT_NPY || l->owned)
            continue; /* read into memory already */
        if (op_schemas[in->desc.op].copies_part) {
            (void)slice_view(&in->desc, &l->view, in->desc.tensor[SLOT_OUT].sizes, &view,
                             &first); /* fits: the elements are mapped */
            view.data = (char *)l->view.data + first * (int64_t)dtype_size(view.type);
        }
        read_view(&view);
    }
}

void preload_output(void *data, size_t bytes)
{
    unsigned char *p = data;

    for (size_t at = 0; at < bytes; at += PAGE)
        *(volatile unsigned char *)(p + at) = 0;
}
