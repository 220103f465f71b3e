#ifndef DMLOP_LSP_CURSOR_H
#define DMLOP_LSP_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "json/doc.h"

/*
 * Where in a JSON text a cursor is. The text may be broken, as it is while one types: a string ends
 * at the end of its line, a closing bracket closes what was opened inside of its own, commas,
 * colons and values may be missing. Linear in the text, and nothing is allocated.
 */

/* Bytes of the text, [start, end). */
struct lsp_span {
    size_t start, end;
};

enum lsp_at { CURSOR_NOTHING, CURSOR_KEY, CURSOR_VALUE };

/* An open container, and its member or element that the cursor is in. */
struct lsp_level {
    size_t start;         /* of its opening bracket */
    bool object;
    struct lsp_span key;  /* of an object's member, with quotes; empty where there is none yet */
    size_t index;         /* of an array's element */
    int state;            /* what may come next */
    struct lsp_span last; /* the last string or word in it */
    size_t end;           /* of the last value in it */
};

struct lsp_cursor {
    const char *text;
    size_t len, offset;
    struct lsp_level levels[JSON_MAX_DEPTH]; /* outermost first */
    size_t depth;
    enum lsp_at at;
    struct lsp_span word; /* the string (with quotes), number or word that the cursor is in or
                             touches; else empty, at the cursor */
    struct lsp_span left_out; /* what is being typed, which says nothing of its object yet; empty
                                 at first */
    size_t previous;      /* end of the value before the cursor where a comma is lacking after it;
                             0: none lacks */
    size_t deeper;        /* open containers beyond JSON_MAX_DEPTH */
    bool past;            /* the top value is complete */
};

/* Finds the cursor at a byte offset (at most len) of the text. */
void lsp_cursor_find(struct lsp_cursor *c, const char *text, size_t len, size_t offset);

/* What follows the word, in *s: its first byte, a bracket, ',', ':', '"' or another of a word; '\0'
 * at the end of the text. */
char lsp_cursor_next(const struct lsp_cursor *c, struct lsp_span *s);

/* The members of an object, however broken, one after the other. Set text, len, and pos to the byte
 * after its opening bracket, the rest zero. */
struct lsp_members {
    const char *text;
    size_t len, pos;
    size_t depth;
    struct lsp_span last, key;
    struct lsp_span value; /* the first piece of the value: a string, a word, a bracket */
};

bool lsp_members_next(struct lsp_members *m);

/* Finds a member, and so its value's first piece; false where there is none. */
bool lsp_member(const char *text, size_t len, size_t object, const char *key,
                struct lsp_members *m);

/* Begins with the members of an object that is a member of the top value, as a model's sections
 * are; false where there is none. */
bool lsp_section(const struct lsp_cursor *c, const char *section, struct lsp_members *m);

/* Whether a span is the string `s`, with or without quotes around it and without escapes in it. */
bool lsp_span_is(const char *text, struct lsp_span span, const char *s);

/* What a string's span means, owned by the caller; NULL where memory is short. */
char *lsp_span_string(const char *text, struct lsp_span span);

#endif
