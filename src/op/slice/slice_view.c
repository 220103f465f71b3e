#include "op/slice/slice_view.h"

#include <string.h>

/* The index on axis i of the input where the slice begins. */
static int64_t start_at(const struct desc *d, unsigned i)
{
    int64_t at = (int64_t)d->offsets[i];

    return d->op == OP_SLICE1 && d->strides[i] < 0 ? at + (int64_t)d->sizes[i] - 1 : at;
}

static bool fits_bytes(int64_t elements, enum dtype type)
{
    return !__builtin_mul_overflow(elements, (int64_t)dtype_size(type), &elements);
}

bool slice_view(const struct desc *d, const struct tensor *in, const uint64_t *sizes,
                struct tensor *view, int64_t *first)
{
    *view = (struct tensor){
        .type = in->type, .is_bool = in->is_bool, .swapped = in->swapped, .rank = in->rank
    };
    memcpy(view->sizes, sizes, in->rank * sizeof sizes[0]);
    *first = 0;
    for (unsigned i = 0; i < in->rank; i++) {
        int64_t at, *stride = &view->strides[i];

        if (__builtin_mul_overflow(start_at(d, i), in->strides[i], &at) ||
            __builtin_add_overflow(*first, at, first))
            return false;
        if (sizes[i] > 1 && (__builtin_mul_overflow(d->strides[i], in->strides[i], stride) ||
                             !fits_bytes(*stride, in->type)))
            return false;
    }
    return fits_bytes(*first, in->type);
}
