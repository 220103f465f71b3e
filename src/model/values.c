#include "model/values.h"

#include <limits.h>
#include <math.h>

#include "io/element.h"
#include "tensor/element.h"

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

static double next_value(enum dtype type, double value, double delta)
{
    if (type == DT_FLOAT16)
        return (double)half_to_float(half_from_double(value + delta));
    return type == DT_FLOAT32 ? (double)((float)value + (float)delta) : value + delta;
}

static void fill_floats(enum dtype type, double value, double delta, uint64_t n, char *to)
{
    for (uint64_t i = 0; i < n; i++) {
        if (type == DT_FLOAT32)
            memcpy(to + i * sizeof(float), &(float){ (float)value }, sizeof(float));
        else
            memcpy(to + i * sizeof value, &value, sizeof value);
        value = next_value(type, value, delta);
    }
}

static void fill_halves(uint16_t value, double delta, uint64_t n, char *to)
{
    bool moves = true; /* soon delta is too small to change the value */

    for (uint64_t i = 0; i < n; i++) {
        element_set(to, i, 1, value);
        if (moves) {
            uint16_t next = half_from_double((double)half_to_float(value) + delta);

            moves = next != value;
            value = next;
        }
    }
}

INLINE void fill_integers(uint64_t value, uint64_t delta, uint64_t n, char *to, unsigned width_log2)
{
    for (uint64_t i = 0; i < n; i++, value += delta)
        element_set(to, i, width_log2, value);
}

void values_fill(enum dtype type, const void *start, const void *delta, uint64_t n, void *to)
{
    unsigned width = dtype_table[type].width_log2;
    uint64_t first = element_load(start, width), step = element_load(delta, width);
    double d = scalar_load(type, false, delta).f;

    if (dtype_table[type].kind != KIND_FLOAT)
        WITH_WIDTH(fill_integers, width, first, step, n, to);
    else if (type == DT_FLOAT16)
        fill_halves((uint16_t)first, d, n, to);
    else
        fill_floats(type, scalar_load(type, false, start).f, d, n, to);
}

/* The value is in the binade that ends at 2 to this power; 0 and infinity have their own. By frexp,
 * for which libm is not loaded. */
static int binade(double value)
{
    int exponent = INT_MAX;

    if (value == 0)
        return INT_MIN;
    if (isfinite(value))
        frexp(value, &exponent);
    return exponent;
}

/* The number of further steps of this width that certainly stay in the binade of a value, in which
 * all steps are equal. */
static uint64_t steps_to_skip(double value, double step)
{
    double inner = copysign(ldexp(0.5, binade(value)), value);
    double room = inner - (signbit(step) == signbit(value) ? value - inner : value);
    double n = room / step - 1; /* exact except the quotient, below 2^53 */

    return n >= 1 ? (uint64_t)n : 0;
}

uint64_t value_steps_in_range(enum dtype type, const void *start, const void *delta, uint64_t count)
{
    struct scalar from = scalar_load(type, false, start), by = scalar_load(type, false, delta);
    double value = from.f, next, after;

    if (dtype_table[type].kind != KIND_FLOAT)
        return u64_min(count, scalar_steps_in_range(&from, &by, type));
    if (!isfinite(from.f) || !isfinite(by.f))
        return count;
    for (uint64_t i = 0; i < count; i++) {
        if (!isfinite(value))
            return i;
        next = next_value(type, value, by.f);
        after = next_value(type, next, by.f);
        if (next == value)
            break; /* it stays the same */
        if (binade(value) == binade(next) &&
            binade(next) == binade(after)) { /* ties went to even */
            uint64_t skipped = steps_to_skip(after, after - next);

            i += u64_min(skipped, count);
            next += (double)skipped * (after - next);
        }
        value = next;
    }
    return count;
}
