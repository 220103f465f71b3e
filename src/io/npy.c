#include "io/npy.h"

#include <errno.h>

#include "base/mem.h"
#include "io/file.h"
#include "tensor/element.h"

extern const char io_fragments[];

enum { PREFIX_V1 = 10 /* bytes before the text of a header of version 1.0 */ };

/* The rest of a header's text, a Python dict of literals. */
struct cursor {
    const char *p, *end;
    char *error;
};

static bool PRINTF_LIKE(2, 3) fail(char *error, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(error, NPY_ERROR_TEXT, fmt, ap);
    va_end(ap);
    return false;
}

static void skip_blanks(struct cursor *c)
{
    while (c->p < c->end &&
           (*c->p == ' ' || *c->p == '\t' || *c->p == '\n' || *c->p == '\r' || *c->p == '\f'))
        c->p++;
}

/* Skips blanks and then `word`; false if it does not follow. */
static bool skip_word(struct cursor *c, const char *word)
{
    size_t n = strlen(word);

    skip_blanks(c);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0)
        return false;
    c->p += n;
    return true;
}

/* Reads a quoted string without escapes into buf[size]. */
static bool read_string(struct cursor *c, char *buf, size_t size, const char *what)
{
    const char *start;
    char quote;

    skip_blanks(c);
    if (c->p < c->end && *c->p == 'u') /* Python 2 wrote such prefixes */
        c->p++;
    if (c->p == c->end || (*c->p != '\'' && *c->p != '"'))
        return fail(c->error, "the .npy header has no quoted string for %s", what);
    quote = *c->p++;
    start = c->p;
    while (c->p < c->end && *c->p != quote && *c->p != '\\')
        c->p++;
    if (c->p == c->end || *c->p != quote)
        return fail(c->error,
                    c->p < c->end ? "the .npy header's string for %s has a backslash"
                                  : "the .npy header's string for %s has no closing quote",
                    what);
    if ((size_t)(c->p - start) >= size)
        return fail(c->error, "the .npy header's string for %s is too long", what);
    memcpy(buf, start, (size_t)(c->p - start));
    buf[c->p - start] = '\0';
    c->p++;
    return true;
}

bool npy_is_big_endian(enum dtype type, bool swapped)
{
    return dtype_size(type) > 1 && swapped != BIG_MACHINE;
}

static bool parse_size(struct cursor *c, uint64_t *size)
{
    const char *start;
    uint64_t n = 0;

    skip_blanks(c);
    start = c->p;
    if (c->p < c->end && *c->p == '-')
        return fail(c->error, "the .npy header's shape has a negative size");
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++)
        if (!u64_mul(n, 10, &n) || !u64_add(n, (uint64_t)(*c->p - '0'), &n) || n > INT64_MAX)
            return fail(c->error, "the .npy header's shape has a size above 2^63 - 1");
    if (c->p == start)
        return fail(c->error,
                    "the .npy header's shape contains something that is not a whole number");
    if (c->p < c->end && *c->p == 'L')
        c->p++;
    *size = n;
    return true;
}

/* "(2, 3)", "(2,)", "()". */
static bool parse_shape(struct cursor *c, struct npy_header *h)
{
    bool comma = true;

    if (!skip_word(c, "("))
        return fail(c->error, "the .npy header's shape is not a tuple");
    while (!skip_word(c, ")")) {
        if (!comma)
            return fail(c->error, "the .npy header's shape lacks a comma or ')'");
        if (h->rank == TENSOR_MAX_RANK)
            return fail(c->error, "the array has more than %d dimensions", TENSOR_MAX_RANK);
        if (!parse_size(c, &h->sizes[h->rank]))
            return false;
        h->rank++;
        comma = skip_word(c, ",");
    }
    if (h->rank == 1 && !comma)
        return fail(c->error,
                    "the .npy header's shape is a number in parentheses, not a tuple like (3,)");
    return true;
}

