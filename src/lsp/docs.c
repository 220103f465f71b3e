#include "base/mem.h"
#include "lsp/message.h"

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
