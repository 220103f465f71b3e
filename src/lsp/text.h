#ifndef DMLOP_LSP_TEXT_H
#define DMLOP_LSP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "json/doc.h"
#include "json/write.h"

/*
 * Places in a text as the Language Server Protocol 3.17 counts them: lines and characters from 0;
 * lines end with \n, \r\n or \r; characters are UTF-16 code units or bytes of UTF-8, as the client
 * and the server agreed on.
 */
enum lsp_encoding { LSP_UTF16, LSP_UTF8 };

/* The byte offset of a position. What lies after a line's end means the end, what lies after the
 * text its end. */
size_t lsp_offset(const char *text, size_t len, enum lsp_encoding encoding, size_t line,
                  size_t character);

/* The beginning of a line; zeros at first. Holds while the text before it stays, and its last byte
 * is no \r that a \n may come to follow. */
struct lsp_line {
    size_t offset, line;
};

/* The same, from a line on that lies near; *at becomes the position's line. */
size_t lsp_offset_near(struct lsp_line *at, const char *text, size_t len,
                       enum lsp_encoding encoding, size_t line, size_t character);

/* Moves *at, the beginning of a line that is not the first, to that of the line before. */
void lsp_line_back(struct lsp_line *at, const char *text);

/* Writes positions and ranges of one text; offsets that ascend take linear time together. */
struct lsp_places {
    const char *text;
    size_t len;
    enum lsp_encoding encoding;
    size_t offset, line, character; /* where it is; zeros at first */
};

/* { "start": ..., "end": ... } of the bytes [start, end), of whole characters. */
void lsp_write_range(struct json_writer *w, const char *key, struct lsp_places *p, size_t start,
                     size_t end);

/* Members of a message, by a JSON pointer; false where there is none of that type. Numbers are
 * whole and not negative; what a size_t cannot hold is its greatest value. */
bool lsp_get_number(const struct json_doc *doc, const char *pointer, size_t *value);
bool lsp_get_bool(const struct json_doc *doc, const char *pointer, bool *value);
/* Unescaped, owned by the caller; NULL where there is none or memory is short. */
char *lsp_get_string(const struct json_doc *doc, const char *pointer);

#endif
