#include "io/json_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "json/number.h"
#include "tensor/element.h"
#include "tensor/scalar.h"

enum {
    DROP_STEP = 4 << 20, /* text read before it is dropped */
    INDEX_TEXT = TENSOR_MAX_RANK * 22 + 16,
};
#define UNKNOWN UINT64_MAX

enum status json_reader_fail_at(struct json_reader *r, struct json_position position,
                                const char *message)
{
    return diag_error(r->dg, ST_INPUT, r->f->input.path, "line %zu, column %zu: %s", position.line,
                      position.column, message);
}

struct json_position json_reader_position(const struct json_reader *r, size_t offset)
{
    struct json_position position = r->dropped;

    json_position_advance(&position, r->lx.text, r->lx.len, offset);
    return position;
}

/* "Values[1][0]": the element being read; without the last index, the array it is in. */
static const char *index_text(const struct json_reader *r, unsigned levels, char *buf)
{
    char *p = buf + sprintf(buf, "%s", r->name);

    for (unsigned i = 0; i < levels; i++)
        p += sprintf(p, "[%" PRIu64 "]", r->done[i]);
    return buf;
}

enum status json_reader_fail(struct json_reader *r, unsigned levels, const char *fmt, ...)
{
    struct str message = { 0 };
    char index[INDEX_TEXT];
    enum status st;
    va_list ap;

    index_text(r, levels, index);
    if (*index)
        str_printf(&message, "%s: ", index);
    va_start(ap, fmt);
    str_vprintf(&message, fmt, ap);
    va_end(ap);
    if (message.failed)
        st = diag_nomem(r->dg);
    else
        st = json_reader_fail_at(r, json_reader_position(r, r->lx.start), message.s);
    str_free(&message);
    return st;
}

enum status json_reader_fail_token(struct json_reader *r, const char *expected)
{
    json_lex_expected(&r->lx, r->token, expected);
    return json_reader_fail_at(r, json_reader_position(r, r->lx.err.offset), r->lx.err.message);
}

/* The same within the values, with the index. */
static enum status fail_expected(struct json_reader *r, const char *expected)
{
    json_lex_expected(&r->lx, r->token, expected);
    r->lx.start = r->lx.err.offset;
    return json_reader_fail(r, r->depth, "%s", r->lx.err.message);
}

void json_reader_next(struct json_reader *r)
{
    r->token = json_lex(&r->lx);
    if (r->drop && r->lx.start - r->dropped.offset >= DROP_STEP) {
        json_position_advance(&r->dropped, r->lx.text, r->lx.len, r->lx.start);
        input_drop(&r->f->input, r->lx.start);
    }
}

void json_reader_set_type(struct json_reader *r, enum dtype type)
{
    r->type = type;
    r->min = dtype_min(type);
    r->max = dtype_max(type);
}

static bool is_float(const struct json_reader *r)
{
    return dtype_table[r->type].kind == KIND_FLOAT;
}

/* Room for one more element. Grows with what was read, never by what a text declares. */
static bool reserve(struct json_reader *r)
{
    return r->count < r->capacity ||
           mem_reserve(&r->f->values, r->count, &r->capacity, dtype_size(r->type));
}

/* Converts a number text to the type, at `to`. */
static enum number_result convert(const struct json_reader *r, const char *s, size_t n, void *to)
{
    enum number_result result;
    uint64_t u = 0;
    int64_t i = 0;

    switch (r->type) {
    case DT_FLOAT32: return number_float(s, n, to);
    case DT_FLOAT64: return number_double(s, n, to);
    case DT_FLOAT16: return number_half(s, n, to);
    default:         break;
    }
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

static enum status fail_number(struct json_reader *r, enum number_result result)
{
    const char *type = dtype_name(r->type);
    char text[JSON_FOUND_TEXT];

