#include "kernel/transpose.h"

#include <string.h>

#define BYTES 16
#define WIDTH 8
#include "kernel/transpose.inc"
#define WIDTH 16
#include "kernel/transpose.inc"
#define WIDTH 32
#include "kernel/transpose.inc"
#define WIDTH 64
#include "kernel/transpose.inc"

void transpose(void *dst, size_t dst_step, const void *src, size_t row_step, size_t rows, size_t columns,
               unsigned width_log2)
{
    switch (width_log2) {
    case 0: any_8(dst, dst_step, src, row_step, rows, columns); break;
    case 1: any_16(dst, dst_step, src, row_step, rows, columns); break;
    case 2: any_32(dst, dst_step, src, row_step, rows, columns); break;
    default: any_64(dst, dst_step, src, row_step, rows, columns); break;
    }
}
