#include "io/json_reader.h"

#include <math.h>

#include "base/mem.h"
#include "base/path.h"

enum status json_reader_fail_at(struct json_reader *r, struct json_position position,
                                const char *message)
{
    const char *path = r->f->input.path;
    bool npy = path_has_extension(path, ".npy") || path_has_extension(path, ".npz");

    return diag_input(r->dg, path, "line %zu, column %zu: %s%s%s", position.line, position.column,
                      message, npy ? "; this is text, perhaps of a failed download, not " : "",
                      npy ? path_extension(path) : "");
}

struct json_position json_reader_position(const struct json_reader *r, size_t offset)
{
    struct json_position position = r->dropped;

    json_position_advance(&position, r->lx.text, r->lx.len, offset);
    return position;
}

enum status json_reader_fail(struct json_reader *r, const char *fmt, ...)
{
    struct str message = { 0 };
    enum status st;
    va_list ap;

    str_puts(&message, r->name);
    for (unsigned i = 0; i < r->depth; i++) /* "Values[1][0]" */
        str_printf(&message, "[%ju]", r->done[i]);
    str_puts(&message, message.len > 0 ? ": " : "");
    va_start(ap, fmt);
    str_vprintf(&message, fmt, ap);
    va_end(ap);
    st = message.failed ? diag_nomem(r->dg)
                        : json_reader_fail_at(r, json_reader_position(r, r->lx.start), message.s);
    str_free(&message);
    return st;
}

enum status json_reader_fail_token(struct json_reader *r, const char *expected)
{
    if (r->f->titled && r->lx.len - r->lx.start >= 3 &&
        memcmp(r->lx.text + r->lx.start, "...", 3) == 0)
        return json_reader_fail(r,
                                "\"...\" stands for elements that this text does not show; print "
                                "them all with: dmlop show --all");
    json_lex_expected(&r->lx, expected);
    r->lx.start = r->lx.err.offset;
    return json_reader_fail(r, "%s", r->lx.err.message);
}

void json_reader_next(struct json_reader *r)
{
    json_lex(&r->lx);
    if (r->f->titled && r->lx.token == JSON_TOKEN_OPEN_OBJECT)
        r->lx.token = JSON_TOKEN_OPEN_ARRAY;
    if (r->f->titled && r->lx.token == JSON_TOKEN_CLOSE_OBJECT)
        r->lx.token = JSON_TOKEN_CLOSE_ARRAY;
}

enum status json_reader_fail_number(struct json_reader *r, enum number_result result)
{
    const char *type = dtype_name(r->type);
    struct json_quote quote = json_lex_quote(&r->lx);
    bool rules = r->f->rules != NULL;

    if (dtype_table[r->type].kind == KIND_FLOAT)
        return json_reader_fail(r, "%s is too large for %s%s", quote.text, type,
                                rules ? "; --clamp takes the largest number it holds" : "");
    if (result == NUMBER_FRACTION)
        return json_reader_fail(r, "%s is not a whole number, and %s holds only whole numbers%s",
                                quote.text, type, rules ? "; --round takes the nearest one" : "");
    return json_reader_fail(r, "%s is outside %s, %jd to %ju%s", quote.text, type,
                            dtype_min(r->type), dtype_max(r->type),
                            rules ? "; --clamp takes the nearer of these" : "");
}

enum status json_reader_store_special(struct json_reader *r, const struct scalar *special, void *to)
{
    if (cast_allows(r->f->rules, scalar_store(special, r->type, to), &r->f->counts))
        return ST_OK;
    return json_reader_fail(r, "%s is outside %s, which is an integer type%s",
                            json_lex_quote(&r->lx).text, dtype_name(r->type),
                            !r->f->rules        ? ""
                            : isnan(special->f) ? "; --clamp takes 0"
                                                : "; --clamp takes the nearest number it holds");
}

/* True if the last token is NaN, an infinity, or a string for one. */
static bool is_special(const struct json_reader *r, double *v)
{
    const char *s = r->lx.text + r->lx.start, *end = r->lx.text + r->lx.end;
    bool special;
    char *text;

    if (r->lx.token == JSON_TOKEN_STRING) {
        text = json_unescaped(s, (size_t)(end - s));
        special = text && number_special(text, strlen(text), v);
        free(text);
        return special;
    }
    return r->lx.token == JSON_TOKEN_WORD && json_value_special(s, end, v) == end;
}

