#pragma once

#include <stddef.h>

#include "json/write.h"

/*
 * Positions in a text as the Language Server Protocol 3.17 counts them: lines and characters from
 * 0; lines end with \n, \r\n or \r; characters are UTF-16 code units or bytes of UTF-8, as client
 * and server agreed.
 */
enum lsp_encoding { LSP_UTF16, LSP_UTF8 };

/* A place in a text, or the distance between two: bytes, line ends, characters after the last. */
struct lsp_place {
    size_t offset, line, character;
};

/* A text and its index. */
struct lsp_text {
    struct str bytes;
    enum lsp_encoding encoding;
    struct lsp_place *blocks; /* [n] the lengths of its pieces, owned; none: all is read */
    size_t n, cap;
};

/* Updates the index after the bytes [start, end) have become n others: reads these and at most a
 * few KB around them. t->bytes.failed if memory is short. */
void lsp_text_index(struct lsp_text *t, size_t start, size_t end, size_t n);

/* The byte offset of a position. A character past the end of its line means that end, a line past
 * the text means the end of the text. */
size_t lsp_offset(const struct lsp_text *t, size_t line, size_t character);

/* Converts offsets of one text to positions; ascending offsets take linear time in total. */
struct lsp_places {
    const struct lsp_text *text;
    struct lsp_place at; /* the last range's start */
};

/* Writes { "start": ..., "end": ... } for the bytes [start, end), widened to whole characters. */
void lsp_write_range(struct json_writer *w, const char *key, struct lsp_places *p, size_t start,
                     size_t end);

/* Writes a text to be shown, with control characters escaped. */
void lsp_write_text(struct json_writer *w, const char *key, const char *text);

/* True if a text, each of whose lines is between line ends, has that line. */
bool lsp_has_line(const struct str *lines, const char *line);

/* Writes a TextEdit: the bytes [start, end) become n bytes of text. */
void lsp_write_edit(struct json_writer *w, struct lsp_places *p, size_t start, size_t end,
                    const char *text, size_t n);
