#pragma once

#include "check/checked.h"
#include "lsp/text.h"

/* What client and server agreed on. */
struct lsp_settings {
    struct check_options check;
    enum lsp_encoding encoding;
    bool snippets;  /* completions may be snippets */
    bool versioned; /* edits name the document's version */
};

/* Work on a document: a request, or a check for its diagnostics. */
struct lsp_work {
    void (*answer)(struct json_writer *w, struct lsp_work *v); /* one of those below */
    const char *id; /* of the request, JSON; NULL for diagnostics */
    const struct lsp_doc *doc;
    const struct lsp_settings *settings;
    struct diag *dg;
    size_t start, end;         /* bytes of the text that the request is about */
    bool quick_fixes, fix_all; /* kinds of actions that are wanted */
    /* Set by lsp_work: */
    const char *path;              /* of the document's file; else its URI */
    const struct checked *checked; /* the parsed and judged text */
    struct lsp_places places;      /* of the text */
};

/* The text that was parsed last: a check and the requests after it share that. Zero-initialise;
 * release with lsp_parsed_free. Must not move. */
struct lsp_parsed {
    uint64_t edition; /* of the document; 0: none */
    char *path;
    bool served; /* a file that the server answers for; else `checked` is empty */
    struct checked checked;
};

void lsp_parsed_free(struct lsp_parsed *p);

/* Sets start, end and the kinds of actions from a request; false if it has no position or range. */
bool lsp_work_read(struct lsp_work *work, const struct json_doc *message);

/* Does the work, from the text of the document to the text of a message: an answer or a
 * notification, added to out with its header; out->failed if memory is short. */
void lsp_work(struct lsp_work *work, struct lsp_parsed *parsed, struct str *out);

/* Each writes the answer to a request: the member "result", or nothing if there is nothing to say;
 * for diagnostics the member "params". The text may be no JSON, as it often is while someone types:
 * then v->checked->document.doc has no nodes. If memory runs out, the writer's text has `failed`
 * set. */
void lsp_answer_hover(struct json_writer *w, struct lsp_work *v);
void lsp_answer_completion(struct json_writer *w, struct lsp_work *v);
void lsp_answer_symbols(struct json_writer *w, struct lsp_work *v);
void lsp_answer_definition(struct json_writer *w, struct lsp_work *v);
void lsp_answer_actions(struct json_writer *w, struct lsp_work *v);
void lsp_answer_diagnostics(struct json_writer *w, struct lsp_work *v);
