#include "io/json_value.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "tensor/element.h"

/* Whole numbers, within the range of r->type. */
static enum number_result convert_integer(const struct json_reader *r, const char *s, size_t n,
                                          void *to)
{
    enum number_result result;
    uint64_t u = 0;
    int64_t i = 0;

    if (dtype_table[r->type].kind == KIND_SIGNED) {
        result = number_i64(s, n, &i);
        if (result == NUMBER_OK && (i < r->min || i > (int64_t)r->max))
            return NUMBER_RANGE;
        u = (uint64_t)i;
    } else {
        result = number_u64(s, n, &u);
        if (result == NUMBER_OK && u > r->max)
            return NUMBER_RANGE;
    }
    if (result == NUMBER_OK)
        element_store(to, dtype_table[r->type].width_log2, u);
    return result;
}

static enum number_result convert(const struct json_reader *r, const char *s, size_t n, void *to)
{
    double any;

    switch (r->type) {
    case DT_NONE:
        return number_double(s, n, &any) == NUMBER_SYNTAX ? NUMBER_SYNTAX : NUMBER_OK;
    case DT_FLOAT32: return number_float(s, n, to);
    case DT_FLOAT64: return number_double(s, n, to);
    case DT_FLOAT16: return number_half(s, n, to);
    default:         return convert_integer(r, s, n, to);
    }
}

/* What the rules make of a number that is not a value of the type. */
static enum number_result convert_by_rules(const struct json_reader *r, const char *s, size_t n,
                                           void *to, struct cast_counts *counts)
{
    struct scalar v = { .is_float = dtype_table[r->type].kind == KIND_FLOAT,
                        .f = *s == '-' ? -DBL_MAX : DBL_MAX, .magnitude = UINT64_MAX };
    enum number_result result = NUMBER_RANGE;
    enum scalar_fit fit;

    if (!v.is_float)
        result = number_nearest(s, n, &v.negative, &v.magnitude);
    fit = scalar_store(&v, r->type, to);
    if (result == NUMBER_RANGE) /* though the limit that was stored may fit */
        fit = SCALAR_CLAMPED;
    else if (fit == SCALAR_FITS)
        fit = SCALAR_ROUNDED;
    if (cast_allows(r->f->rules, fit, counts))
        return NUMBER_OK;
    return fit == SCALAR_ROUNDED ? NUMBER_FRACTION : NUMBER_RANGE;
}

enum number_result json_value_convert(const struct json_reader *r, const char *s, size_t n,
                                      void *to, struct cast_counts *counts)
{
    enum number_result result = convert(r, s, n, to);

    if (result == NUMBER_OK || result == NUMBER_SYNTAX || !r->f->rules)
        return result;
    return convert_by_rules(r, s, n, to, counts);
}

const char *json_value_special(const char *s, const char *end, double *v)
{
    static const struct {
        const char *text;
        double value;
    } specials[] = {
        { "NaN", (double)NAN },         { "Infinity", (double)INFINITY },
        { "\"nan\"", (double)NAN },     { "-Infinity", -(double)INFINITY },
        { "\"inf\"", (double)INFINITY }, { "\"-inf\"", -(double)INFINITY },
    };

    for (size_t i = 0; i < ARRAY_LEN(specials); i++) {
        size_t n = strlen(specials[i].text);

        if ((size_t)(end - s) >= n && (*s == '"' ? strncasecmp(s, specials[i].text, n)
                                                 : memcmp(s, specials[i].text, n)) == 0) {
            *v = specials[i].value;
            return s + n;
        }
    }
    return NULL;
}
