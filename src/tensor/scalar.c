#include "tensor/scalar.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensor/tensor.h"

uint64_t element_bits(enum dtype type, const void *at)
{
    uint64_t v;
    uint32_t w;
    uint16_t h;

    switch (dtype_size(type)) {
    case 1:
        return *(const uint8_t *)at;
    case 2:
        memcpy(&h, at, sizeof h);
        return h;
    case 4:
        memcpy(&w, at, sizeof w);
        return w;
    default:
        memcpy(&v, at, sizeof v);
        return v;
    }
}

void element_set_bits(enum dtype type, uint64_t v, void *at)
{
    uint32_t w = (uint32_t)v;
    uint16_t h = (uint16_t)v;

    switch (dtype_size(type)) {
    case 1:
        *(uint8_t *)at = (uint8_t)v;
        break;
    case 2:
        memcpy(at, &h, sizeof h);
        break;
    case 4:
        memcpy(at, &w, sizeof w);
        break;
    default:
        memcpy(at, &v, sizeof v);
    }
}

struct scalar scalar_load(enum dtype type, bool swapped, const void *at)
{
    size_t size = dtype_size(type);
    unsigned char raw[8];
    uint64_t bits;
    uint16_t half;
    float single;
    double d;

    memcpy(raw, at, size);
    if (swapped)
        tensor_swap_bytes(raw, size, 1);
    switch (type) {
    case DT_FLOAT16:
        memcpy(&half, raw, sizeof half);
        return (struct scalar){ .is_float = true, .f = (double)half_to_float(half) };
    case DT_FLOAT32:
        memcpy(&single, raw, sizeof single);
        return (struct scalar){ .is_float = true, .f = (double)single };
    case DT_FLOAT64:
        memcpy(&d, raw, sizeof d);
        return (struct scalar){ .is_float = true, .f = d };
    default:
        break;
    }
    bits = element_bits(type, raw);
    if (dtype_table[type].kind == KIND_SIGNED && bits >> (8 * size - 1)) {
        if (size < 8)
            bits |= ~(uint64_t)0 << (8 * size);
        return (struct scalar){ .negative = true, .magnitude = -bits };
    }
    return (struct scalar){ .magnitude = bits };
}

double scalar_double(const struct scalar *s)
{
    if (s->is_float)
        return s->f;
    return s->negative ? -(double)s->magnitude : (double)s->magnitude;
}

static enum scalar_fit store_integer(bool negative, uint64_t magnitude, enum dtype type, void *at)
{
    uint64_t least = -(uint64_t)dtype_min(type), most = dtype_max(type); /* magnitudes */
    enum scalar_fit fit = magnitude > (negative ? least : most) ? SCALAR_CLAMPED : SCALAR_FITS;

    if (fit == SCALAR_CLAMPED)
        magnitude = negative ? least : most;
    element_set_bits(type, negative ? -magnitude : magnitude, at);
    return fit;
}

/* To nearest, ties to even, without libm, which most runs need for nothing else: from 2^52 on doubles are whole. */
static double round_even(double f)
{
    const double shift = f < 0 ? -0x1p52 : 0x1p52;

    return fabs(f) < 0x1p52 ? f + shift - shift : f;
}

static enum scalar_fit round_to_integer(double f, enum dtype type, void *at)
{
    double whole = round_even(f);

    if (isnan(f)) {
        element_set_bits(type, 0, at);
        return SCALAR_CLAMPED;
    }
    if (fabs(whole) >= 0x1p64) {
        store_integer(f < 0, UINT64_MAX, type, at);
        return SCALAR_CLAMPED;
    }
    return store_integer(whole < 0, (uint64_t)fabs(whole), type, at);
}

/* From a finite value that became infinite back to the largest one. */
static enum scalar_fit store_half(double d, void *at)
{
    uint16_t h = half_from_double(d);
    enum scalar_fit fit = (h & 0x7fff) == 0x7c00 && isfinite(d) ? SCALAR_CLAMPED : SCALAR_FITS;

    if (fit == SCALAR_CLAMPED)
        h = (uint16_t)((h & 0x8000) | 0x7bff);
    memcpy(at, &h, sizeof h);
    return fit;
}

static enum scalar_fit store_single(const struct scalar *s, void *at)
{
    float f = s->is_float ? (float)s->f : s->negative ? -(float)s->magnitude : (float)s->magnitude;
    enum scalar_fit fit = isinf(f) && s->is_float && isfinite(s->f) ? SCALAR_CLAMPED : SCALAR_FITS;

    if (fit == SCALAR_CLAMPED)
        f = f < 0 ? -FLT_MAX : FLT_MAX;
    memcpy(at, &f, sizeof f);
    return fit;
}

enum scalar_fit scalar_store(const struct scalar *s, enum dtype type, void *at)
{
    double d;

    switch (type) {
    case DT_FLOAT16:
        return store_half(scalar_double(s), at); /* integers that a double rounds are infinite here */
    case DT_FLOAT32:
        return store_single(s, at);
    case DT_FLOAT64:
        d = scalar_double(s);
        memcpy(at, &d, sizeof d);
        return SCALAR_FITS;
    default:
        return s->is_float ? round_to_integer(s->f, type, at) : store_integer(s->negative, s->magnitude, type, at);
    }
}
