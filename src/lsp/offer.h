#ifndef DMLOP_LSP_OFFER_H
#define DMLOP_LSP_OFFER_H

#include "lsp/answers.h"
#include "lsp/template.h"

/* The protocol's CompletionItemKind. */
enum offer_kind {
    OFFER_KEY = 10,
    OFFER_DOCUMENT = 15,
    OFFER_NAME = 18,
    OFFER_WORD = 20,
    OFFER_OBJECT = 22,
};

/* A list of completions that is being written, for a cursor of a view. */
struct offers {
    struct json_writer *w;
    const char *key;
    const struct lsp_view *view;
    struct lsp_cursor cursor;
    struct lsp_schema schema;
    struct str range;    /* of what items replace, as JSON */
    struct str edits;    /* further edits of each item, as JSON; empty: none */
    struct str labels;   /* so far, each between line ends */
    const char *comma;   /* what comes after each: "," where more follows */
    size_t n;
    bool cut;            /* there were more */
};

/* A text to be filled: a snippet where the client takes these. */
struct lsp_template offer_text(const struct offers *o);

/* Offers a text, unless the label was offered before; t is released. about may be NULL. */
void offer(struct offers *o, const char *label, enum offer_kind kind, const char *about,
           struct lsp_template *t);

bool is_offered(const struct offers *o, const char *label);

/* The operators' and the model's examples for schemas of their titles. */
void offer_examples(struct offers *o, const struct lsp_schemas *set);

/* Adds to o->edits: the text takes the place of the bytes [start, end). */
void add_edit(struct offers *o, size_t start, size_t end, const char *text);

/* Offers keys for the object that the cursor is in. */
void offer_keys(struct offers *o);

#endif
