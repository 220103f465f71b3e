#pragma once

#include "base/str.h"

enum { JSON_WRITE_DEPTH = 16 };

/*
 * Appends JSON to a text, with commas and blanks. Begin with { .out = &text }; nothing is to be
 * freed. If memory is short, the text's `failed` is set.
 *
 *     json_open(&w, NULL, "{ }");
 *     json_string(&w, "rule", id);
 *     json_line(&w, 2);
 *     json_uints(&w, "sizes", sizes, rank);
 *     json_close(&w);                          { "rule": "topk.axis",
 *                                                "sizes": [1, 2] }
 *
 *     json_format(&w, "{ rule: %s\n  line: %zu }", id, line);
 */
struct json_writer {
    struct str *out;
    const char *open[JSON_WRITE_DEPTH]; /* open brackets, outermost first */
    unsigned depth;
    unsigned indent; /* of the last line that json_line began */
    bool tight;      /* set by the caller: json_format writes "{}" and "[]" for "{ }" and "[ ]" */
    bool any;        /* the innermost bracket has a member */
    bool new_line;   /* the next value begins a line */
};

/* Each function writes one value: a member of an object with its key, or with a NULL key an element
 * of an array or the whole text. Keys are written without escapes. */

/* Opens an object or array: "{ }" or "[ ]", with a blank inside each bracket, or "{}" or "[]". */
void json_open(struct json_writer *w, const char *key, const char *brackets);
void json_close(struct json_writer *w);

/* Closes brackets until w->depth is `depth`. */
void json_close_to(struct json_writer *w, unsigned depth);

/* Begins the next value or closing bracket on a new line, after `indent` blanks. */
void json_line(struct json_writer *w, unsigned indent);

void json_string(struct json_writer *w, const char *key, const char *s);

/* The text of a builder, which is freed, or of a format, as a string. */
void json_str(struct json_writer *w, const char *key, struct str *text);
void json_stringf(struct json_writer *w, const char *key, const char *fmt, ...) PRINTF_LIKE(3, 4);

void json_uint(struct json_writer *w, const char *key, uint64_t v);
void json_int(struct json_writer *w, const char *key, int64_t v);
void json_bool(struct json_writer *w, const char *key, bool v);

/* An array of n numbers, "[1, 2]". */
void json_uints(struct json_writer *w, const char *key, const uint64_t v[], size_t n);

/* The values of a format, words with blanks between them: brackets, with blanks inside if a blank
 * or a newline follows the opening one; KEY: before its value; %s for a string, %d for true or
 * false, %i, %u, %ju, %zu or %g for a number. A newline and blanks are a json_line. Calls may
 * leave brackets open, and close those of earlier ones. */
void json_format(struct json_writer *w, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A JSON text as it is; its further lines are indented like the current one. */
void json_raw(struct json_writer *w, const char *key, const char *json);
