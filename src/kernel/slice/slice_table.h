#pragma once

#include "kernel/slice/slice.h"

/* The kernels of slice, a row each, slowest first; row 0 is the reference and needs nothing. */
extern const struct slice_kernel slice_kernels[];
extern const unsigned slice_kernel_count;