/* Refuses a structured type, with its first field as an example. */
static bool refuse_structure(struct cursor *c)
{
    char name[24];

    if (!skip_word(c, "[") || !skip_word(c, "(") || !read_string(c, name, sizeof name, ""))
        snprintf(name, sizeof name, "x");
    return fail(c->error,
                "structured NumPy types are not supported; save each field as an array of its own, "
                "as numpy.save(\"%s.npy\", a[\"%s\"])",
                name, name);
}

/* Spellings without a size. A letter may follow a byte order, a name may not. */
static const struct {
    const char *letters, *names;
} spellings[DT_COUNT] = { /* DT_NONE: bool */
#include "io/spellings_rows.h"
};

bool npy_is(const void *bytes, size_t len)
{
    return len >= NPY_MAGIC_LEN && memcmp(bytes, NPY_MAGIC, NPY_MAGIC_LEN) == 0;
}

/* Finds f4, f, or if `names`, float32; DT_NONE is bool. */
static bool find_type(const char *s, bool names, enum dtype *type)
{
    char kind = '\0', *end = NULL;
    unsigned long size = strtoul(*s ? s + 1 : s, &end, 10); /* as NumPy: "f04", "f 4" */

    if (*s && *end == '\0' && end > s + 1)
        kind = *s;
    for (int t = DT_NONE + 1; t < DT_COUNT; t++)
        if (kind == dtype_table[t].npy[1] && size == dtype_table[t].size) {
            *type = (enum dtype)t;
            return true;
        }
    *type = DT_NONE;
    if (kind)
        return kind == 'b' && size == 1;
    for (int t = DT_NONE; t < DT_COUNT && *s; t++) {
        *type = (enum dtype)t;
        if (s[1] ? names && str_is_word(s, strlen(s), spellings[t].names, false)
                 : strchr(spellings[t].letters, *s) != NULL)
            return true;
    }
    return false;
}

/* Refuses a type by the row that has it, of types that dmlop does not have and what saves their
 * numbers: NAME: TYPE ... | REMEDY. A type without a size is any size. */
static bool refuse_type(const char *descr, const char *s, char *error)
{
    const char *row = embedded_find(io_fragments, "npy_types.txt"), *end;
    unsigned long size = strtoul(*s ? s + 1 : s, NULL, 10);

    for (; *s && *row; row = end + (*end != '\0')) {
        const char *types = strstr(row, ": ") + 1, *remedy = strstr(types, " | ");

        end = row + strcspn(row, "\n");
        for (const char *t = types; t < remedy; t += strcspn(t + 1, " ") + 1)
            if (t[1] == *s && (t[2] == ' ' || strtoul(t + 2, NULL, 10) == size))
                return fail(error, "NumPy type '%s' (%.*s) is not supported; save %.*s", descr,
                            (int)(types - 1 - row), row, (int)(end - remedy - 3), remedy + 3);
    }
    return fail(error, "unknown NumPy type '%s'", descr);
}

static bool is_order(char c) { return c && strchr("<>=|", c); }

static char read_order(char **s, char otherwise) { return is_order(**s) ? *(*s)++ : otherwise; }

/* Sets type, is_bool and swapped by the text of a descr: "<f4" and all other strings that
 * numpy.dtype() makes one of these types of, such as "float32", "single", "f" and ">I"; "l" and
 * "int_" have 64 bits, as on Linux. V2 is DT_BFLOAT16. False, with a message and a remedy in
 * error[NPY_ERROR_TEXT], for all others. */
static bool read_descr(const char *descr, struct npy_header *h, char *error)
{
    char text[64], order, *s = text;
    size_t n;

    snprintf(text, sizeof text, "%s", descr);
    n = strlen(text);
    if (n > 0 && text[n - 1] == ',') /* one type alone, with a comma or without a shape */
        text[n - 1] = '\0';
    order = read_order(&s, '=');
    if (strncmp(s, "()", 2) == 0 || *s == '1') {
        s += *s == '1' ? 1 : 2;
        order = read_order(&s, order);
    }
    if (find_type(s, s == text || !is_order(s[-1]), &h->type)) {
        h->is_bool = h->type == DT_NONE;
        h->type = h->is_bool ? DT_UINT8 : h->type;
    } else if (strcmp(s, "V2") == 0)
        h->type = DT_BFLOAT16;
    else
        return refuse_type(descr, s, error);
    h->swapped =
        dtype_size(h->type) > 1 && (order == '>' || order == '<') && (order == '>') != BIG_MACHINE;
    return true;
}

