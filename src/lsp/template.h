#ifndef DMLOP_LSP_TEMPLATE_H
#define DMLOP_LSP_TEMPLATE_H

#include "base/str.h"
#include "lsp/schema.h"

/* Texts that a completion inserts: plain, or snippets of the Language Server Protocol, in which
 * ${1:...} are stops for the tab key. Zero-initialise, set snippet. */
struct lsp_template {
    struct str text;
    bool snippet;
    unsigned stops; /* so far */
};

/* Adds a text, escaped where a snippet asks for it. */
void lsp_template_text(struct lsp_template *t, const char *s, size_t n);
void lsp_template_puts(struct lsp_template *t, const char *s);

/* Adds a stop with what stands there at first. */
void lsp_template_stop(struct lsp_template *t, const char *s, size_t n);

/* Adds a value as a schema has it: an object with the members that it requires, an array, a
 * string, with stops for what is not given. */
void lsp_template_value(struct lsp_template *t, const struct lsp_schema *s, size_t node);

/* Adds a file of check/examples/; its numbers and the names of types become stops. */
void lsp_template_example(struct lsp_template *t, const char *example);

#endif
