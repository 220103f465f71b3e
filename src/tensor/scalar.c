#include "tensor/scalar.h"

#include <float.h>
#include <math.h>

#include "tensor/element.h"

/* Between FLOAT32 and FLOAT64. NaNs keep their sign and the high bits of their payload and become
 * quiet, as IEEE 754 recommends: by integers, as processors differ (RISC-V has one NaN). */
static double widen(float f)
{
    uint64_t bits = element_load(&f, 2);
    double d = (double)f;

    if (isnan(f))
        element_store(&d, 3,
                      (bits & 0x80000000) << 32 | 0x7ff8000000000000 | (bits & 0x7fffff) << 29);
    return d;
}

static float narrow(double d)
{
    uint64_t bits = element_load(&d, 3);
    float f = (float)d;

    if (isnan(d))
        element_store(&f, 2, (bits >> 32 & 0x80000000) | 0x7fc00000 | (bits >> 29 & 0x7fffff));
    return f;
}

struct scalar scalar_load(enum dtype type, bool swapped, const void *at)
{
    const struct dtype_info *info = &dtype_table[type];
    uint64_t bits = element_load_swapped(at, info->width_log2, swapped);
    int above = 64 - 8 * info->size;
    int64_t v;
    double d;

    switch (type) {
    case DT_FLOAT16:
        return (struct scalar){ .is_float = true, .f = widen(half_to_float((uint16_t)bits)) };
    case DT_FLOAT32:
        return (struct scalar){ .is_float = true, .f = widen(element_load_float(at, swapped)) };
    case DT_FLOAT64:
        memcpy(&d, &bits, sizeof d);
        return (struct scalar){ .is_float = true, .f = d };
    default:
        break;
    }
    if (info->kind != KIND_SIGNED)
        return (struct scalar){ .magnitude = bits };
    v = (int64_t)(bits << above) >> above; /* the sign in all bits above */
    return (struct scalar){ .negative = v < 0, .magnitude = i64_magnitude(v) };
}

double scalar_double(const struct scalar *s)
{
    if (s->is_float)
        return s->f;
    return s->negative ? -(double)s->magnitude : (double)s->magnitude;
}

int scalar_compare(const struct scalar *a, const struct scalar *b)
{
    if (a->is_float)
        return (a->f > b->f) - (a->f < b->f);
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    return ((a->magnitude > b->magnitude) - (a->magnitude < b->magnitude)) * (a->negative ? -1 : 1);
}

static enum scalar_fit store_integer(bool negative, uint64_t magnitude, enum dtype type, void *at)
{
    uint64_t least = -(uint64_t)dtype_min(type), most = dtype_max(type); /* magnitudes */
    enum scalar_fit fit = magnitude > (negative ? least : most) ? SCALAR_CLAMPED : SCALAR_FITS;

    if (fit == SCALAR_CLAMPED)
        magnitude = negative ? least : most;
    element_store(at, dtype_table[type].width_log2, negative ? -magnitude : magnitude);
    return fit;
}

static enum scalar_fit round_to_integer(double f, enum dtype type, void *at)
{
    const double shift = f < 0 ? -0x1p52 : 0x1p52;
    double whole = fabs(f) < 0x1p52 ? f + shift - shift : f; /* to nearest, ties to even */
    enum scalar_fit fit;

    if (isnan(f)) {
        element_store(at, dtype_table[type].width_log2, 0);
        return SCALAR_CLAMPED;
    }
    if (fabs(whole) >= 0x1p64) {
        store_integer(f < 0, UINT64_MAX, type, at);
        return SCALAR_CLAMPED;
    }
    fit = store_integer(whole < 0, (uint64_t)fabs(whole), type, at);
    return fit == SCALAR_FITS && whole != f ? SCALAR_ROUNDED : fit;
}

/* A finite value that rounds to infinity becomes the largest finite one. */
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
    float f = s->is_float ? narrow(s->f) : s->negative ? -(float)s->magnitude : (float)s->magnitude;
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
        return store_half(scalar_double(s), at); /* what a double rounds is infinite here */
    case DT_FLOAT32:
        return store_single(s, at);
    case DT_FLOAT64:
        d = scalar_double(s);
        memcpy(at, &d, sizeof d);
        return SCALAR_FITS;
    default:
        return s->is_float ? round_to_integer(s->f, type, at)
                           : store_integer(s->negative, s->magnitude, type, at);
    }
}

uint64_t scalar_steps_in_range(const struct scalar *start, const struct scalar *step,
                               enum dtype type)
{
    uint64_t from = start->negative ? -start->magnitude : start->magnitude, room;
    char at[8];

    if (scalar_store(start, type, at) != SCALAR_FITS)
        return 0;
    room = step->negative ? from - (uint64_t)dtype_min(type) : dtype_max(type) - from;
    if (step->magnitude == 0 || (step->magnitude == 1 && room == UINT64_MAX))
        return UINT64_MAX;
    return room / step->magnitude + 1;
}
