#include "base/util.h"
#include "kernel/qmatmul/qmatmul_x86.h"

#if defined(__x86_64__)

#include "kernel/qmatmul/qmm_words_avx512.inc"

void qmm_epilogue_avx512(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                         const struct qmm_row *rows, const struct qmm_columns *columns)
{
    epilogue(out, step, sums, rows, columns);
}

#endif
