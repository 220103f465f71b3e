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
    *doc = (struct lsp_doc){ .uri = uri,
                             .version = version,
                             .waiting = true,
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

/* Replaces the bytes [start, end) of a text; false if it would be longer than JSON_MAX_TEXT. */
static bool splice(struct str *text, size_t start, size_t end, const char *s)
{
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
    return true;
}

static const char not_a_change[] = "a change of it could not be understood";

/* Makes change i. */
static const char *change(struct lsp_doc *doc, const struct json_doc *message,
                          enum lsp_encoding encoding, size_t i)
{
    size_t start = 0, end = doc->text.len;
    char pointer[48], *text;
    ptrdiff_t range;
    bool fits;

    snprintf(pointer, sizeof pointer, CHANGES "/%zu/range", i);
    range = json_doc_find(message, pointer);
    if (range >= 0 &&
        (!lsp_get_range(message, range, &doc->text, encoding, &start, &end) || start > end))
        return not_a_change;
    snprintf(pointer, sizeof pointer, CHANGES "/%zu/text", i);
    text = lsp_get_string(message, pointer, &doc->text.failed);
    if (!text)
        return not_a_change;
    fits = splice(&doc->text, start, end, text);
    free(text);
    return fits ? NULL : "its text is longer than 1024 MiB, the most that one may have";
}

const char *lsp_doc_change(struct lsp_doc *doc, const struct json_doc *message,
                           enum lsp_encoding encoding)
{
    ptrdiff_t list = json_doc_find(message, CHANGES);
    const char *why = NULL;

    if (list < 0 || message->nodes[list].type != JSON_ARRAY)
        return not_a_change;
    for (size_t i = 0; i < message->nodes[list].count && !why && !doc->text.failed; i++)
        why = change(doc, message, encoding, i);
    return why;
}
