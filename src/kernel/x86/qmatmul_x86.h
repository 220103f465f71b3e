#ifndef DMLOP_KERNEL_X86_QMATMUL_X86_H
#define DMLOP_KERNEL_X86_QMATMUL_X86_H

#include "kernel/qmatmul.h"

/*
 * The rows of x86-64 (kernel/qmatmul.h). AVX2 multiplies 16-bit values in pairs; the others
 * multiply fours of unsigned bytes of A by signed ones of B, AMX 64 of them at a time.
 */
enum {
    QMM_AVX2_MR = 4, QMM_AVX2_NR = 16,
    QMM_AVX2_RUN = 16, /* values of a row of A in a panel, which are broadcast pair by pair */
    QMM_AVX2_MAX_K = 33024, /* * 255 * 255 < 2^31 */
    QMM_AVXVNNI_MR = 6, QMM_AVXVNNI_NR = 16,
    QMM_AVX512VNNI_MR = 12, QMM_AVX512VNNI_NR = 32,
    QMM_AMX_MR = 32, QMM_AMX_NR = 32,
    /* With K = 64, one tile deep, avx512vnni takes 0.78 to 0.99 of the time, with 128 it takes 1.2
     * times as long: bench_qmatmul, 4096x64x4096, 12 x 128x64x128, 128^3, an Emerald Rapids. */
    QMM_AMX_GAINS_K = 65,
    QMM_BYTES_MAX_K = 65728 /* * 255 * 128 < 2^31; a multiple of 64 */
};

qmm_tile_fn qmm_tile_narrow_avx2, qmm_tile_avx2, qmm_tile_avxvnni, qmm_tile_avx512vnni,
    qmm_tile_amx;
qmm_pack_fn qmm_pack_a_avx2, qmm_pack_a_avxvnni, qmm_pack_a_avx512vnni, qmm_pack_a_amx;
qmm_pack_fn qmm_pack_narrow_a_avx2, qmm_pack_narrow_b_avx2;
qmm_pack_fn qmm_pack_b_avx2, qmm_pack_b_avxvnni, qmm_pack_b_avx512vnni, qmm_pack_b_amx;

/* For any row whose nr is a multiple of 16. */
qmm_finish_fn qmm_finish_avx2, qmm_finish_avx512;
qmm_fused_fn qmm_fused_avx512vnni;
qmm_thin_fn qmm_thin_avx2;

/* The proof of struct qmm_narrow: a small A times any two int8, or 255 times two values whose
 * positives, and whose negatives, add up to at most 128. False also for steps that are not looked
 * at. */
bool qmm_is_small_avx2(const struct qmm_source *a, size_t lanes, size_t k);
bool qmm_fits_narrow_avx2(const struct qmm_source *b, size_t lanes, size_t k, bool small_a);

/* Configure the tile registers of this thread; release them. */
void qmm_begin_amx(void);
void qmm_end_amx(void);

/* As a qmm_pack_fn: panels of bytes in groups of 4, of an even width; in groups of 64, u8, of at
 * most QMM_LINES_MAX lanes, an even number. */
enum { QMM_LINES_MAX = 32 };

void qmm_pack_bytes_avx2(void *panel, const struct qmm_panel *form, const struct qmm_source *src,
                         size_t lanes, size_t k, int64_t *sums);
void qmm_pack_lines_avx2(void *panel, const struct qmm_panel *form, const struct qmm_source *src,
                         size_t lanes, size_t k, int64_t *sums);

/* sums * row's scale * scales / output scale, rounded exactly where that is within 1024, for what
 * floats cannot decide: in doubles, and where those cannot, by exact products. */
void qmm_round_avx2(int32_t out[16], const int32_t sums[16], const struct qmm_row *row,
                    const float scales[16]);

#endif
