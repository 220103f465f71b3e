#ifndef DMLOP_LSP_SCHEMA_H
#define DMLOP_LSP_SCHEMA_H

#include "json/doc.h"
#include "lsp/cursor.h"

/*
 * What may stand at a cursor, and what is there, by the JSON Schema of the text: that of
 * descriptors, of models, or of both where nothing tells yet what the text will be.
 */
struct lsp_schema {
    struct json_doc doc;
    size_t resource_name, dispatchable_name, bindings; /* nodes of these definitions; 0: none */
};

/* Release with lsp_schema_free. False where memory is short. */
bool lsp_schema_begin(struct lsp_schema *s, const struct lsp_cursor *c);
void lsp_schema_free(struct lsp_schema *s);

/* Schemas that a value may have, nodes of schema->doc: with what they refer to, alternatives in
 * their order. */
enum { LSP_SCHEMAS = 128 };

struct lsp_schemas {
    uint32_t node[LSP_SCHEMAS];
    size_t n;
};

/* Adds a schema, what it refers to and its alternatives. */
void lsp_schemas_add(const struct lsp_schema *s, size_t node, struct lsp_schemas *set);

/* Those of the member or element of the cursor's level number `levels`, counted from 1; with 0 of
 * the top value. Alternatives that its containers do not look like are left out. */
void lsp_schemas_at(const struct lsp_schema *s, const struct lsp_cursor *c, size_t levels,
                    struct lsp_schemas *set);

/* Leaves out the objects of a set that the object at a level of the cursor does not look like:
 * those of another "type", then those that know fewer of its keys than others. */
void lsp_schemas_choose(const struct lsp_schema *s, const struct lsp_cursor *c,
                        const struct lsp_level *object, struct lsp_schemas *set);

bool lsp_schemas_has(const struct lsp_schemas *set, size_t node);

/* The description of the first that has one, owned by the caller; NULL where none has, or memory is
 * short. */
char *lsp_schemas_about(const struct lsp_schema *s, const struct lsp_schemas *set);

/* The one string that a schema accepts, or would have of those that differ in case: its "const" or
 * its example; -1 where it has none. */
ptrdiff_t lsp_schema_word(const struct lsp_schema *s, size_t node);

/* Whether a schema's "enum" or word is or has the string that a span of text is. */
bool lsp_schema_accepts(const struct lsp_schema *s, size_t node, const char *text,
                        struct lsp_span span);

#endif
