#pragma once

#include "lsp/cursor.h"

enum { LSP_SCHEMAS = 1024 /* more than any place has */ };

/* Schemas that a value may have, as nodes of the schema document: with the schemas that they refer
 * to, alternatives in their order. */
struct lsp_schemas {
    uint32_t node[LSP_SCHEMAS];
    size_t n;
};

/* A cursor, and the JSON Schema of its text: of descriptors, of models, or of both if the text does
 * not tell yet. */
struct lsp_context {
    struct lsp_cursor cursor;
    struct json_doc doc;    /* the JSON Schema */
    struct lsp_schemas set; /* schemas of the value or member at the cursor */
};

/* Finds the cursor at a byte of a text, and if it is at a key or value, the schemas. Release with
 * lsp_context_free. False if memory is short. */
bool lsp_context_begin(struct lsp_context *s, const char *text, size_t len, size_t offset);
static inline void lsp_context_free(struct lsp_context *s) { json_doc_free(&s->doc); }

/* The operator that an object of the text names by its type; NULL if there is none, or if the name
 * is at the cursor and may still be typed. */
const struct op_schema *lsp_operator_of(const struct lsp_cursor *c, size_t object);

/* "resources" or "dispatchables" if the cursor is at a member's key in that section, or at a value
 * that names one, else NULL. */
const char *lsp_context_section(const struct lsp_context *s);

/* Adds a schema, the schemas that it refers to and its alternatives. */
void lsp_schemas_add(const struct lsp_context *s, size_t node, struct lsp_schemas *set);

/* The schemas of the cursor's member or element at level number `levels`, from 1; 0: of the top
 * value. Excludes alternatives that do not fit the containers. */
void lsp_schemas_at(const struct lsp_context *s, size_t levels, struct lsp_schemas *set);

/* Removes object schemas that do not fit the object at a level of the cursor: those of another
 * "type", then those that know fewer of its keys than others. */
void lsp_schemas_choose(const struct lsp_context *s, const struct lsp_level *object,
                        struct lsp_schemas *set);

/* True if s->set has the schema document's definition at a JSON pointer. */
bool lsp_context_has(const struct lsp_context *s, const char *pointer);

/* The first description, or NULL. */
const char *lsp_schemas_about(const struct lsp_context *s, const struct lsp_schemas *set);

/* The string that a schema accepts or prefers: the node of its "const" or first example, or -1. */
ptrdiff_t lsp_schema_word(const struct lsp_context *s, size_t node);

/* True if a schema's member with that key is that string. */
bool lsp_schema_has(const struct lsp_context *s, size_t node, const char *key, const char *value);
