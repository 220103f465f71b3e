#include "kernel/slice/slice.h"
#include "tensor/element.h"

INLINE void copy_elements(const struct slice_block *b, unsigned width)
{
    ptrdiff_t step = b->step * ((ptrdiff_t)1 << width);

    for (size_t r = 0; r < b->rows; r++) {
        char *restrict dst = (char *)b->dst + (ptrdiff_t)r * b->dst_row;
        const char *restrict src = (const char *)b->src + (ptrdiff_t)r * b->src_row;

        for (size_t i = 0; i < b->n; i++)
            element_set(dst, i, width, element_load(src + (ptrdiff_t)i * step, width));
    }
}

void slice_copy_ref(const struct slice_block *b)
{
    assert(b->width_log2 <= 3);
    WITH_WIDTH(copy_elements, b->width_log2, b);
}
