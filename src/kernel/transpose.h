#pragma once

#include "base/util.h"

/* Transposes a tile: dst[j * dst_step + i] = src[i * row_step + j] for i < rows and j < columns.
 * Steps are in elements of 1 << width_log2 bytes. dst is aligned to its elements, src need not be.
 * rows, columns >= 1, dst_step >= rows, row_step >= 1. Anything between the first and the last
 * element of src may be read; nothing else is read or written. The two must not overlap. */
typedef void transpose_fn(void *dst, size_t dst_step, const void *src, size_t row_step, size_t rows,
                          size_t columns, unsigned width_log2);

/* With vectors that every processor has, and with vectors of 32 bytes. */
transpose_fn transpose;
transpose_fn transpose_avx2; /* x86-64 only */