enum { KEY_DESCR, KEY_ORDER, KEY_SHAPE, KEY_COUNT };
static const char *const keys[KEY_COUNT] = { "descr", "fortran_order", "shape" };

/* Reads one key and its value; seen collects the keys. */
static bool parse_member(struct cursor *c, struct npy_header *h, bool seen[KEY_COUNT])
{
    char key[24], descr[64];
    int k = 0;

    if (!read_string(c, key, sizeof key, "a key"))
        return false;
    if (!skip_word(c, ":"))
        return fail(c->error, "the .npy header lacks ':' after '%s'", key);
    while (k < KEY_COUNT && strcmp(key, keys[k]) != 0)
        k++;
    if (k == KEY_COUNT)
        return fail(c->error, "the .npy header has an unknown key '%s'", key);
    if (seen[k])
        return fail(c->error, "the .npy header has '%s' twice", key);
    seen[k] = true;
    if (k == KEY_SHAPE)
        return parse_shape(c, h);
    if (k == KEY_ORDER) {
        h->fortran = skip_word(c, "True");
        return h->fortran || skip_word(c, "False") ||
               fail(c->error, "the .npy header's fortran_order is neither True nor False");
    }
    skip_blanks(c);
    if (c->p < c->end && (*c->p == '[' || *c->p == '(' || *c->p == '{'))
        return refuse_structure(c);
    return read_string(c, descr, sizeof descr, "'descr'") && read_descr(descr, h, c->error);
}

static bool parse_dict(struct cursor *c, struct npy_header *h)
{
    bool seen[KEY_COUNT] = { false }, comma = true;

    if (!skip_word(c, "{"))
        return fail(c->error, "the .npy header is not a Python dict");
    while (!skip_word(c, "}")) {
        if (!comma)
            return fail(c->error, "the .npy header lacks ',' or '}'");
        if (!parse_member(c, h, seen))
            return false;
        comma = skip_word(c, ",");
    }
    skip_blanks(c);
    if (c->p != c->end)
        return fail(c->error, "the .npy header has more text after its dict");
    for (int k = 0; k < KEY_COUNT; k++)
        if (!seen[k])
            return fail(c->error, "the .npy header lacks '%s'", keys[k]);
    return true;
}

size_t npy_header_end(const void *bytes, size_t len)
{
    const unsigned char *b = bytes;

    if (len >= PREFIX_V1 && b[6] == 1)
        return PREFIX_V1 + ((size_t)b[8] | (size_t)b[9] << 8);
    if (len < NPY_PREFIX_MAX)
        return 0;
    return NPY_PREFIX_MAX +
           ((size_t)b[8] | (size_t)b[9] << 8 | (size_t)b[10] << 16 | (size_t)b[11] << 24);
}

bool npy_read_header(const void *bytes, size_t len, struct npy_header *h, char *error)
{
    const unsigned char *b = bytes;
    struct cursor c = { .error = error };
    size_t prefix, end = npy_header_end(bytes, len);

    *h = (struct npy_header){ 0 };
    if (!npy_is(bytes, len) || len < PREFIX_V1)
        return fail(error, "the .npy header is cut short after %zu bytes", len);
    h->major = b[6];
    h->minor = b[7];
    if (h->major < 1 || h->major > 3 || h->minor != 0)
        return fail(error, ".npy version %u.%u is unknown; 1.0, 2.0 and 3.0 are read", h->major,
                    h->minor);
    if (end == 0)
        return fail(error, "the .npy header is cut short after %zu bytes", len);
    prefix = h->major == 1 ? PREFIX_V1 : NPY_PREFIX_MAX;
    if (end > len)
        return fail(error, "the .npy header says it is %zu bytes long, but only %zu follow",
                    end - prefix, len - prefix);
    c.p = (const char *)b + prefix;
    c.end = (const char *)b + end;
    if (!parse_dict(&c, h))
        return false;
    if (!tensor_dense_bytes(h->type, h->rank, h->sizes, &h->data_bytes))
        return fail(error, "an array of sizes %s is larger than any file",
                    tensor_sizes_text(h->rank, h->sizes).text);
    h->count = h->data_bytes / dtype_size(h->type);
    if (end < len && b[end - 1] == '\r')
        return fail(error,
                    "each line feed (\\n) became \\r%s when the file was transferred as text; "
                    "transfer it again as binary data",
                    b[end] == '\n' ? "\\n" : "");
    h->data_offset = end;
    return h->type != DT_BFLOAT16 ||
           fail(error, "NumPy type 'V2' is bfloat16 if ml_dtypes saved it; read it with --dtype "
                       "bfloat16, or save a.view(ml_dtypes.bfloat16).astype(\"float32\")");
}

