#include "tensor/dtype.h"

#include <math.h>

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
    uint32_t bits = (uint32_t)(h & 0x7fff) << 13;
    float f;

    if (bits >= 31 << 23)
        bits |= 0xffu << 23; /* infinity or NaN */
    memcpy(&f, &bits, sizeof f);
    if (bits < 31 << 23)
        f *= 0x1p112f; /* corrects the bias of the exponent */
    return h & 0x8000 ? -f : f;
}

uint16_t half_from_double(double d)
{
    uint64_t bits;
    uint16_t sign;

    memcpy(&bits, &d, sizeof bits);
    sign = (uint16_t)(bits >> 48 & 0x8000);
    if (isnan(d))
        return (uint16_t)(sign | 0x7e00 | (bits >> 42 & 0x3ff));
    d = fabs(d);
    if (d >= 0x1p16)
        return sign | 0x7c00;
    if (d < 0x1p-14)
        d += 0x1p28; /* of a denormal or zero, whole units of 2^-24 are left */
    memcpy(&bits, &d, sizeof bits);
    if (d >= 0x1p28)
        return (uint16_t)(sign | (bits & 0x7ff));
    bits += (((uint64_t)1 << 41) - 1) + (bits >> 42 & 1); /* to nearest, ties to even */
    return (uint16_t)(sign | ((bits >> 42) - (1008 << 10))); /* carries up to infinity */
}
