#pragma once

#include "base/util.h"

/* One element as an unsigned integer of its width, at an address of any alignment. width_log2 is 0
 * to 3: 1, 2, 4 or 8 bytes, as in dtype_table. If it is a constant, each function is one or two
 * instructions. tensor_swap_bytes reverses the bytes of many elements. */

/* 1 if this machine is big-endian; data in files are little-endian on every machine. */
enum { BIG_MACHINE = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* The bits of the element, in native byte order. */
INLINE uint64_t element_load(const void *at, unsigned width_log2)
{
    uint16_t h;
    uint32_t w;
    uint64_t d;

    switch (width_log2) {
    case 0: return *(const unsigned char *)at;
    case 1: return memcpy(&h, at, sizeof h), h;
    case 2: return memcpy(&w, at, sizeof w), w;
    default: return memcpy(&d, at, sizeof d), d;
    }
}

/* Stores the low bits, in native byte order. */
INLINE void element_store(void *at, unsigned width_log2, uint64_t bits)
{
    uint16_t h = (uint16_t)bits;
    uint32_t w = (uint32_t)bits;

    switch (width_log2) {
    case 0: *(unsigned char *)at = (unsigned char)bits; break;
    case 1: memcpy(at, &h, sizeof h); break;
    case 2: memcpy(at, &w, sizeof w); break;
    default: memcpy(at, &bits, sizeof bits);
    }
}

/* The same for element i of an array. */
INLINE uint64_t element_get(const void *array, size_t i, unsigned width_log2)
{
    return element_load((const char *)array + (i << width_log2), width_log2);
}
INLINE void element_set(void *array, size_t i, unsigned width_log2, uint64_t bits)
{
    element_store((char *)array + (i << width_log2), width_log2, bits);
}

/* The bits of an element with its bytes reversed. */
INLINE uint64_t element_swap(uint64_t bits, unsigned width_log2)
{
    if (width_log2 == 2)
        return __builtin_bswap32((uint32_t)bits);
    return __builtin_bswap64(bits) >> (64 - (8u << width_log2));
}

/* element_load of an element that may be in the other byte order. */
INLINE uint64_t element_load_swapped(const void *at, unsigned width_log2, bool swapped)
{
    uint64_t bits = element_load(at, width_log2);

    return swapped ? element_swap(bits, width_log2) : bits;
}

/* A FLOAT32 that may be in the other byte order. */
INLINE float element_load_float(const void *at, bool swapped)
{
    uint32_t bits = (uint32_t)element_load_swapped(at, 2, swapped);
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Calls a function for a width known only at run time: BY_WIDTH calls function_8, _16, _32 or _64;
 * WITH_WIDTH calls one INLINE function with the width as its last argument, a constant, so that the
 * compiler makes a version for each width. */
#define BY_WIDTH(function, width_log2, ...)         \
    ((width_log2) == 0   ? function##_8(__VA_ARGS__)  \
     : (width_log2) == 1 ? function##_16(__VA_ARGS__) \
     : (width_log2) == 2 ? function##_32(__VA_ARGS__) \
                         : function##_64(__VA_ARGS__))

#define WITH_WIDTH(function, width_log2, ...)          \
    ((width_log2) == 0   ? function(__VA_ARGS__, 0) \
     : (width_log2) == 1 ? function(__VA_ARGS__, 1) \
     : (width_log2) == 2 ? function(__VA_ARGS__, 2) \
                         : function(__VA_ARGS__, 3))
