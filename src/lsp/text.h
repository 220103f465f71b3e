#pragma once

#include "json/doc.h"
#include "json/write.h"

/* Positions in a text as the Language Server Protocol 3.17 counts them: lines and characters from
 * 0; lines end with \n, \r\n or \r; characters are UTF-16 code units or bytes of UTF-8, as client
 * and server agreed. */
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

/* An open document. */
struct lsp_doc {
    char *uri; /* owned */
    struct lsp_text text;
    int64_t version;  /* the client's */
    uint64_t edition; /* of the text: no other that the server has seen has this number */
    bool unknown;     /* a change failed: the text is unknown until it is opened again */
    bool waiting;     /* the current text was not checked yet */
};

/* Zero-initialise; release with lsp_docs_free. */
struct lsp_docs {
    struct lsp_doc *v;
    size_t n, cap;
};

/* NULL if there is no such document. It is valid until the next call of lsp_docs_open or
 * lsp_docs_close. */
struct lsp_doc *lsp_docs_find(const struct lsp_docs *docs, const char *uri);

/* Opens or reopens a document. NULL, or text.bytes.failed, if memory is short. */
struct lsp_doc *lsp_docs_open(struct lsp_docs *docs, const char *uri, const char *text,
                              int64_t version, enum lsp_encoding encoding);

void lsp_docs_close(struct lsp_docs *docs, struct lsp_doc *doc);

void lsp_docs_free(struct lsp_docs *docs);

/* Makes the changes of a message, /params/contentChanges, up to the first that fails. Returns why
 * that failed, or NULL; t->bytes.failed if memory is short. */
const char *lsp_docs_change(struct lsp_text *t, const struct json_doc *message);
