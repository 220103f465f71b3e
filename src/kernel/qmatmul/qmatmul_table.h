#pragma once

#include "kernel/qmatmul/qmatmul.h"

/* The kernels of qmatmul, a row each, slowest first; row 0 is the reference and needs nothing. */
extern const struct qmm_kernel qmm_kernels[];
extern const unsigned qmm_kernel_count;
