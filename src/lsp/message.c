#include "lsp/message.h"

#include "json/number.h"

enum { KEEP = 1 << 20 /* an empty buffer above this size is released */ };

void lsp_frames_add(struct lsp_frames *fr, const char *bytes, size_t n)
{
    struct str *b = &fr->bytes;

    if (fr->at == b->len && b->cap > KEEP)
        str_free(b);
    else if (fr->at > 0) {
        b->len -= fr->at;
        memmove(b->s, b->s + fr->at, b->len);
    }
    fr->ahead = fr->ahead > fr->at ? fr->ahead - fr->at : 0;
    fr->at = 0;
    str_add(b, bytes, n);
}

/* Reads the lines of a header, each of which ends with \r\n. */
static enum status read_header(const char *p, const char *end, size_t *length, struct diag *dg)
{
    static const char name[] = "content-length";
    bool known = false;

    for (const char *stop; p < end; p = stop + 2) {
        const char *colon, *value;
        uint64_t v;
        size_t n;

        stop = memmem(p, (size_t)(end - p), "\r\n", 2);
        colon = memchr(p, ':', (size_t)(stop - p));
        if (!colon || colon == p)
            return diag_input(dg, NULL, "a message's header has a line that is not a field: '%.*s'",
                              (int)(stop - p < 40 ? stop - p : 40), p);
        if ((size_t)(colon - p) != strlen(name) || strncasecmp(p, name, strlen(name)) != 0)
            continue; /* Content-Type, which is always UTF-8 */
        if (known)
            return diag_input(dg, NULL, "a message's header has two lengths");
        known = true;
        value = colon + 1 + strspn(colon + 1, " \t");
        for (n = (size_t)(stop - value); n > 0 && strchr(" \t", value[n - 1]);)
            n--;
        if (n == 0 || number_uint_literal(value, n, &v) != NUMBER_OK)
            return diag_input(dg, NULL, "Content-Length is not a number: '%.*s'",
                              (int)(n < 40 ? n : 40), value);
        if (v > JSON_MAX_TEXT)
            return diag_input(
                dg, NULL,
                "a message of %.*s bytes is longer than %zu MiB, the most that one may have",
                (int)n, value, JSON_MAX_TEXT >> 20);
        *length = (size_t)v;
    }
    return known ? ST_OK : diag_input(dg, NULL, "a message's header has no Content-Length");
}

enum status lsp_frames_next(const struct lsp_frames *fr, size_t *at, const char **text, size_t *len,
                            struct diag *dg)
{
    size_t n = fr->bytes.len - *at;
    const char *start = n > 0 ? fr->bytes.s + *at : "";
    const char *blank = memmem(start, n < LSP_HEADER_MOST ? n : LSP_HEADER_MOST, "\r\n\r\n", 4);
    enum status st;

    *text = NULL;
    if (!blank && n < LSP_HEADER_MOST)
        return ST_OK;
    if (!blank)
        return diag_input(dg, NULL, "a message's header is longer than %d bytes", LSP_HEADER_MOST);
    st = read_header(start, blank + 2, len, dg);
    n -= (size_t)(blank + 4 - start);
    if (st || *len > n)
        return st;
    *text = blank + 4;
    *at += (size_t)(*text - start) + *len;
    return ST_OK;
}

static ptrdiff_t member(const struct json_doc *message, ptrdiff_t node, const char *key)
{
    return node < 0 ? -1 : json_doc_member(message, (size_t)node, key);
}

/* Reads a whole number that is not negative; above SIZE_MAX it is SIZE_MAX. */
static bool get_number(const struct json_doc *message, ptrdiff_t node, size_t *value)
{
    const struct json_node *n = node < 0 ? NULL : &message->nodes[node];
    enum number_result read;
    uint64_t v = 0;

    if (!n || n->type != JSON_NUMBER || message->clean[n->start] == '-')
        return false;
    read = number_u64(message->clean + n->start, n->end - n->start, &v);
    *value = read == NUMBER_RANGE || v > SIZE_MAX ? SIZE_MAX : (size_t)v;
    return read == NUMBER_OK || read == NUMBER_RANGE;
}

bool lsp_get_offset(const struct json_doc *message, ptrdiff_t node, const struct lsp_text *t,
                    size_t *offset)
{
    size_t line, character;

    if (!get_number(message, member(message, node, "line"), &line) ||
        !get_number(message, member(message, node, "character"), &character))
        return false;
    *offset = lsp_offset(t, line, character);
    return true;
}

bool lsp_get_range(const struct json_doc *message, ptrdiff_t node, const struct lsp_text *t,
                   size_t *start, size_t *end)
{
    return lsp_get_offset(message, member(message, node, "start"), t, start) &&
           lsp_get_offset(message, member(message, node, "end"), t, end);
}

const char *lsp_string(const struct json_doc *doc, ptrdiff_t node)
{
    bool string = node >= 0 && doc->nodes[node].type == JSON_STRING;

    return string ? json_doc_text(doc, (size_t)node) : NULL;
}

char *lsp_get_json(const struct json_doc *message, const char *pointer)
{
    ptrdiff_t node = json_doc_find(message, pointer);
    const struct json_node *n = node < 0 ? NULL : &message->nodes[node];

    return n ? str_format("%.*s", (int)(n->end - n->start), message->clean + n->start) : NULL;
}

static struct json_writer *begin(struct lsp_message *m)
{
    *m = (struct lsp_message){ .w = { .out = &m->body, .tight = true } };
    json_format(&m->w, "{ jsonrpc: %s", "2.0");
    return &m->w;
}

struct json_writer *lsp_begin_answer(struct lsp_message *m, const char *id)
{
    json_raw(begin(m), "id", id ? id : "null");
    return &m->w;
}

struct json_writer *lsp_begin_notification(struct lsp_message *m, const char *method)
{
    json_string(begin(m), "method", method);
    return &m->w;
}

void lsp_end(struct lsp_message *m, struct str *out)
{
    json_close_to(&m->w, 0);
    str_printf(out, "Content-Length: %zu\r\n\r\n%s", m->body.len, m->body.s ? m->body.s : "");
    out->failed = out->failed || m->body.failed;
    str_free(&m->body);
}

void lsp_answer_null(struct str *out, const char *id)
{
    struct lsp_message m;

    json_raw(lsp_begin_answer(&m, id), "result", "null");
    lsp_end(&m, out);
}

/* Ends a message with the member "message". */
static void end_text(struct lsp_message *m, const char *fmt, va_list ap, struct str *out)
{
    struct str text = { 0 };

    str_vprintf(&text, fmt, ap);
    json_str(&m->w, "message", &text);
    lsp_end(m, out);
}

void lsp_answer_error(struct str *out, const char *id, enum lsp_error code, const char *fmt, ...)
{
    struct lsp_message m;
    va_list ap;

    json_format(lsp_begin_answer(&m, id), "error: {");
    json_int(&m.w, "code", code);
    va_start(ap, fmt);
    end_text(&m, fmt, ap, out);
    va_end(ap);
}

void lsp_say(struct str *out, enum lsp_message_type type, const char *fmt, ...)
{
    struct lsp_message m;
    va_list ap;

    json_format(lsp_begin_notification(&m, "window/showMessage"), "params: { type: %u", type);
    va_start(ap, fmt);
    end_text(&m, fmt, ap, out);
    va_end(ap);
}