    json_lex_quote(&r->lx, text);
    if (is_float(r))
        return json_reader_fail(r, r->depth, "%s is too large for %s", text, type);
    if (result == NUMBER_FRACTION)
        return json_reader_fail(r, r->depth, "%s is not whole, and %s holds whole numbers only",
                                text, type);
    return json_reader_fail(r, r->depth, "%s is outside %s, %" PRId64 " to %" PRIu64, text, type,
                            r->min, r->max);
}

/* Whether the last token is NaN, an infinity, or a string for one. */
static bool is_special(const struct json_reader *r, double *v)
{
    static const char *const words[][2] = {
        { "NaN", "nan" }, { "Infinity", "inf" }, { "-Infinity", "-inf" }
    };
    const char *s = r->lx.text + r->lx.start;
    size_t n = r->lx.end - r->lx.start;
    char plain[4 * 6];

    if (r->token == JSON_TOKEN_STRING)
        return n - 2 <= sizeof plain &&
               number_special(plain, json_unescape(s + 1, n - 2, plain), v);
    for (size_t i = 0; r->token == JSON_TOKEN_WORD && i < ARRAY_LEN(words); i++)
        if (json_lex_is(&r->lx, words[i][0]))
            return number_special(words[i][1], strlen(words[i][1]), v);
    return false;
}

/* What may come here, for a message. */
static const char *expected_value(const struct json_reader *r)
{
    if (r->depth == 0)
        return *r->name
                   ? "a number or an array"
                   : "a tensor: an array of numbers, or an object with DataType, Sizes and Values";
    if (r->nested && r->depth == r->rank)
        return "a number";
    return r->nested ? "an array, as before it" : "a number or an array";
}

/* The end of a run of the bytes that numbers are made of. */
static const char *number_end(const char *p, const char *end)
{
    while (p < end &&
           ((*p >= '0' && *p <= '9') || *p == '.' || *p == '-' || *p == '+' || (*p | 0x20) == 'e'))
        p++;
    return p;
}

/*
 * Reads on after an element that is a number, quickly, as long as there are only numbers with
 * commas between them. Other text, with errors or without, is left to the lexer.
 */
static void read_run(struct json_reader *r)
{
    const char *text = r->lx.text, *p = text + r->lx.end, *end = text + r->lx.len;
    uint64_t *done = &r->done[r->depth - 1], limit = r->sizes[r->depth - 1];
    size_t size = dtype_size(r->type);

    if (end - p > DROP_STEP)
        end = p + DROP_STEP;
    while (p < end && *p == ',' && *done + 1 < limit && reserve(r)) {
        const char *number = p + 1;
        char *to = (char *)r->f->values + r->count * size;

        while (number < end && (*number == ' ' || *number == '\n'))
            number++;
        p = number_end(number, end);
        if (p == end || (*p != ',' && *p != ']') ||
            convert(r, number, (size_t)(p - number), to) != NUMBER_OK)
            break;
        r->lx.start = (size_t)(number - text);
        r->lx.end = (size_t)(p - text);
        r->count++;
        ++*done;
    }
}

/* Reads the last token as an element that is a number. */
static enum status read_scalar(struct json_reader *r)
{
    struct scalar value = { .is_float = true };
    bool special = is_special(r, &value.f);
    enum number_result result = NUMBER_OK;
    unsigned char *to;
    char text[JSON_FOUND_TEXT];

    if ((!special && r->token != JSON_TOKEN_NUMBER) || (r->nested && r->depth != r->rank))
        return fail_expected(r, expected_value(r));
    r->nested = true;
    r->rank = r->depth;
    if (r->type == DT_NONE)
        return ST_OK;
    if (special && !is_float(r))
        return json_reader_fail(r, r->depth, "%s is outside %s, which is an integer type",
                                json_lex_quote(&r->lx, text), dtype_name(r->type));
    if (!reserve(r))
        return diag_nomem(r->dg);
    to = (unsigned char *)r->f->values + r->count * dtype_size(r->type);
    if (special)
        scalar_store(&value, r->type, to);
    else
        result = convert(r, r->lx.text + r->lx.start, r->lx.end - r->lx.start, to);
    if (result != NUMBER_OK)
        return fail_number(r, result);
    r->count++;
    if (r->depth > 0)
        read_run(r);
    return ST_OK;
}

static enum status open_array(struct json_reader *r)
{
    if (r->nested && r->depth == r->rank)
        return json_reader_fail(r, r->depth, "expected a number as before it, found an array");
    if (r->depth == TENSOR_MAX_RANK)
        return json_reader_fail(r, r->depth, "arrays nest deeper than %d levels", TENSOR_MAX_RANK);
    r->done[r->depth++] = 0;
    return ST_OK;
}

static enum status close_array(struct json_reader *r)
{
    uint64_t n = r->done[r->depth - 1], *size = &r->sizes[r->depth - 1];

    if (!r->nested) { /* the first array without arrays in it */
        r->nested = true;
        r->rank = r->depth;
    }
    if (*size == UNKNOWN)
        *size = n;
    r->depth--;
    if (n != *size)
        return json_reader_fail(r, r->depth,
                                "too few elements: this array has %" PRIu64
                                ", the one before it %" PRIu64,
                                n, *size);
    return ST_OK;
}

/* Reads the last token as the beginning of an element, or of the whole. */
static enum status begin_value(struct json_reader *r)
{
    if (r->depth && r->sizes[r->depth - 1] == r->done[r->depth - 1])
        return json_reader_fail(r, r->depth,
                                "too many elements: the array before this one has %" PRIu64,
                                r->done[r->depth - 1]);
    return r->token == JSON_TOKEN_OPEN_ARRAY ? open_array(r) : read_scalar(r);
}

enum status json_reader_values(struct json_reader *r)
{
    r->depth = 0;
    r->nested = false;
    r->count = 0;
    memset(r->sizes, 0xff, sizeof r->sizes); /* UNKNOWN */
    for (;;) {
        enum status st = begin_value(r);
        bool opened = r->token == JSON_TOKEN_OPEN_ARRAY;

        if (st)
            return st;
        /* after '[' or an element: until another element begins */
        for (; r->depth > 0; opened = false) {
            json_reader_next(r);
            if (!opened && r->token != JSON_TOKEN_COMMA && r->token != JSON_TOKEN_CLOSE_ARRAY)
                return fail_expected(r, "',' or ']' after an element");
            if (!opened) {
                r->done[r->depth - 1]++;
                if (r->token == JSON_TOKEN_COMMA)
                    json_reader_next(r);
            }
            if (r->token != JSON_TOKEN_CLOSE_ARRAY)
                break;
            st = close_array(r);
            if (st)
                return st;
        }
        if (r->depth == 0)
            return ST_OK;
    }
}
