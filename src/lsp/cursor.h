#pragma once

#include "json/doc.h"

/* A cursor in a JSON text that may be broken, as it is while someone types: a string ends at the
 * end of its line, a closing bracket closes everything opened inside its container, commas, colons
 * and values may be missing. Linear in the text; nothing is allocated. */

/* Bytes of the text, [start, end). */
struct lsp_span {
    size_t start, end;
};

enum lsp_at { CURSOR_NOTHING, CURSOR_KEY, CURSOR_VALUE };

/* An open container, and its member or element that has the cursor. */
struct lsp_level {
    size_t start; /* of its opening bracket */
    bool object;
    struct lsp_span key;  /* of the member, with quotes; empty if there is none yet */
    size_t index;         /* of the element */
    int state;            /* what may come next */
    struct lsp_span last; /* the last string or word */
    size_t end;           /* of the last value */
};

struct lsp_cursor {
    const char *text;
    size_t len, offset;
    struct lsp_level levels[JSON_MAX_DEPTH]; /* outermost first */
    size_t depth;
    enum lsp_at at;
    struct lsp_span word; /* the string (with quotes), number or word that contains or touches the
                             cursor; else empty, at the cursor */
    size_t left_out;      /* set by the caller: start of a word that is no member yet; 0: none */
    size_t previous;      /* end of the value before the cursor if a comma is missing after it; else
                             0 */
    size_t deeper;        /* open containers beyond JSON_MAX_DEPTH */
    bool past;            /* the top value is complete */
};

/* Finds the cursor at a byte offset (at most len) of the text. */
void lsp_cursor_find(struct lsp_cursor *c, const char *text, size_t len, size_t offset);

/* The token after the word, in *s. Returns its first byte; '\0' at the end of the text. */
char lsp_cursor_next(const struct lsp_cursor *c, struct lsp_span *s);

/* True if the cursor is in a member with that key at a level, from 0. */
bool lsp_cursor_in(const struct lsp_cursor *c, size_t level, const char *key);

/* The members of an object, which may be broken: lsp_members begins before the first one of the
 * object with an opening bracket at that offset. */
struct lsp_members {
    const char *text;
    size_t len, pos;
    size_t depth;
    struct lsp_span last, key;
    struct lsp_span value; /* the first token of the value: a string, a word, a bracket */
};

static inline struct lsp_members lsp_members(const struct lsp_cursor *c, size_t object)
{
    return (struct lsp_members){ .text = c->text, .len = c->len, .pos = object + 1 };
}
bool lsp_members_next(struct lsp_members *m);

/* Finds a member by its key, and unless value is NULL the first token of its value, which is empty
 * at the end of the text. False if there is none, or if its value does not begin with `first`, a
 * quote or a bracket; '\0': any value. */
bool lsp_member(const struct lsp_cursor *c, size_t object, const char *key, char first,
                struct lsp_span *value);

/* True if a span is the string `s`, with or without quotes, without escapes. */
bool lsp_span_is(const char *text, struct lsp_span span, const char *s);

/* The unescaped string of a span, owned by the caller; NULL if memory is short. */
char *lsp_span_string(const char *text, struct lsp_span span);
