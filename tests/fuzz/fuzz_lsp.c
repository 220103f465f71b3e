/* Message streams to the language server: a message a line, or framed where the input begins with a
 * header. Each request has one answer, and what is written is framed JSON; a stream is cut into the
 * same messages however it comes in; a place in a text is where its position says.
 * Of src: lsp/completion.c lsp/cursor.c lsp/diagnostics.c lsp/docs.c lsp/hover.c
 * lsp/message.c lsp/offer.c lsp/schema.c lsp/server.c lsp/symbols.c lsp/text.c lsp/work.c */
#include "fuzz.h"
#include "lsp/message.h"
#include "lsp/server.h"

static bool has(const struct json_doc *doc, const char *pointer)
{
    return json_doc_find(doc, pointer) >= 0;
}

static bool is_string(const struct json_doc *doc, const char *pointer)
{
    ptrdiff_t node = json_doc_find(doc, pointer);

    return node >= 0 && doc->nodes[node].type == JSON_STRING;
}

/* How many answers a message has. */
static size_t answers_to(const char *text, size_t len)
{
    struct json_doc doc = { 0 };
    struct json_error err;
    size_t n = 1;

    if (json_doc_scan(&doc, text, len, &err) == JSON_OK) {
        ptrdiff_t version = json_doc_find(&doc, "/jsonrpc");

        if (!is_string(&doc, "/method") && (has(&doc, "/result") || has(&doc, "/error")))
            n = 0;
        else if (is_string(&doc, "/method") && !has(&doc, "/id") && version >= 0 &&
                 lsp_string_is(&doc, (size_t)version, "2.0"))
            n = 0;
    }
    json_doc_free(&doc);
    return n;
}

/* One message that the server wrote; whether it is an answer. */
static bool check_message(const char *text, size_t len)
{
    struct json_doc doc = { 0 };
    struct json_error err;
    bool answer;

    if (json_doc_scan(&doc, text, len, &err) != JSON_OK)
        fuzz_fail("the server wrote what is no JSON, at %zu: %.*s", err.offset, (int)len, text);
    if (memcmp(doc.clean, text, len) != 0)
        fuzz_fail("the server wrote comments or trailing commas: %.*s", (int)len, text);
    answer = has(&doc, "/id");
    if (!is_string(&doc, "/jsonrpc") || answer == has(&doc, "/method") ||
        (answer && has(&doc, "/result") == has(&doc, "/error")) ||
        (has(&doc, "/error") && !is_string(&doc, "/error/message")))
        fuzz_fail("the server wrote what is no message: %.*s", (int)len, text);
    json_doc_free(&doc);
    return answer;
}

