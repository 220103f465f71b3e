#ifndef DMLOP_LSP_DOCS_H
#define DMLOP_LSP_DOCS_H

#include <stdint.h>

#include "base/str.h"
#include "lsp/text.h"

/* What a client has open. */
struct lsp_doc {
    char *uri;        /* owned */
    struct str text;  /* as it is now */
    int64_t version;
    bool unknown;     /* a change of it was not understood, or too long: it is to be opened again */
    bool waiting;     /* its diagnostics are of an older text, or none were given yet */
};

/* Zero-initialise; release with lsp_docs_free. */
struct lsp_docs {
    struct lsp_doc *v;
    size_t n, cap;
};

/* NULL where it is not open. Holds until the next call of open or close. */
struct lsp_doc *lsp_docs_find(const struct lsp_docs *docs, const char *uri);

/* Opens a document, again where it is open. Both texts are owned by it from now on. NULL where
 * memory is short. */
struct lsp_doc *lsp_docs_open(struct lsp_docs *docs, char *uri, char *text, int64_t version);

void lsp_docs_close(struct lsp_docs *docs, struct lsp_doc *doc);

void lsp_docs_free(struct lsp_docs *docs);

enum lsp_change {
    LSP_CHANGED,
    LSP_NOT_A_CHANGE, /* no element of contentChanges as the protocol has it */
    LSP_TOO_LONG,     /* the text would be longer than JSON_MAX_TEXT */
    LSP_NO_MEMORY,
};

/* Makes the changes of a message, /params/contentChanges, up to the first that cannot be made. */
enum lsp_change lsp_doc_change(struct lsp_doc *doc, const struct json_doc *message,
                               enum lsp_encoding encoding);

#endif
