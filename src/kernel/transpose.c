#include "kernel/transpose.h"

#include "tensor/element.h"

#define BYTES 16
#define WIDTH 8
#include "kernel/transpose.inc"
#define WIDTH 16
#include "kernel/transpose.inc"
#define WIDTH 32
#include "kernel/transpose.inc"
#define WIDTH 64
#include "kernel/transpose.inc"

void transpose(void *dst, size_t dst_step, const void *src, size_t row_step, size_t rows,
               size_t columns, unsigned width_log2)
{
    assert(width_log2 <= 3 && rows >= 1 && columns >= 1 && row_step >= 1 && dst_step >= rows);
    assert((uintptr_t)dst % ((size_t)1 << width_log2) == 0);
    BY_WIDTH(any, width_log2, dst, dst_step, src, row_step, rows, columns);
}
