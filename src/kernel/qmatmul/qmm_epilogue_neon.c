#include "base/util.h"
#include "kernel/qmatmul/qmatmul_arm.h"

#if defined(__aarch64__)

#include "kernel/qmatmul/qmm_words_neon.inc"

void qmm_epilogue_neon(uint8_t *out, ptrdiff_t step, const struct qmm_sums *sums,
                       const struct qmm_row *rows, const struct qmm_columns *columns)
{
    epilogue(out, step, sums, rows, columns);
}

#endif
