#include "lsp/text.h"

static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

/* True if the byte at an offset ends a line: \n, or \r that no \n follows. */
static bool ends_line(const char *text, size_t len, size_t at)
{
    return text[at] == '\n' || (text[at] == '\r' && (at + 1 == len || text[at + 1] != '\n'));
}

/* Characters that a byte adds: four bytes of UTF-8 are two UTF-16 code units. */
static size_t units(char c, enum lsp_encoding encoding)
{
    if (encoding == LSP_UTF8)
        return 1;
    return (size_t)!continues(c) + ((unsigned char)c >= 0xf0);
}

size_t lsp_offset(const char *text, size_t len, enum lsp_encoding encoding, size_t line,
                  size_t character)
{
    size_t at = 0;

    for (; line > 0 && at < len; at++)
        line -= ends_line(text, len, at);
    if (line > 0)
        return len;
    while (at < len && text[at] != '\n' && text[at] != '\r') {
        size_t next = at + 1, n = units(text[at], encoding);

        for (; next < len && continues(text[next]); next++)
            n += units(text[next], encoding);
        if (n > character)
            break;
        character -= n;
        at = next;
    }
    return at;
}

/* Moves p forward to an offset. */
static void advance(struct lsp_places *p, size_t offset)
{
    for (; p->offset < offset; p->offset++) {
        p->character += units(p->text[p->offset], p->encoding);
        if (ends_line(p->text, p->len, p->offset)) {
            p->line++;
            p->character = 0;
        }
    }
}

static void write_position(struct json_writer *w, const char *key, const struct lsp_places *p)
{
    json_open(w, key, "{}");
    json_uint(w, "line", p->line);
    json_uint(w, "character", p->character);
    json_close(w);
}

void lsp_write_range(struct json_writer *w, const char *key, struct lsp_places *p, size_t start,
                     size_t end)
{
    struct lsp_places last;

    start = start < p->len ? start : p->len;
    end = end < start ? start : end < p->len ? end : p->len;
    while (start > 0 && start < p->len && continues(p->text[start]))
        start--;
    while (end < p->len && continues(p->text[end]))
        end++;
    if (start < p->offset)
        p->offset = p->line = p->character = 0;
    advance(p, start);
    last = *p;
    advance(&last, end);
    json_open(w, key, "{}");
    write_position(w, "start", p);
    write_position(w, "end", &last);
    json_close(w);
}

void lsp_write_edit(struct json_writer *w, struct lsp_places *p, size_t start, size_t end,
                    const char *text, size_t n)
{
    json_open(w, NULL, "{}");
    lsp_write_range(w, "range", p, start, end);
    json_stringf(w, "newText", "%.*s", (int)n, text);
    json_close(w);
}
