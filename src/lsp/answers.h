#ifndef DMLOP_LSP_ANSWERS_H
#define DMLOP_LSP_ANSWERS_H

#include "check/checked.h"
#include "lsp/text.h"

/* What the client has opened, as it is now. */
struct lsp_view {
    const char *uri;
    const char *path; /* of a file: URI, for files that are named beside it; else the URI */
    const struct checked *checked; /* its text (checked->document.text, .len), parsed and judged */
    const struct check_options *opt;
    enum lsp_encoding encoding;
    bool snippets; /* the client takes snippets in completions */
};

/*
 * Each writes the result of a request about a view: a value with the key `key` ("result"), null
 * where there is nothing to say. offset: the byte that the request's position means. The text may
 * be no JSON at all, as it is while one types: then view->checked->document.doc has no nodes.
 * Where memory runs out the writer's text has `failed` set.
 */
void lsp_answer_hover(struct json_writer *w, const char *key, const struct lsp_view *v,
                      size_t offset);
void lsp_answer_completion(struct json_writer *w, const char *key, const struct lsp_view *v,
                           size_t offset);
void lsp_answer_symbols(struct json_writer *w, const char *key, const struct lsp_view *v);
void lsp_answer_definition(struct json_writer *w, const char *key, const struct lsp_view *v,
                           size_t offset);

/* The code actions that are wanted: for the findings in the bytes [start, end). */
struct lsp_actions {
    size_t start, end;
    bool quick_fixes; /* one for each finding there that has a fix */
    bool fix_all;     /* one for all fixes of the text */
    bool versioned;   /* edits name the document's version */
    long long version;
    struct diag *dg;  /* where memory is short */
};

void lsp_answer_actions(struct json_writer *w, const char *key, const struct lsp_view *v,
                        const struct lsp_actions *wanted);

/* The params of textDocument/publishDiagnostics: uri, version, diagnostics. */
void lsp_answer_diagnostics(struct json_writer *w, const char *key, const struct lsp_view *v,
                            long long version);

#endif
