#include "io/element.h"

#include <math.h>

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
    bool is_signed = dtype_table[type].kind == KIND_SIGNED;
    uint64_t v, most = UINT64_MAX >> (64 - 8 * (int)dtype_size(type) + is_signed);
    enum number_result result = number_whole(s, n, false, is_signed ? most + 1 : 0, most, &v);

    if (result == NUMBER_OK)
        element_store(to, dtype_table[type].width_log2, v);
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
