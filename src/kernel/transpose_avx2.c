#include "kernel/transpose.h"

#if defined(__x86_64__)

#include "tensor/element.h"

#define BYTES 32
#define WIDTH 8
#include "kernel/transpose.inc"
#define WIDTH 16
#include "kernel/transpose.inc"
#define WIDTH 32
#include "kernel/transpose.inc"
#define WIDTH 64
#include "kernel/transpose.inc"

/* Transposes whole blocks; transpose does the other rows. */
void transpose_avx2(void *dst, size_t dst_step, const void *src, size_t row_step, size_t rows,
                    size_t columns, unsigned width_log2)
{
    size_t row_bytes = row_step << width_log2, done;

    done = BY_WIDTH(blocks, width_log2, dst, dst_step, src, row_bytes, rows, columns);
    if (done < rows)
        transpose((char *)dst + (done << width_log2), dst_step,
                  (const char *)src + done * row_bytes, row_step, rows - done, columns, width_log2);
}

#endif
