#pragma once

#include <stdint.h>

#include "json/doc.h"
#include "lsp/text.h"

/* An open document. */
struct lsp_doc {
    char *uri; /* owned */
    struct lsp_text text;
    int64_t version;  /* the client's */
    uint64_t edition; /* of the text: no other that the server has seen has this number */
    bool unknown;     /* a change failed: the text is unknown until it is opened again */
    bool waiting;     /* the current text was not checked yet */
};

/* Zero-initialise; release with lsp_docs_free. */
struct lsp_docs {
    struct lsp_doc *v;
    size_t n, cap;
};

/* NULL if there is no such document. It is valid until the next call of lsp_docs_open or
 * lsp_docs_close. */
struct lsp_doc *lsp_docs_find(const struct lsp_docs *docs, const char *uri);

/* Opens or reopens a document. NULL, or text.bytes.failed, if memory is short. */
struct lsp_doc *lsp_docs_open(struct lsp_docs *docs, const char *uri, const char *text,
                              int64_t version, enum lsp_encoding encoding);

void lsp_docs_close(struct lsp_docs *docs, struct lsp_doc *doc);

void lsp_docs_free(struct lsp_docs *docs);

/* Makes the changes of a message, /params/contentChanges, up to the first that fails. Returns why
 * that failed, or NULL; t->bytes.failed if memory is short. */
const char *lsp_docs_change(struct lsp_text *t, const struct json_doc *message);
