#include "lsp/docs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lsp/message.h"

#define CHANGES "/params/contentChanges"

struct lsp_doc *lsp_docs_find(const struct lsp_docs *docs, const char *uri)
{
    for (size_t i = 0; i < docs->n; i++)
        if (strcmp(docs->v[i].uri, uri) == 0)
            return &docs->v[i];
    return NULL;
}

struct lsp_doc *lsp_docs_waiting(const struct lsp_docs *docs)
{
    for (size_t i = 0; i < docs->n; i++)
        if (docs->v[i].waiting)
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

/* The offset of an end of the range of change i; false if the message gives none. */
static bool find_offset(const struct lsp_doc *doc, const struct json_doc *message,
                        enum lsp_encoding encoding, size_t i, const char *which, size_t *offset)
{
    char pointer[64];
    size_t line, character;

    snprintf(pointer, sizeof pointer, CHANGES "/%zu/range/%s", i, which);
    if (!lsp_get_position(message, pointer, &line, &character))
        return false;
    *offset = lsp_offset(doc->text.s, doc->text.len, encoding, line, character);
    return true;
}

/* Makes change i. */
static enum lsp_change change(struct lsp_doc *doc, const struct json_doc *message,
                              enum lsp_encoding encoding, size_t i)
{
    size_t start = 0, end = doc->text.len;
    enum lsp_change result;
    char pointer[64], *text;

    snprintf(pointer, sizeof pointer, CHANGES "/%zu/range", i);
    if (json_doc_find(message, pointer) >= 0 &&
        (!find_offset(doc, message, encoding, i, "start", &start) ||
         !find_offset(doc, message, encoding, i, "end", &end) || start > end))
        return LSP_NOT_A_CHANGE;
    snprintf(pointer, sizeof pointer, CHANGES "/%zu/text", i);
    text = lsp_get_string(message, pointer);
    if (!text)
        return LSP_NOT_A_CHANGE;
    result = splice(&doc->text, start, end, text, strlen(text));
    free(text);
    return result;
}

enum lsp_change lsp_doc_change(struct lsp_doc *doc, const struct json_doc *message,
                               enum lsp_encoding encoding)
{
    ptrdiff_t list = json_doc_find(message, CHANGES);
    enum lsp_change result = LSP_CHANGED;

    if (list < 0 || message->nodes[list].type != JSON_ARRAY)
        return LSP_NOT_A_CHANGE;
    for (size_t i = 0; i < message->nodes[list].count && result == LSP_CHANGED; i++)
        result = change(doc, message, encoding, i);
    return result;
}
