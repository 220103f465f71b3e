#pragma once

#include "lsp/work.h"
#include "lsp/schema.h"

/* Text that a completion inserts: plain, or a snippet of the Language Server Protocol, in which
 * ${1:...} are stops for the tab key. Zero-initialise, set snippet. */
struct template
{
    struct str text;
    bool snippet;
    unsigned stops; /* so far */
    int depth;      /* objects around the end of the text */
};

/* Add text, escaped in a snippet; a stop with an initial text; a value by its schema: an object
 * with its required members, an array, a string, stops for everything that the schema leaves
 * open. */
void template_puts(struct template *t, const char *s);
void template_stop(struct template *t, const char *s, size_t n);
void template_value(struct template *t, const struct lsp_context *s, size_t node);

/* The protocol's CompletionItemKind. */
enum offer_kind {
    OFFER_KEY = 10,
    OFFER_DOCUMENT = 15,
    OFFER_NAME = 18,
    OFFER_WORD = 20,
    OFFER_OBJECT = 22,
};

enum { OFFER_KEYS = 64 /* of an object that are looked at: more than any schema knows */ };

/* A list of completions that is being written. */
struct offers {
    struct json_writer *w;
    struct lsp_work *view;
    struct lsp_context at;
    struct str edits;  /* further edits of each item, as JSON; empty: none */
    struct str labels; /* so far, each between line ends */
    const char *comma; /* after each text: "," if more members follow */
    size_t n;
    bool cut;                            /* there were more than MOST_OFFERS */
    bool key_only;                       /* a value follows the key at the cursor */
    struct lsp_span present[OFFER_KEYS]; /* other keys of the object at the cursor */
    size_t present_count;
};

/* Offers a text, unless its label was offered before; t is released. about may be NULL. The same
 * for n bytes of a text that is not a snippet. */
void offer(struct offers *o, const char *label, enum offer_kind kind, const char *about,
           struct template *t);
void offer_plain(struct offers *o, const char *label, enum offer_kind kind, const char *about,
                 const char *text, size_t n);

/* Offers the examples of operators and of a model whose titles the schemas have. */
void offer_examples(struct offers *o, const struct lsp_schemas *set);
