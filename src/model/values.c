#include "model/values.h"

#include <math.h>
#include <string.h>

#include "json/number.h"
#include "tensor/element.h"
#include "tensor/scalar.h"

static bool store_float(const char *text, size_t n, enum dtype type, void *at)
{
    double d;
    float f;
    uint16_t h;

    if (n > 2 && *text == '"' && number_special(text + 1, n - 2, &d)) {
        f = (float)d;
        h = half_from_double(d);
    } else if (type == DT_FLOAT64   ? number_double(text, n, &d) != NUMBER_OK
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
    unsigned width = dtype_table[type].width_log2;
    uint64_t first = element_load(start, width), step = element_load(delta, width);
    double d[2];
    float f;

    switch (type) {
    case DT_FLOAT64:
        memcpy(&d[0], start, sizeof d[0]);
        memcpy(&d[1], delta, sizeof d[1]);
        d[0] += (double)i * d[1];
        memcpy(at, &d[0], sizeof d[0]);
        break;
    case DT_FLOAT32:
        f = element_load_float(start, false) + (float)i * element_load_float(delta, false);
        memcpy(at, &f, sizeof f);
        break;
    case DT_FLOAT16:
        d[0] = (double)half_to_float((uint16_t)first) +
               (double)i * (double)half_to_float((uint16_t)step);
        element_store(at, width, half_from_double(d[0]));
        break;
    default:
        element_store(at, width, first + i * step);
    }
}

/* True if value i of a sequence of floats is finite. */
static bool is_finite(enum dtype type, const void *start, const void *delta, uint64_t i)
{
    struct scalar s;
    char at[8];

    value_step(type, start, delta, i, at);
    s = scalar_load(type, false, at);
    return isfinite(s.f);
}

uint64_t value_steps_in_range(enum dtype type, const void *start, const void *delta, uint64_t count)
{
    struct scalar from = scalar_load(type, false, start), step = scalar_load(type, false, delta);
    uint64_t in = 0, out = count; /* values below `in` are finite; value `out` is not */

    if (dtype_table[type].kind != KIND_FLOAT)
        return u64_min(count, scalar_steps_in_range(&from, &step, type));
    if (!isfinite(from.f) || !isfinite(step.f) || is_finite(type, start, delta, count - 1))
        return count;
    while (in < out) { /* after the first that is not finite, none is */
        uint64_t middle = in + (out - in) / 2;

        if (is_finite(type, start, delta, middle))
            in = middle + 1;
        else
            out = middle;
    }
    return in;
}
