#include "io/json_reader.h"

#include <float.h>
#include <math.h>

#include "io/element.h"

/* Converts a number that is not a value of the type by the rules. */
static enum number_result convert_by_rules(const struct json_reader *r, const char *s, size_t n,
                                           void *to, struct cast_counts *counts)
{
    struct scalar v = { .is_float = dtype_table[r->type].kind == KIND_FLOAT,
                        .f = *s == '-' ? -DBL_MAX : DBL_MAX,
                        .magnitude = UINT64_MAX };
    enum number_result result = NUMBER_RANGE;
    enum scalar_fit fit;

    if (!v.is_float)
        result = number_nearest(s, n, &v.negative, &v.magnitude);
    fit = scalar_store(&v, r->type, to);
    if (result == NUMBER_RANGE) /* v is a limit, which may fit */
        fit = SCALAR_CLAMPED;
    else if (fit == SCALAR_FITS)
        fit = SCALAR_ROUNDED;
    if (cast_allows(r->f->rules, fit, counts))
        return NUMBER_OK;
    return fit == SCALAR_ROUNDED ? NUMBER_FRACTION : NUMBER_RANGE;
}

/* True if a number without point and exponent is not a FLOAT32's value. */
static bool is_inexact(const char *s, size_t n, const float *to)
{
    float v = fabsf(*to);
    uint64_t whole;

    return v >= 0x1p24F &&
           number_uint_literal(s + (*s == '-'), n - (*s == '-'), &whole) != NUMBER_FRACTION &&
           (v >= 0x1p64F || (uint64_t)v != whole);
}

enum number_result json_value_convert(const struct json_reader *r, const char *s, size_t n,
                                      void *to, struct cast_counts *counts)
{
    enum number_result result = element_parse(r->type, s, n, to);

    if (r->untyped && result == NUMBER_OK)
        counts->inexact += is_inexact(s, n, to);
    if (result == NUMBER_OK || result == NUMBER_SYNTAX || !r->f->rules)
        return result;
    return convert_by_rules(r, s, n, to, counts);
}

const char *json_value_special(const char *s, const char *end, double *v)
{
    size_t left = (size_t)(end - s), n = left > 0 && *s == '-';
    const char *quote = left > 0 && *s == '"' ? memchr(s + 1, '"', u64_min(left - 1, 5)) : NULL;

    if (quote)
        return number_special(s + 1, (size_t)(quote - s - 1), v) ? quote + 1 : NULL;
    while (n < left && isalpha((unsigned char)s[n]))
        n++;
    return csv_special(&(struct csv_cell){ .s = s, .end = s + n }, v) && (*s != '-' || !isnan(*v))
               ? s + n
               : NULL;
}
