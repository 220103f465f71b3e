#ifndef DMLOP_LSP_WORK_H
#define DMLOP_LSP_WORK_H

#include "check/checked.h"
#include "lsp/docs.h"

/* What a client and the server agreed on. */
struct lsp_settings {
    struct check_options check;
    enum lsp_encoding encoding;
    bool snippets;  /* the client takes snippets in completions */
    bool versioned; /* the client takes edits of a version */
};

enum lsp_ask {
    LSP_ASK_DIAGNOSTICS,
    LSP_ASK_HOVER,
    LSP_ASK_COMPLETION,
    LSP_ASK_SYMBOLS,
    LSP_ASK_DEFINITION,
    LSP_ASK_ACTIONS,
};

/* Work that parses a document. What it points to is the caller's. */
struct lsp_work {
    enum lsp_ask ask;
    const char *id;                  /* of the request, JSON; NULL for diagnostics */
    const struct lsp_doc *doc;
    const struct lsp_settings *settings;
    size_t line, character;          /* where, and with LSP_ASK_ACTIONS to: */
    size_t end_line, end_character;
    bool quick_fixes, fix_all;       /* the actions that are wanted */
};

/* Adds the whole message, an answer or a notification, to out; out->failed where memory is short.
 * The document and the settings are not changed. */
void lsp_work(const struct lsp_work *work, struct str *out, struct diag *dg);

#endif
