#include "lsp/text.h"

#include <string.h>

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

enum { BLOCK = 128 }; /* bytes whose units are counted at once */

static size_t block_units(const char *s, enum lsp_encoding encoding)
{
    uint8_t n = 0;

    for (int i = 0; i < BLOCK; i++)
        n = (uint8_t)(n + !continues(s[i]) + ((unsigned char)s[i] >= 0xf0));
    return encoding == LSP_UTF8 ? BLOCK : n;
}

/* The offset of the first such byte from an offset on; len if there is none. */
static size_t find_byte(const char *text, size_t len, size_t at, char byte)
{
    const char *found = at < len ? memchr(text + at, byte, len - at) : NULL;

    return found ? (size_t)(found - text) : len;
}

size_t lsp_offset(const char *text, size_t len, enum lsp_encoding encoding, size_t line,
                  size_t character)
{
    size_t at = 0, end, n;

    for (; line > 0 && at < len; at++)
        line -= ends_line(text, len, at);
    if (line > 0)
        return len;
    end = find_byte(text, find_byte(text, len, at, '\n'), at, '\r');
    for (; end - at > BLOCK && (n = block_units(text + at, encoding)) <= character; at += BLOCK)
        character -= n;
    for (; at < end && (n = units(text[at], encoding)) <= character; at++)
        character -= n;
    while (at > 0 && at < end && continues(text[at]))
        at--;
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

void lsp_write_text(struct json_writer *w, const char *key, const char *text)
{
    struct str b = { 0 };

    str_add_escaped(&b, text, strlen(text));
    json_str(w, key, &b);
}

bool lsp_has_line(const struct str *lines, const char *line)
{
    size_t n = strlen(line);

    for (const char *at = lines->s; at && (at = strstr(at, line)); at++)
        if (at > lines->s && at[-1] == '\n' && at[n] == '\n')
            return true;
    return false;
}

void lsp_write_edit(struct json_writer *w, struct lsp_places *p, size_t start, size_t end,
                    const char *text, size_t n)
{
    json_open(w, NULL, "{}");
    lsp_write_range(w, "range", p, start, end);
    json_stringf(w, "newText", "%.*s", (int)n, text);
    json_close(w);
}
