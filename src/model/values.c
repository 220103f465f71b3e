#include "model/values.h"

#include <math.h>
#include <string.h>

#include "json/number.h"

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

/* The low bytes of v. */
static void store_bits(enum dtype type, uint64_t v, void *at)
{
    uint32_t w = (uint32_t)v;
    uint16_t h = (uint16_t)v;
    uint8_t b = (uint8_t)v;

    switch (dtype_size(type)) {
    case 1:
        memcpy(at, &b, 1);
        break;
    case 2:
        memcpy(at, &h, 2);
        break;
    case 4:
        memcpy(at, &w, 4);
        break;
    default:
        memcpy(at, &v, 8);
    }
}

static uint64_t load_bits(enum dtype type, const void *at)
{
    uint64_t v = 0;
    uint32_t w;
    uint16_t h;

    switch (dtype_size(type)) {
    case 1:
        return *(const uint8_t *)at;
    case 2:
        memcpy(&h, at, 2);
        return h;
    case 4:
        memcpy(&w, at, 4);
        return w;
    default:
        memcpy(&v, at, 8);
        return v;
    }
}

bool value_store(const struct json_doc *doc, size_t node, enum dtype type, void *at)
{
    const char *text = doc->clean + doc->nodes[node].start;
    size_t n = doc->nodes[node].end - doc->nodes[node].start;
    uint64_t u;
    int64_t i;

    if (doc->nodes[node].type != JSON_NUMBER && doc->nodes[node].type != JSON_STRING)
        return false;
    switch (dtype_table[type].kind) {
    case KIND_FLOAT:
        return store_float(text, n, type, at);
    case KIND_SIGNED:
        if (number_i64(text, n, &i) != NUMBER_OK || i < dtype_min(type) || (i > 0 && (uint64_t)i > dtype_max(type)))
            return false;
        store_bits(type, (uint64_t)i, at);
        return true;
    default:
        if (number_u64(text, n, &u) != NUMBER_OK || u > dtype_max(type))
            return false;
        store_bits(type, u, at);
        return true;
    }
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
        store_bits(type, load_bits(type, start) + i * load_bits(type, delta), at);
    }
}
