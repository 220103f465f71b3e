#include "lsp/docs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct lsp_doc *lsp_docs_find(const struct lsp_docs *docs, const char *uri)
{
    for (size_t i = 0; i < docs->n; i++)
        if (strcmp(docs->v[i].uri, uri) == 0)
            return &docs->v[i];
    return NULL;
}

static void release(struct lsp_doc *doc)
{
    str_free(&doc->text);
    free(doc->uri);
}

struct lsp_doc *lsp_docs_open(struct lsp_docs *docs, char *uri, char *text, int64_t version)
{
    struct lsp_doc *doc = lsp_docs_find(docs, uri);
    size_t len = strlen(text);

    if (doc)
        release(doc);
    else if (mem_reserve(&docs->v, docs->n, &docs->cap, sizeof *docs->v))
        doc = &docs->v[docs->n++];
    else {
        free(uri);
        free(text);
        return NULL;
    }
    *doc = (struct lsp_doc){ .uri = uri, .version = version, .waiting = true,
                             .text = { .s = text, .len = len, .cap = len + 1 } };
    return doc;
}

void lsp_docs_close(struct lsp_docs *docs, struct lsp_doc *doc)
{
    release(doc);
    *doc = docs->v[--docs->n];
}

void lsp_docs_free(struct lsp_docs *docs)
{
    for (size_t i = 0; i < docs->n; i++)
        release(&docs->v[i]);
    free(docs->v);
    *docs = (struct lsp_docs){ 0 };
}

/* Replaces the bytes [start, end) of a text. */
static enum lsp_change splice(struct str *text, size_t start, size_t end, const char *s, size_t n)
{
    size_t tail = text->len - end;

    if (n > JSON_MAX_TEXT || start + tail > JSON_MAX_TEXT - n)
        return LSP_TOO_LONG;
    if (n > end - start)
        str_add(text, s, n - (end - start)); /* makes room */
    if (text->failed)
        return LSP_NO_MEMORY;
    memmove(text->s + start + n, text->s + end, tail);
    memcpy(text->s + start, s, n);
    text->len = start + n + tail;
    text->s[text->len] = '\0';
    return LSP_CHANGED;
}

/* A member of change i. */
static const char *pointer_to(char buf[64], size_t i, const char *member)
{
    snprintf(buf, 64, "/params/contentChanges/%zu/%s", i, member);
    return buf;
}

/* Changes that are being made. */
struct changes {
    struct lsp_doc *doc;
    const struct json_doc *message;
    enum lsp_encoding encoding;
    struct lsp_line near; /* where the last was: the next is often not far from it */
};

/* The offset of an end of the range of change i. */
static bool find_offset(struct changes *c, size_t i, const char *line_name,
                        const char *character_name, struct lsp_line *near, size_t *offset)
{
    char buf[64];
    size_t line, character;

    if (!lsp_get_number(c->message, pointer_to(buf, i, line_name), &line) ||
        !lsp_get_number(c->message, pointer_to(buf, i, character_name), &character))
        return false;
    *offset = lsp_offset_near(near, c->doc->text.s, c->doc->text.len, c->encoding, line, character);
    return true;
}

/* The bytes that change i replaces: all where it has no range. */
static bool find_range(struct changes *c, size_t i, size_t *start, size_t *end)
{
    const char *text = c->doc->text.s;
    struct lsp_line last;
    char buf[64];

    *start = 0;
    *end = c->doc->text.len;
    if (json_doc_find(c->message, pointer_to(buf, i, "range")) < 0) {
        c->near = (struct lsp_line){ 0 };
        return true;
    }
    if (!find_offset(c, i, "range/start/line", "range/start/character", &c->near, start))
        return false;
    last = c->near;
    if (!find_offset(c, i, "range/end/line", "range/end/character", &last, end) || *start > *end)
        return false;
    while (c->near.offset > 0 && text[c->near.offset - 1] == '\r')
        lsp_line_back(&c->near, text); /* a \n may be written after it */
    return true;
}

/* Makes change i. */
static enum lsp_change change(struct changes *c, size_t i)
{
    size_t start, end;
    enum lsp_change result;
    char buf[64], *text;

    if (!find_range(c, i, &start, &end))
        return LSP_NOT_A_CHANGE;
    text = lsp_get_string(c->message, pointer_to(buf, i, "text"));
    if (!text)
        return LSP_NOT_A_CHANGE;
    result = splice(&c->doc->text, start, end, text, strlen(text));
    free(text);
    return result;
}

enum lsp_change lsp_doc_change(struct lsp_doc *doc, const struct json_doc *message,
                               enum lsp_encoding encoding)
{
    struct changes c = { .doc = doc, .message = message, .encoding = encoding };
    ptrdiff_t list = json_doc_find(message, "/params/contentChanges");
    enum lsp_change result = LSP_CHANGED;

    if (list < 0 || message->nodes[list].type != JSON_ARRAY)
        return LSP_NOT_A_CHANGE;
    for (size_t i = 0; i < message->nodes[list].count && result == LSP_CHANGED; i++)
        result = change(&c, i);
    return result;
}
