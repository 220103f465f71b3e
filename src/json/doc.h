#pragma once

#include "json/lex.h"

enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
};

enum { JSON_MAX_DEPTH = 64, JSON_MAX_KEY = 1024 /* bytes; every finding below has a copy */ };
#define JSON_MAX_TEXT ((size_t)1 << 30) /* bytes of a text: offsets are 32 bits wide */
#define JSON_NO_KEY   UINT32_MAX

/* One value, in text order (a container before its members). */
struct json_node {
    uint32_t start, end; /* the value's bytes in the text, [start, end) */
    uint32_t key;        /* offset of the opening quote of a member's key, else JSON_NO_KEY */
    uint32_t next;       /* index of the first node after this value and all below it */
    uint32_t parent;     /* index; the top value is its own parent */
    uint32_t count;      /* members or elements of a container */
    uint32_t children;   /* index of the first one in the document's `children` */
    uint32_t repeated;   /* an earlier member with the same unescaped key, the first; 0: none */
    uint8_t type;        /* enum json_type */
};

/* A child of a container, for look-ups. Members of an object are sorted by key and node. */
struct json_child {
    const char *key; /* unescaped; NULL for an element */
    uint32_t node;
};

/* A text that passed the strict scanner. Zero-initialise; release with json_doc_free. */
struct json_doc {
    /* Owned: the text with comments, trailing commas and a byte-order mark blanked: plain JSON with
     * all offsets as in the source, NUL-terminated. */
    char *clean;
    size_t len;
    struct json_node *nodes; /* nodes[0] is the top value */
    size_t node_count;
    struct json_child *children; /* of all objects, and of arrays with arrays or objects in them */
    char *texts; /* owned: keys and strings without escapes, at their offsets in clean */
};

enum json_result {
    JSON_OK,
    JSON_INVALID, /* the text is not JSON */
    JSON_NOMEM,   /* memory is short */
};

/* Scans text (len bytes; UTF-8, byte-order mark, comments, trailing commas allowed) strictly:
 * grammar of RFC 8259, valid UTF-8, no \u0000 or lone surrogate, nesting at most JSON_MAX_DEPTH,
 * keys of at most JSON_MAX_KEY bytes, only blanks and comments after the top value. Not recursive.
 * *err is set for JSON_INVALID. The document is empty unless JSON_OK is returned. */
enum json_result json_doc_scan(struct json_doc *doc, const char *text, size_t len,
                               struct json_error *err);

void json_doc_free(struct json_doc *doc);

/* Fills doc->children and sets `repeated`; json_doc_scan calls it. False if memory is short. */
bool json_doc_index(struct json_doc *doc);

/* The index of an element of an array. Takes logarithmic time. */
size_t json_doc_element_index(const struct json_doc *doc, size_t node);

/* The node at a JSON pointer ("" is the top; ~0 and ~1 escapes), or -1; the first of duplicate
 * keys. Takes time in the pointer's length and the logarithm of the document's. */
ptrdiff_t json_doc_find(const struct json_doc *doc, const char *pointer);

/* The node below `node` that the first token of a pointer leads to, or -1. Moves *pointer past the
 * token if that begins with '/'. */
ptrdiff_t json_doc_step(const struct json_doc *doc, size_t node, const char **pointer);

/* The member of an object node with that key (unescaped), or -1; the first of duplicates. Takes
 * logarithmic time. */
ptrdiff_t json_doc_member(const struct json_doc *doc, size_t object, const char *key);

/* The unescaped key of a member, or value of a string node. They live as long as the document. */
static inline const char *json_doc_key_text(const struct json_doc *doc, size_t node)
{
    return doc->texts + doc->nodes[node].key + 1;
}
static inline const char *json_doc_text(const struct json_doc *doc, size_t node)
{
    return doc->texts + doc->nodes[node].start + 1;
}

/* End of a member's key (past the closing quote) in the text. */
size_t json_doc_key_end(const struct json_doc *doc, size_t node);
