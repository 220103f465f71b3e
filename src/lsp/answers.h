#ifndef DMLOP_LSP_ANSWERS_H
#define DMLOP_LSP_ANSWERS_H

#include "lsp/work.h"

/* A document while it is worked on. */
struct lsp_view {
    const struct lsp_work *work;
    const char *path;              /* of the document's file; else its URI */
    const struct checked *checked; /* the parsed and judged text */
    struct lsp_places places;      /* of the text */
};

/*
 * Each writes the answer to a request: the member "result", or nothing if there is nothing to say;
 * for diagnostics the member "params". The text may be no JSON, as it often is while someone types:
 * then v->checked->document.doc has no nodes. If memory runs out, the writer's text has `failed`
 * set.
 */
void lsp_answer_hover(struct json_writer *w, struct lsp_view *v);
void lsp_answer_completion(struct json_writer *w, struct lsp_view *v);
void lsp_answer_symbols(struct json_writer *w, struct lsp_view *v);
void lsp_answer_definition(struct json_writer *w, struct lsp_view *v);
void lsp_answer_actions(struct json_writer *w, struct lsp_view *v);
void lsp_answer_diagnostics(struct json_writer *w, struct lsp_view *v);

/* Answers the message "initialize", and sets the settings by its capabilities and
 * initializationOptions. Wrong options are ignored, with a message to the client after the
 * answer. */
void lsp_initialize(struct lsp_settings *settings, const struct json_doc *message, const char *id,
                    struct str *out);

#endif
