#include "lsp/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lsp/message.h"

enum { BLOCK = 2048 /* bytes, at most */ };

static struct lsp_place add(struct lsp_place a, struct lsp_place b)
{
    return (struct lsp_place){ a.offset + b.offset, a.line + b.line,
                               b.character + (b.line > 0 ? 0 : a.character) };
}

static struct lsp_place measure(const struct lsp_text *t, size_t from, size_t to)
{
    struct lsp_place d = { .offset = to - from };

    for (const char *s = t->bytes.s + from; from < to; from++, s++) {
        d.character += t->encoding == LSP_UTF8 || !str_continues(*s);
        d.character += t->encoding == LSP_UTF16 && (unsigned char)*s >= 0xf0; /* a surrogate pair */
        if (*s == '\n' || (*s == '\r' && s[1] != '\n')) {
            d.line++;
            d.character = 0;
        }
    }
    return d;
}

size_t lsp_offset(const struct lsp_text *t, size_t line, size_t character)
{
    const char *s = t->bytes.s;
    struct lsp_place p = { 0 };

    for (size_t i = 0; p.offset < t->bytes.len;) { /* blocks, then bytes of the last one */
        struct lsp_place next =
            add(p, i < t->n ? t->blocks[i] : measure(t, p.offset, p.offset + 1));
        bool past = next.line > line || (next.line == line && next.character > character);

        if (past && i >= t->n)
            break;
        p = past ? p : next;
        i = past ? t->n : i + 1;
    }
    while (p.offset > 0 && p.offset < t->bytes.len &&
           (str_continues(s[p.offset]) || (s[p.offset] == '\n' && s[p.offset - 1] == '\r')))
        p.offset--;
    return p.offset;
}

void lsp_text_index(struct lsp_text *t, size_t start, size_t end, size_t n)
{
    size_t first = 0, last, from = 0, to, blocks;

    while (first < t->n && from + t->blocks[first].offset < start)
        from += t->blocks[first++].offset; /* not past a \r that may end its line no longer */
    for (last = first, to = from; last < t->n && (to < end || last == first); last++)
        to += t->blocks[last].offset;
    to = to - (end - start) + n;
    blocks = u64_ceil_div(to - from, BLOCK);
    if (!mem_reserve(&t->blocks, first + blocks + t->n - last, &t->cap, sizeof *t->blocks)) {
        t->bytes.failed = true;
        return;
    }
    memmove(t->blocks + first + blocks, t->blocks + last, (t->n - last) * sizeof *t->blocks);
    t->n = first + blocks + t->n - last;
    for (; blocks > 0; blocks--, from += t->blocks[first++].offset)
        t->blocks[first] = measure(t, from, from + (to - from) / blocks);
}

void lsp_write_range(struct json_writer *w, const char *key, struct lsp_places *p, size_t start,
                     size_t end)
{
    const char *s = p->text->bytes.s;
    size_t len = p->text->bytes.len;
    struct lsp_place last;

    start = start < len ? start : len;
    end = end < start ? start : end < len ? end : len;
    while (start > 0 && start < len && str_continues(s[start]))
        start--;
    while (end < len && str_continues(s[end]))
        end++;
    if (start < p->at.offset)
        p->at = (struct lsp_place){ 0 };
    p->at = add(p->at, measure(p->text, p->at.offset, start));
    last = add(p->at, measure(p->text, start, end));
    json_open(w, key, "{}");
    json_format(w, "start: { line: %zu character: %zu } end: { line: %zu character: %zu } }",
                p->at.line, p->at.character, last.line, last.character);
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

struct lsp_doc *lsp_docs_find(const struct lsp_docs *docs, const char *uri)
{
    for (size_t i = 0; i < docs->n; i++)
        if (strcmp(docs->v[i].uri, uri) == 0)
            return &docs->v[i];
    return NULL;
}

static void release(struct lsp_doc *doc)
{
    str_free(&doc->text.bytes);
    free(doc->text.blocks);
    free(doc->uri);
}

struct lsp_doc *lsp_docs_open(struct lsp_docs *docs, const char *uri, const char *text,
                              int64_t version, enum lsp_encoding encoding)
{
    struct lsp_doc *doc = lsp_docs_find(docs, uri);
    char *copy = mem_strdup(uri);

    if (!copy || (!doc && !mem_reserve(&docs->v, docs->n, &docs->cap, sizeof *docs->v))) {
        free(copy);
        return NULL;
    }
    if (doc)
        release(doc);
    else
        doc = &docs->v[docs->n++];
    *doc = (struct lsp_doc){
        .uri = copy, .version = version, .waiting = true, .text = { .encoding = encoding }
    };
    str_puts(&doc->text.bytes, text);
    if (!doc->text.bytes.failed)
        lsp_text_index(&doc->text, 0, 0, doc->text.bytes.len);
    return doc;
}

void lsp_docs_close(struct lsp_docs *docs, struct lsp_doc *doc)
{
    release(doc);
    *doc = docs->v[--docs->n];
}

void lsp_docs_free(struct lsp_docs *docs)
{
    while (docs->n > 0)
        release(&docs->v[--docs->n]);
    free(docs->v);
    *docs = (struct lsp_docs){ 0 };
}

/* Replaces the bytes [start, end) of a text; false if it would be longer than JSON_MAX_TEXT. */
static bool splice(struct lsp_text *t, size_t start, size_t end, const char *s)
{
    struct str *text = &t->bytes;
    size_t n = strlen(s), tail = text->len - end;

    if (n > JSON_MAX_TEXT || start + tail > JSON_MAX_TEXT - n)
        return false;
    if (n > end - start)
        str_add(text, s, n - (end - start)); /* makes room */
    if (text->failed)
        return true;
    memmove(text->s + start + n, text->s + end, tail);
    memcpy(text->s + start, s, n);
    text->len = start + n + tail;
    text->s[text->len] = '\0';
    lsp_text_index(t, start, end, n);
    return true;
}

static const char not_a_change[] = "a change of it could not be understood";

static const char *change(struct lsp_text *t, const struct json_doc *message, size_t node)
{
    size_t start = 0, end = t->bytes.len;
    ptrdiff_t range = json_doc_member(message, node, "range");
    const char *text = lsp_string(message, json_doc_member(message, node, "text"));

    if (!text || (range >= 0 && (!lsp_get_range(message, range, t, &start, &end) || start > end)))
        return not_a_change;
    return splice(t, start, end, text)
               ? NULL
               : "its text is longer than 1024 MiB, the most that one may have";
}

const char *lsp_docs_change(struct lsp_text *t, const struct json_doc *message)
{
    ptrdiff_t list = json_doc_find(message, "/params/contentChanges");
    const struct json_node *nodes = message->nodes;
    const char *why = NULL;

    if (list < 0 || nodes[list].type != JSON_ARRAY)
        return not_a_change;
    for (size_t i = (size_t)list + 1; i < nodes[list].next && !why && !t->bytes.failed;
         i = nodes[i].next)
        why = change(t, message, i);
    return why;
}
