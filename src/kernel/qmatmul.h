#ifndef DMLOP_KERNEL_QMATMUL_H
#define DMLOP_KERNEL_QMATMUL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu.h"

/*
 * Integer tiles for the quantized product. A panel of A holds mr rows, a panel of B nr columns, both
 * packed in groups of kr consecutive values of K:
 *
 *   a  [ceil(k/kr)][mr][kr]    b  [ceil(k/kr)][nr][kr]    acc  [mr][nr], int32
 *
 * One set of tiles serves all four sign combinations: packing shifts an operand by 128 (flips its
 * top bit) where the tile wants the other signedness, and its zero point moves with it. Values past K, M
 * or N are packed as 0.
 */
enum qmm_elem { QMM_U8, QMM_S8, QMM_S16 }; /* how packed values are stored */

/* acc[i][j] = sum over k of a[i][k] * b[k][j] for groups * kr values of K; the caller keeps
 * groups * kr at most max_k, so that int32 cannot overflow. acc is overwritten. */
typedef void qmm_tile_fn(size_t groups, const void *a, const void *b, int32_t *acc);

struct qmm_kernel {
    struct kernel_row row;
    uint16_t mr, nr, kr;
    enum qmm_elem a_elem, b_elem;
    uint32_t max_k; /* largest K block whose sums fit int32 for any packed values; a multiple of kr */
    qmm_tile_fn *tile;
};

extern const struct qmm_kernel qmm_kernels[]; /* slowest first */
extern const unsigned qmm_kernel_count;

/*
 * Requantization, the one place where a sum becomes an output value:
 * clamp(round_half_even(sum * sa * sb / so) + zero, lo, hi), exactly, for any int64 sum and finite scales, so != 0.
 */
struct qmm_scale { /* sa * sb / so, prepared once per row and column */
    double approx;
    float sa, sb, so;
};

struct qmm_scale qmm_scale_make(float sa, float sb, float so);
int32_t qmm_requantize(int64_t sum, const struct qmm_scale *s, int32_t zero, int32_t lo, int32_t hi);

#endif
