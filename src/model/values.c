#include "model/values.h"

#include <math.h>
#include <string.h>

#include "io/element.h"
#include "json/number.h"
#include "tensor/element.h"
#include "tensor/scalar.h"

bool value_store(const struct json_doc *doc, size_t node, enum dtype type, void *at)
{
    const char *text = doc->clean + doc->nodes[node].start;
    size_t n = doc->nodes[node].end - doc->nodes[node].start;
    struct scalar s = { .is_float = true };
    union {
        double d;
        float f;
        uint16_t half;
        uint64_t integer;
    } element;

    if (doc->nodes[node].type == JSON_STRING && dtype_table[type].kind == KIND_FLOAT)
        return number_special(text + 1, n - 2, &s.f) && scalar_store(&s, type, at) == SCALAR_FITS;
    if (doc->nodes[node].type != JSON_NUMBER || element_parse(type, text, n, &element) != NUMBER_OK)
        return false;
    memcpy(at, &element, dtype_size(type)); /* which need not be aligned */
    return true;
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
    default: element_store(at, width, first + i * step);
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
