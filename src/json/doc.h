#ifndef DMLOP_JSON_DOC_H
#define DMLOP_JSON_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

enum { JSON_MAX_DEPTH = 64 };
#define JSON_MAX_TEXT ((size_t)64 << 20) /* bytes of a descriptor's text */
#define JSON_NO_KEY UINT32_MAX

/* One value, in text order (a container before its members). */
struct json_node {
    uint32_t start, end; /* the value's bytes in the text, [start, end) */
    uint32_t key;        /* offset of the member key's opening quote; JSON_NO_KEY in arrays and at the top */
    uint32_t next;       /* index of the first node past this value and all below it */
    uint32_t parent;     /* index; the top value is its own parent */
    uint8_t type;        /* enum json_type */
};

/* A text that passed the strict scanner. Zero-initialise; release with json_doc_free. */
struct json_doc {
    char *clean;             /* the text with comments, trailing commas and a BOM blanked: plain JSON
                                with all offsets as in the source; owned */
    size_t len;
    struct json_node *nodes; /* nodes[0] is the top value */
    size_t node_count;
};

struct json_error {
    size_t offset;           /* where in the text */
    char message[160];       /* "expected ',' or '}' after a member", ... */
};

/*
 * Scans text (len bytes; UTF-8, BOM, // and block comments, trailing commas allowed) strictly: grammar
 * of RFC 8259, valid UTF-8, no \u0000 or lone surrogate, nesting at most JSON_MAX_DEPTH, nothing but
 * blanks and comments after the top value. Not recursive. text is not changed.
 * Returns 0; 1 with *err filled in for a text that is not JSON; -1 where memory is short.
 */
int json_doc_scan(struct json_doc *doc, const char *text, size_t len, struct json_error *err);

void json_doc_free(struct json_doc *doc);

/*
 * Duplicate keys: calls found(context, node, first) for each member `node` (index) whose key, unescaped,
 * stood earlier in the same object at member `first`. In time near linear in the text.
 * Returns 0, or -1 where memory is short.
 */
int json_doc_duplicates(const struct json_doc *doc,
                        void (*found)(void *context, size_t node, size_t first), void *context);

/* The node at a JSON pointer ("" is the top; ~0 and ~1 escapes), or -1. Where keys are
 * duplicated the first counts. */
ptrdiff_t json_doc_find(const struct json_doc *doc, const char *pointer);

/* The unescaped key of a member or value of a string node, NUL-terminated, owned by the caller; NULL where memory
 * is short. */
char *json_doc_key(const struct json_doc *doc, size_t node);
char *json_doc_string(const struct json_doc *doc, size_t node);

/* End of the key's text (past the closing quote) of a member. */
size_t json_doc_key_end(const struct json_doc *doc, size_t node);

/* Line and column, from 1, of a byte offset in text; columns count characters (UTF-8 sequences), a tab
 * being one; lines end at \n, \r\n or \r. */
void json_locate(const char *text, size_t len, size_t offset, size_t *line, size_t *column);

#endif
