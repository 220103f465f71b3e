#include "kernel/slice/slice_ref.h"

#include <assert.h>
#include <stdint.h>

#include "tensor/element.h"

#define ELEM uint8_t
#define NAME copy_8
#include "kernel/slice/slice_copy_ref.inc"

#define ELEM uint16_t
#define NAME copy_16
#include "kernel/slice/slice_copy_ref.inc"

#define ELEM uint32_t
#define NAME copy_32
#include "kernel/slice/slice_copy_ref.inc"

#define ELEM uint64_t
#define NAME copy_64
#include "kernel/slice/slice_copy_ref.inc"

void slice_copy_ref(const struct slice_block *b)
{
    assert(b->width_log2 <= 3);
    BY_WIDTH(copy, b->width_log2, b);
}
