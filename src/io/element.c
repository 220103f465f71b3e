#include "io/element.h"

#include <math.h>
#include <stdio.h>

#include "tensor/element.h"

size_t scalar_text(const struct scalar *s, enum dtype type, bool quoted, char *buf)
{
    char quote[2] = { quoted ? '"' : '\0' };

    if (!s->is_float) {
        *buf = '-';
        return s->negative + number_format_u64(buf + s->negative, s->magnitude);
    }
    if (!isfinite(s->f))
        return (size_t)sprintf(buf, "%s%s%s", quote, number_special_name(s->f), quote);
    switch (type) {
    case DT_FLOAT16: return number_format_half(buf, half_from_double(s->f));
    case DT_FLOAT32: return number_format_float(buf, (float)s->f);
    default:         return number_format_double(buf, s->f);
    }
}

size_t element_text(enum dtype type, bool swapped, const void *at, bool quoted, char *buf)
{
    struct scalar s = scalar_load(type, swapped, at);

    return scalar_text(&s, type, quoted, buf);
}

void scalar_json(struct json_writer *w, const char *key, enum dtype type, const struct scalar *s)
{
    char text[NUMBER_TEXT];

    scalar_text(s, type, true, text);
    json_raw(w, key, text);
}

static enum number_result parse_integer(enum dtype type, const char *s, size_t n, void *to)
{
    unsigned top = 8 * (unsigned)dtype_size(type) - 1; /* bit */
    enum number_result result;
    uint64_t u = 0, offset = 0;
    int64_t i = 0;

    if (dtype_table[type].kind == KIND_SIGNED) {
        result = number_i64(s, n, &i);
        u = (uint64_t)i;
        offset = (uint64_t)1 << top;
    } else
        result = number_u64(s, n, &u);
    if (result == NUMBER_OK && (u + offset) >> top >> 1)
        return NUMBER_RANGE;
    if (result == NUMBER_OK)
        element_store(to, dtype_table[type].width_log2, u);
    return result;
}

enum number_result element_parse(enum dtype type, const char *s, size_t n, void *to)
{
    double any;

    switch (type) {
    case DT_NONE: return number_double(s, n, &any) == NUMBER_SYNTAX ? NUMBER_SYNTAX : NUMBER_OK;
    case DT_FLOAT32: return number_float(s, n, to);
    case DT_FLOAT64: return number_double(s, n, to);
    case DT_FLOAT16: return number_half(s, n, to);
    default:         return parse_integer(type, s, n, to);
    }
}
