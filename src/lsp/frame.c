#include "lsp/frame.h"

#include <string.h>
#include <strings.h>

#include "json/doc.h"
#include "json/number.h"

enum { KEEP = 1 << 20 /* a buffer above this is released when it is empty */ };

void lsp_frames_add(struct lsp_frames *fr, const char *bytes, size_t n)
{
    struct str *b = &fr->bytes;

    if (fr->at == b->len && b->cap > KEEP)
        str_free(b);
    else if (fr->at > 0) {
        memmove(b->s, b->s + fr->at, b->len - fr->at);
        b->len -= fr->at;
    }
    if (fr->at > 0)
        fr->at = 0;
    str_add(b, bytes, n);
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* The value of a header field, n bytes without the blanks around it. */
static bool read_length(const char *value, size_t n, size_t *length, struct diag *dg)
{
    uint64_t v;

    if (n == 0 || number_uint_literal(value, n, &v) != NUMBER_OK) {
        diag_error(dg, ST_INPUT, NULL, "Content-Length is not a number: '%.*s'",
                   (int)(n < 40 ? n : 40), value);
        return false;
    }
    if (v > JSON_MAX_TEXT) {
        diag_error(dg, ST_INPUT, NULL,
                   "a message of %.*s bytes is longer than %zu MiB, the most that one may have",
                   (int)n, value, JSON_MAX_TEXT >> 20);
        return false;
    }
    *length = (size_t)v;
    return true;
}

/* Reads one line of a header, n bytes without its end. */
static bool read_field(const char *line, size_t n, bool *known, size_t *length, struct diag *dg)
{
    static const char name[] = "Content-Length";
    const char *colon = memchr(line, ':', n), *value, *end = line + n;

    if (!colon || colon == line) {
        diag_error(dg, ST_INPUT, NULL, "a message's header has a line that is not a field: '%.*s'",
                   (int)(n < 40 ? n : 40), line);
        return false;
    }
    if ((size_t)(colon - line) != strlen(name) || strncasecmp(line, name, strlen(name)) != 0)
        return true; /* Content-Type, which can say nothing but UTF-8 */
    if (*known) {
        diag_error(dg, ST_INPUT, NULL, "a message's header has two lengths");
        return false;
    }
    *known = true;
    for (value = colon + 1; value < end && is_blank(*value); value++)
        ;
    while (end > value && is_blank(end[-1]))
        end--;
    return read_length(value, (size_t)(end - value), length, dg);
}

/* Reads a whole header: lines up to an empty one. */
static bool read_header(const char *p, const char *end, size_t *length, struct diag *dg)
{
    bool known = false;

    while (p < end - 2) {
        const char *line_end = memmem(p, (size_t)(end - p), "\r\n", 2);

        if (!read_field(p, (size_t)(line_end - p), &known, length, dg))
            return false;
        p = line_end + 2;
    }
    if (!known)
        diag_error(dg, ST_INPUT, NULL, "a message's header has no Content-Length");
    return known;
}

/* Looks for the header's end. */
static enum lsp_frame next_header(struct lsp_frames *fr, struct diag *dg)
{
    const char *start = fr->bytes.s + fr->at, *empty;
    size_t n = fr->bytes.len - fr->at;

    empty = memmem(start, n < LSP_HEADER_MOST ? n : LSP_HEADER_MOST, "\r\n\r\n", 4);
    if (empty) {
        fr->header = (size_t)(empty - start) + 4;
        return read_header(start, empty + 4, &fr->body, dg) ? LSP_FRAME_MESSAGE : LSP_FRAME_BROKEN;
    }
    if (n < LSP_HEADER_MOST)
        return LSP_FRAME_NONE;
    diag_error(dg, ST_INPUT, NULL, "a message's header is longer than %d bytes", LSP_HEADER_MOST);
    return LSP_FRAME_BROKEN;
}

enum lsp_frame lsp_frames_next(struct lsp_frames *fr, const char **text, size_t *len,
                               struct diag *dg)
{
    if (fr->at == fr->bytes.len)
        return LSP_FRAME_NONE;
    if (fr->header == 0) {
        enum lsp_frame found = next_header(fr, dg);

        if (found != LSP_FRAME_MESSAGE)
            return found;
    }
    if (fr->bytes.len - fr->at - fr->header < fr->body)
        return LSP_FRAME_NONE;
    *text = fr->bytes.s + fr->at + fr->header;
    *len = fr->body;
    fr->at += fr->header + fr->body;
    fr->header = fr->body = 0;
    return LSP_FRAME_MESSAGE;
}

bool lsp_frames_cut(const struct lsp_frames *fr) { return fr->at < fr->bytes.len; }

void lsp_frames_free(struct lsp_frames *fr)
{
    str_free(&fr->bytes);
    *fr = (struct lsp_frames){ 0 };
}

void lsp_frame_write(struct str *out, const struct str *body)
{
    str_printf(out, "Content-Length: %zu\r\n\r\n", body->len);
    str_add(out, body->s ? body->s : "", body->len);
    out->failed = out->failed || body->failed;
}
