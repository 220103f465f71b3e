#include "tensor/dtype.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* In the order in which messages list them. */
#define TYPES(X)                         \
    X(FLOAT32, "<f4", 4, 2, KIND_FLOAT)  \
    X(FLOAT16, "<f2", 2, 1, KIND_FLOAT)  \
    X(FLOAT64, "<f8", 8, 3, KIND_FLOAT)  \
    X(INT8, "|i1", 1, 0, KIND_SIGNED)    \
    X(INT16, "<i2", 2, 1, KIND_SIGNED)   \
    X(INT32, "<i4", 4, 2, KIND_SIGNED)   \
    X(INT64, "<i8", 8, 3, KIND_SIGNED)   \
    X(UINT8, "|u1", 1, 0, KIND_UNSIGNED) \
    X(UINT16, "<u2", 2, 1, KIND_UNSIGNED) \
    X(UINT32, "<u4", 4, 2, KIND_UNSIGNED) \
    X(UINT64, "<u8", 8, 3, KIND_UNSIGNED)

#define ROW(name, npy, size, width_log2, kind) [DT_##name] = { #name, npy, size, width_log2, kind },
#define NAME(name, npy, size, width_log2, kind) [DT_##name] = #name,
#define LIST(name, npy, size, width_log2, kind) " " #name

const struct dtype_info dtype_table[DT_ALL + 1] = {
    [DT_NONE] = { "UNKNOWN", "", 0, 0, KIND_UNSIGNED },
    TYPES(ROW)[DT_UINT4] = { "UINT4", "", 0, 0, KIND_UNSIGNED },
    [DT_INT4] = { "INT4", "", 0, 0, KIND_SIGNED },
    [DT_BFLOAT16] = { "BFLOAT16", "", 2, 1, KIND_FLOAT },
};
const char *const dtype_names[DT_COUNT] = { TYPES(NAME) };
const char *const dtype_list = &TYPES(LIST)[1];

enum dtype dtype_from_name(const char *name, bool any_case)
{
    static const char prefix[] = "DML_TENSOR_DATA_TYPE_";
    size_t skip = sizeof prefix - 1;

    if ((any_case ? strncasecmp : strncmp)(name, prefix, skip) == 0)
        name += skip;
    for (int t = DT_NONE + 1; t < DT_COUNT; t++)
        if ((any_case ? strcasecmp : strcmp)(name, dtype_table[t].name) == 0)
            return (enum dtype)t;
    return DT_NONE;
}

int64_t dtype_min(enum dtype t)
{
    if (dtype_table[t].kind != KIND_SIGNED)
        return 0;
    return INT64_MIN >> (64 - 8 * dtype_table[t].size);
}

uint64_t dtype_max(enum dtype t)
{
    uint64_t bits = dtype_table[t].size ? UINT64_MAX >> (64 - 8 * dtype_table[t].size) : 0;

    return dtype_table[t].kind == KIND_SIGNED ? bits >> 1 : bits;
}

float half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t exponent = (h >> 10) & 31, mantissa = h & 0x3ff;
    uint32_t bits;
    float f;

    if (exponent == 31)
        bits = sign | 0x7f800000 | mantissa << 13;
    else if (exponent)
        bits = sign | (exponent + 112) << 23 | mantissa << 13;
    else {
        f = ldexpf((float)mantissa, -24); /* denormal or zero, exact */
        return sign ? -f : f;
    }
    memcpy(&f, &bits, sizeof f);
    return f;
}

uint16_t half_from_double(double d)
{
    uint64_t bits, mantissa, rest, half;
    uint16_t sign, h;
    int exponent, shift;

    memcpy(&bits, &d, sizeof bits);
    sign = (uint16_t)(bits >> 48 & 0x8000);
    exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    mantissa = bits & 0xfffffffffffff;
    if (exponent == 1024)
        return (uint16_t)(sign | 0x7c00 | (mantissa ? 0x200 | mantissa >> 42 : 0));
    if (exponent < -25)
        return sign; /* below half of the smallest denormal; double denormals too */
    if (exponent > 15)
        return sign | 0x7c00;
    mantissa |= (uint64_t)1 << 52;
    /* bits to drop: 42 for a normal half, more below 2^-14 */
    shift = exponent >= -14 ? 42 : 42 + (-14 - exponent);
    h = (uint16_t)(mantissa >> shift);
    rest = mantissa & (((uint64_t)1 << shift) - 1);
    half = (uint64_t)1 << (shift - 1);
    if (exponent >= -14) /* the leading 1 adds one exponent step */
        h = (uint16_t)(h + ((exponent + 14) << 10));
    if (rest > half || (rest == half && (h & 1)))
        h++; /* carries into the exponent, up to infinity */
    return sign | h;
}
