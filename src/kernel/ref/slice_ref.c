#include "kernel/ref/slice_ref.h"

#include <stdint.h>

#define ELEM uint8_t
#define NAME slice_row_ref_8
#include "kernel/ref/slice_row.inc"

#define ELEM uint16_t
#define NAME slice_row_ref_16
#include "kernel/ref/slice_row.inc"

#define ELEM uint32_t
#define NAME slice_row_ref_32
#include "kernel/ref/slice_row.inc"

#define ELEM uint64_t
#define NAME slice_row_ref_64
#include "kernel/ref/slice_row.inc"