static const char *expected_value(const struct json_reader *r)
{
    if (r->depth == 0)
        return *r->name
                   ? "a number or an array"
                   : "a tensor: an array of numbers, or an object with DataType, Sizes and Values";
    if (r->depth == r->rank)
        return "a number";
    return r->rank == JSON_NO_RANK ? "a number or an array" : "an array like the one before it";
}

/* Stores the last token, a number or a special one. Declared sizes make no room. */
static enum status store_scalar(struct json_reader *r, const struct scalar *special)
{
    const char *s = r->lx.text + r->lx.start;
    size_t size = dtype_size(r->type), n = r->lx.end - r->lx.start;
    enum number_result result;
    unsigned char *to;

    if (!mem_reserve(&r->f->values, r->count, &r->capacity, size))
        return diag_nomem(r->dg);
    to = (unsigned char *)r->f->values + r->count++ * size;
    if (special)
        return json_reader_store_special(r, special, to);
    result = json_value_convert(r, s, n, to, &r->f->counts);
    return result == NUMBER_OK ? ST_OK : json_reader_fail_number(r, result);
}

/* Reads the last token as an element that is a number, then further elements on threads. */
static enum status read_scalar(struct json_reader *r)
{
    struct scalar value = { .is_float = true };
    bool special = is_special(r, &value.f);
    enum status st = ST_OK;

    if ((!special && r->lx.token != JSON_TOKEN_NUMBER) ||
        (r->rank != JSON_NO_RANK && r->depth != r->rank))
        return json_reader_fail_token(r, expected_value(r));
    r->rank = r->depth;
    if (r->type != DT_NONE)
        st = store_scalar(r, special ? &value : NULL);
    return st || r->depth == 0 ? st : json_pieces_read(r);
}

static enum status close_array(struct json_reader *r)
{
    uint64_t n = r->done[r->depth - 1], *size = &r->sizes[r->depth - 1];

    if (r->rank == JSON_NO_RANK) /* the first array without arrays in it */
        r->rank = r->depth;
    if (*size == JSON_UNKNOWN)
        *size = n;
    r->depth--;
    if (n != *size)
        return json_reader_fail(r, "too few elements: this array has %ju, the one before it %ju", n,
                                *size);
    return ST_OK;
}

/* Reads the value whose first token is the last token. Elements that are read on threads may end
 * arrays and open others, but leave the depth as it was. */
static enum status read_value(struct json_reader *r)
{
    enum status st;

    if (r->depth && r->sizes[r->depth - 1] == r->done[r->depth - 1])
        return json_reader_fail(r, "too many elements: the array before this one has %ju",
                                r->done[r->depth - 1]);
    if (r->lx.token != JSON_TOKEN_OPEN_ARRAY)
        return read_scalar(r);
    if (r->depth == r->rank)
        return json_reader_fail(r, "expected a number like the one before it, found an array");
    if (r->depth == TENSOR_MAX_RANK)
        return json_reader_fail(r, "arrays are nested more than %d levels deep", TENSOR_MAX_RANK);
    r->done[r->depth++] = 0;
    json_reader_next(r);
    while (r->lx.token != JSON_TOKEN_CLOSE_ARRAY) {
        st = read_value(r);
        if (st)
            return st;
        json_reader_next(r);
        if (r->lx.token != JSON_TOKEN_COMMA && r->lx.token != JSON_TOKEN_CLOSE_ARRAY)
            return json_reader_fail_token(r, "',' or ']' after an element");
        r->done[r->depth - 1]++;
        if (r->lx.token == JSON_TOKEN_COMMA)
            json_reader_next(r);
    }
    return close_array(r);
}

enum status json_reader_values(struct json_reader *r)
{
    r->depth = 0;
    r->rank = JSON_NO_RANK;
    r->count = 0;
    memset(r->sizes, 0xff, sizeof r->sizes); /* JSON_UNKNOWN */
    return read_value(r);
}
