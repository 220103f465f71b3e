#include "io/element.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* "nan", "inf" or "-inf" for what number_format_* does not take; returns its length. */
static size_t special(char *buf, bool nan, bool negative, bool quoted)
{
    const char *s = nan ? "\"nan\"" : negative ? "\"-inf\"" : "\"inf\"";
    size_t n = strlen(s);

    if (!quoted) {
        s++;
        n -= 2;
    }
    memcpy(buf, s, n);
    buf[n] = '\0';
    return n;
}

size_t element_text(enum dtype type, const void *element, bool quoted, char *buf)
{
    union {
        float f32; double f64; uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64;
        int8_t i8; int16_t i16; int32_t i32; int64_t i64;
    } v;

    memcpy(&v, element, dtype_size(type));
    switch (type) {
    case DT_FLOAT32:
        return isfinite(v.f32) ? number_format_float(buf, v.f32) : special(buf, isnan(v.f32), v.f32 < 0, quoted);
    case DT_FLOAT64:
        return isfinite(v.f64) ? number_format_double(buf, v.f64) : special(buf, isnan(v.f64), v.f64 < 0, quoted);
    case DT_FLOAT16:
        return (v.u16 & 0x7c00) != 0x7c00 ? number_format_half(buf, v.u16)
                                          : special(buf, v.u16 & 0x3ff, v.u16 >> 15, quoted);
    case DT_INT8:   return number_format_i64(buf, v.i8);
    case DT_INT16:  return number_format_i64(buf, v.i16);
    case DT_INT32:  return number_format_i64(buf, v.i32);
    case DT_INT64:  return number_format_i64(buf, v.i64);
    case DT_UINT8:  return number_format_u64(buf, v.u8);
    case DT_UINT16: return number_format_u64(buf, v.u16);
    case DT_UINT32: return number_format_u64(buf, v.u32);
    default:        return number_format_u64(buf, v.u64);
    }
}
