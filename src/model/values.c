#include "model/values.h"

#include <math.h>
#include <string.h>

#include "json/number.h"
#include "tensor/scalar.h"

/* "nan", "inf" or "-inf" between quotes. */
static bool special(const char *text, size_t n, double *v)
{
    if (n == 5 && memcmp(text, "\"nan\"", 5) == 0)
        *v = (double)NAN;
    else if (n == 5 && memcmp(text, "\"inf\"", 5) == 0)
        *v = (double)INFINITY;
    else if (n == 6 && memcmp(text, "\"-inf\"", 6) == 0)
        *v = -(double)INFINITY;
    else
        return false;
    return true;
}

static bool store_float(const char *text, size_t n, enum dtype type, void *at)
{
    double d;
    float f;
    uint16_t h;

    if (special(text, n, &d)) {
        f = (float)d;
        h = half_from_double(d);
    } else if (type == DT_FLOAT64 ? number_double(text, n, &d) != NUMBER_OK
               : type == DT_FLOAT32 ? number_float(text, n, &f) != NUMBER_OK
                                    : number_half(text, n, &h) != NUMBER_OK)
        return false;
    if (type == DT_FLOAT64)
        memcpy(at, &d, sizeof d);
    else if (type == DT_FLOAT32)
        memcpy(at, &f, sizeof f);
    else
        memcpy(at, &h, sizeof h);
    return true;
}

bool value_store(const struct json_doc *doc, size_t node, enum dtype type, void *at)
{
    const char *text = doc->clean + doc->nodes[node].start;
    size_t n = doc->nodes[node].end - doc->nodes[node].start;
    struct scalar s = { 0 };
    int64_t i;

    if (doc->nodes[node].type != JSON_NUMBER && doc->nodes[node].type != JSON_STRING)
        return false;
    if (dtype_table[type].kind == KIND_FLOAT)
        return store_float(text, n, type, at);
    if (number_i64(text, n, &i) == NUMBER_OK) {
        s.negative = i < 0;
        s.magnitude = i64_magnitude(i);
    } else if (number_u64(text, n, &s.magnitude) != NUMBER_OK)
        return false;
    return scalar_store(&s, type, at) == SCALAR_FITS;
}

void value_step(enum dtype type, const void *start, const void *delta, uint64_t i, void *at)
{
    double d[2];
    float f[2];
    uint16_t h[2];

    switch (type) {
    case DT_FLOAT64:
        memcpy(&d[0], start, sizeof d[0]);
        memcpy(&d[1], delta, sizeof d[1]);
        d[0] += (double)i * d[1];
        memcpy(at, &d[0], sizeof d[0]);
        break;
    case DT_FLOAT32:
        memcpy(&f[0], start, sizeof f[0]);
        memcpy(&f[1], delta, sizeof f[1]);
        f[0] += (float)i * f[1];
        memcpy(at, &f[0], sizeof f[0]);
        break;
    case DT_FLOAT16:
        memcpy(&h[0], start, sizeof h[0]);
        memcpy(&h[1], delta, sizeof h[1]);
        h[0] = half_from_double((double)half_to_float(h[0]) + (double)i * (double)half_to_float(h[1]));
        memcpy(at, &h[0], sizeof h[0]);
        break;
    default:
        element_set_bits(type, element_bits(type, start) + i * element_bits(type, delta), at);
    }
}