bool npy_check_length(const struct npy_header *h, uint64_t bytes_left, bool more,
                      char error[NPY_LENGTH_TEXT])
{
    if (bytes_left < h->data_bytes)
        snprintf(error, NPY_LENGTH_TEXT,
                 "the data is cut short: %s %s needs %ju bytes, but only %ju are there",
                 dtype_name(h->type), tensor_sizes_text(h->rank, h->sizes).text, h->data_bytes,
                 bytes_left);
    else if (bytes_left - h->data_bytes > NPY_PADDING)
        snprintf(error, NPY_LENGTH_TEXT,
                 "%s%ju bytes follow the data of %s %s; the header or the file is wrong",
                 more ? "at least " : "", bytes_left - h->data_bytes, dtype_name(h->type),
                 tensor_sizes_text(h->rank, h->sizes).text);
    else
        return true;
    return false;
}

/* NumPy leaves room for 21 digits of the first axis, which may grow. */
enum { GROWTH_DIGITS = 21, NPY_ALIGN = 64 };

void npy_format_header(struct str *b, enum dtype type, bool is_bool, unsigned rank,
                       const uint64_t *sizes)
{
    struct str dict = { 0 };
    size_t total, length;

    str_printf(&dict, "{'descr': '%s', 'fortran_order': False, 'shape': (",
               is_bool ? "|b1" : dtype_table[type].npy);
    for (unsigned i = 0; i < rank; i++)
        str_printf(&dict, "%s%llu", i ? ", " : "", (unsigned long long)sizes[i]);
    str_puts(&dict, rank == 1 ? ",), }" : "), }");
    if (rank > 0)
        str_printf(&dict, "%*s",
                   GROWTH_DIGITS - snprintf(NULL, 0, "%llu", (unsigned long long)sizes[0]), "");
    /* NumPy pads with 1 to 64 bytes: with 64 where the length is a multiple of 64 already. */
    total = (PREFIX_V1 + dict.len + 1) / NPY_ALIGN * NPY_ALIGN + NPY_ALIGN;
    length = total - PREFIX_V1;
    str_add(b, NPY_MAGIC, NPY_MAGIC_LEN);
    str_add(b, (const char[]){ 1, 0, (char)(length & 255), (char)(length >> 8) }, 4);
    str_printf(b, "%s%*s\n", dict.s ? dict.s : "", (int)(length - dict.len - 1), "");
    b->failed = b->failed || dict.failed;
    str_free(&dict);
}

bool npy_peek(const char *path, struct npy_peek *p)
{
    char *bytes = mem_alloc(NPY_PEEK_BYTES, 1); /* a small stack would not hold them */
    ptrdiff_t have;

    *p = (struct npy_peek){ .failed = !bytes };
    have = bytes ? file_head(path, bytes, NPY_PEEK_BYTES, &p->length) : -1;
    p->err = have < 0 ? errno : 0;
    if (have < 0)
        snprintf(p->error, sizeof p->error, "%s",
                 p->err == ESPIPE ? "it is not a regular file" : strerror(p->err));
    else if (npy_is(bytes, (size_t)have))
        p->is_npy = npy_read_header(bytes, (size_t)have, &p->header, p->error);
    free(bytes);
    return have >= 0 && !*p->error;
}