/* All that the server wrote; how many answers are in it. */
static size_t check_output(const struct str *out)
{
    size_t at = 0, answers = 0;

    while (at < out->len) {
        char header[64];
        size_t len = 0, n = 0;

        if (sscanf(out->s + at, "Content-Length: %zu", &len) != 1 ||
            (n = (size_t)snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", len)) >
                out->len - at ||
            memcmp(out->s + at, header, n) != 0 || len > out->len - at - n)
            fuzz_fail("the server wrote what is not framed: %s", out->s + at);
        at += n;
        answers += check_message(out->s + at, len);
        at += len;
    }
    return answers;
}

/* Bytes of some places, to positions and back. */
static void check_places(const struct lsp_text *t)
{
    const char *text = t->bytes.s;
    size_t len = t->bytes.len;

    for (size_t i = 0; i < 8; i++) {
        struct lsp_places places = { .text = t };
        size_t offset = len * i / 7, line = 0, character = 0;
        struct str b = { 0 };
        struct json_writer w = { .out = &b, .tight = true };

        while (offset > 0 && ((unsigned char)text[offset] & 0xc0) == 0x80)
            offset--;
        if (offset > 0 && text[offset - 1] == '\r' && text[offset] == '\n')
            offset--;
        lsp_write_range(&w, NULL, &places, offset, offset);
        if (b.failed ||
            sscanf(b.s, "{\"start\": {\"line\": %zu, \"character\": %zu}", &line, &character) != 2)
            fuzz_fail("a range is %s", b.s);
        if (lsp_offset(t, line, character) != offset)
            fuzz_fail("byte %zu is %zu:%zu, and that is byte %zu", offset, line, character,
                      lsp_offset(t, line, character));
        str_free(&b);
    }
}

/* What was parsed last is the newest text of its document. */
static void check_parsed(const struct lsp_server *s)
{
    const struct lsp_parsed *p = &s->parsed;

    for (size_t i = 0; i < s->docs.n; i++) {
        const struct str *text = &s->docs.v[i].text.bytes;

        if (p->edition == s->docs.v[i].edition && p->served && !s->docs.v[i].unknown &&
            (p->checked.document.len != text->len ||
             (text->len && memcmp(p->checked.document.text, text->s, text->len) != 0)))
            fuzz_fail("another text is parsed than %s", text->s);
    }
}

/* Gives a message to the server; half of them follow the one before without a pause, so that
 * changes come together, and requests before the check. */
static void give(struct lsp_server *s, const char *text, size_t len)
{
    size_t want = answers_to(text, len), have;
    struct str out = { 0 };

    if (s->phase >= LSP_ENDED)
        return;
    if (lsp_server_message(s, text, len, &out) != ST_OK)
        fuzz_fail("a message was not taken");
    while (len % 2 == 1 && lsp_server_check(s, &out))
        ;
    check_parsed(s);
    have = check_output(&out);
    if (have != want)
        fuzz_fail("%zu answers instead of %zu: %s", have, want, out.s ? out.s : "");
    str_free(&out);
    if (s->docs.n > 0) {
        const struct lsp_doc *doc = &s->docs.v[s->docs.n - 1];
        const struct str *all = &doc->text.bytes;

        if (all->s && strlen(all->s) != all->len && !doc->unknown)
            fuzz_fail("a text has %zu bytes, and %zu before its end", all->len, strlen(all->s));
        if (!doc->unknown)
            check_places(&doc->text);
    }
}

/* Cuts a stream into messages, which come in so many bytes at a time, for a server or, where that
 * is NULL, to be compared: a hash of them. */
static uint64_t give_stream(struct lsp_server *s, const char *bytes, size_t n, size_t step)
{
    struct lsp_frames frames = { .at = 0 };
    enum status st = ST_OK;
    uint64_t hash = 0;

    for (size_t at = 0; at < n && st == ST_OK; at += step) {
        struct diag dg = fuzz_diag();
        const char *text;
        size_t len;

        lsp_frames_add(&frames, bytes + at, step < n - at ? step : n - at);
        while (s && lsp_frames_next(&frames, &frames.ahead, &text, &len, &dg) == ST_OK && text)
            lsp_server_look(s, text, len);
        while ((st = lsp_frames_next(&frames, &frames.at, &text, &len, &dg)) == ST_OK && text) {
            for (size_t i = 0; i < len; i++)
                hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
            hash = (hash ^ len) * 1099511628211u;
            if (s)
                give(s, text, len);
        }
        if (!s)
            fuzz_check_said(st);
    }
    str_free(&frames.bytes);
    return hash ^ (st != ST_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag dg = fuzz_diag();
    struct lsp_server s = { .dg = &dg, .settings.check.desc.level = LEVEL_NEWEST };
    const char *text = (const char *)data, *end = text + size;

    if (size >= 8 && memcmp(text, "Content-", 8) == 0) {
        if (give_stream(NULL, text, size, 1) != give_stream(NULL, text, size, size))
            fuzz_fail("a stream that comes byte by byte is another");
        give_stream(&s, text, size, 61);
    } else
        while (text < end) {
            const char *line_end = memchr(text, '\n', (size_t)(end - text));
            size_t len = (size_t)((line_end ? line_end : end) - text);
            char *line = fuzz_alloc(len); /* exactly so many bytes */

            memcpy(line, text, len);
            give(&s, line, len);
            free(line);
            text += len + 1;
        }
    lsp_server_free(&s);
    return 0;
}
