#include "lsp/text.h"

#include <string.h>

#include "json/number.h"

/* The lines of a text, one after the other. */
struct line_walk {
    const char *at;   /* where the line begins */
    const char *stop; /* lines that end after it are not looked at */
    const char *end;  /* of the text */
    const char *feed; /* the first \n from `at` on, or stop; NULL: not known */
};

/* Finds the line's end, the byte past it or NULL, and its length without the end. */
static const char *line_end(struct line_walk *l, size_t *length)
{
    const char *carriage;

    if (!l->feed || l->feed < l->at)
        l->feed = memchr(l->at, '\n', (size_t)(l->stop - l->at));
    if (!l->feed)
        l->feed = l->stop;
    carriage = memchr(l->at, '\r', (size_t)(l->feed - l->at));
    *length = (size_t)((carriage ? carriage : l->feed) - l->at);
    if (carriage && (carriage + 1 == l->end || carriage[1] != '\n'))
        return carriage + 1;
    return l->feed < l->stop ? l->feed + 1 : NULL;
}

static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

/* The characters of n bytes. */
static size_t count(const char *p, size_t n, enum lsp_encoding encoding)
{
    size_t units = 0;

    if (encoding == LSP_UTF8)
        return n;
    for (size_t i = 0; i < n; i++) /* what takes four bytes takes two units */
        units += (size_t)!continues(p[i]) + ((unsigned char)p[i] >= 0xf0);
    return units;
}

/* The bytes of so many characters of a line of n bytes, at most n and no part of a character. */
static size_t bytes_of(const char *p, size_t n, size_t characters, enum lsp_encoding encoding)
{
    size_t at = 0, next, units = 0;

    for (; at < n; at = next) {
        for (next = at + 1; next < n && continues(p[next]); next++)
            ;
        units += count(p + at, next - at, encoding);
        if (units > characters)
            break;
    }
    return at;
}

void lsp_line_back(struct lsp_line *at, const char *text)
{
    size_t p = at->offset - 1;

    p -= p > 0 && text[p] == '\n' && text[p - 1] == '\r';
    while (p > 0 && text[p - 1] != '\n' && text[p - 1] != '\r')
        p--;
    at->offset = p;
    at->line--;
}

size_t lsp_offset_near(struct lsp_line *at, const char *text, size_t len,
                       enum lsp_encoding encoding, size_t line, size_t character)
{
    struct line_walk l = { .stop = text + len, .end = text + len };
    const char *next;
    size_t length;

    while (at->line > line && at->line - line < line)
        lsp_line_back(at, text);
    if (at->line > line)
        *at = (struct lsp_line){ 0 };
    l.at = text + at->offset;
    for (; (next = line_end(&l, &length)) && at->line < line; at->line++)
        l.at = next;
    at->offset = (size_t)(l.at - text);
    if (at->line < line)
        return len;
    return at->offset + bytes_of(l.at, length, character, encoding);
}

size_t lsp_offset(const char *text, size_t len, enum lsp_encoding encoding, size_t line,
                  size_t character)
{
    return lsp_offset_near(&(struct lsp_line){ 0 }, text, len, encoding, line, character);
}

/* Moves p forward to an offset that is not before it. */
static void advance(struct lsp_places *p, size_t offset)
{
    struct line_walk l = { .at = p->text + p->offset, .stop = p->text + offset,
                       .end = p->text + p->len };
    const char *next;
    size_t length;

    while ((next = line_end(&l, &length)) && next <= l.stop) {
        l.at = next;
        p->line++;
        p->character = 0;
    }
    p->character += count(l.at, (size_t)(l.stop - l.at), p->encoding);
    p->offset = offset;
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

/* The node at a pointer, or NULL. */
static const struct json_node *node_at(const struct json_doc *doc, const char *pointer)
{
    ptrdiff_t i = doc->node_count > 0 ? json_doc_find(doc, pointer) : -1;

    return i < 0 ? NULL : &doc->nodes[i];
}

bool lsp_get_number(const struct json_doc *doc, const char *pointer, size_t *value)
{
    const struct json_node *node = node_at(doc, pointer);
    enum number_result read;
    uint64_t v = 0;

    if (!node || node->type != JSON_NUMBER || doc->clean[node->start] == '-')
        return false;
    read = number_u64(doc->clean + node->start, node->end - node->start, &v);
    *value = read == NUMBER_RANGE || v > SIZE_MAX ? SIZE_MAX : (size_t)v;
    return read == NUMBER_OK || read == NUMBER_RANGE;
}

bool lsp_get_bool(const struct json_doc *doc, const char *pointer, bool *value)
{
    const struct json_node *node = node_at(doc, pointer);

    if (!node || (node->type != JSON_TRUE && node->type != JSON_FALSE))
        return false;
    *value = node->type == JSON_TRUE;
    return true;
}

char *lsp_get_string(const struct json_doc *doc, const char *pointer)
{
    const struct json_node *node = node_at(doc, pointer);

    return node && node->type == JSON_STRING ? json_doc_string(doc, (size_t)(node - doc->nodes))
                                             : NULL;
}
