#ifndef DMLOP_IO_JSON_READER_H
#define DMLOP_IO_JSON_READER_H

#include "base/util.h"
#include "io/tensor_file.h"
#include "json/lex.h"
#include "json/position.h"

/* The values of a tensor in JSON, read as a stream: nested arrays of numbers. Private to
 * tensor_json.c. */

#define JSON_UNKNOWN UINT64_MAX /* a size that no array has shown yet */

/* Set f, dg, lx.text, lx.len, threads, piece, dropped = { 0, 1, 1 } and name = "". */
struct json_reader {
    struct tensor_file *f;     /* its `values` is the array that grows */
    struct diag *dg;
    struct json_lexer lx;
    int threads;               /* at most, that read the values */
    size_t piece;              /* about so many bytes of text that a thread reads at a time */
    struct json_position dropped; /* text before it may have been dropped */
    bool drop;                 /* drop text while reading, for it is not needed again */

    enum dtype type; /* of the values; DT_NONE while not known: they are checked for syntax only */
    int64_t min;               /* the range of an integer type */
    uint64_t max;
    size_t count, capacity;    /* elements in f->values, and room */

    const char *name;          /* "Values" within these in the object form, else "" */
    unsigned depth;            /* arrays open */
    bool nested;               /* rank is known */
    unsigned rank;             /* how deep the values are nested */
    uint64_t sizes[TENSOR_MAX_RANK]; /* elements of the first array closed at each level */
    uint64_t done[TENSOR_MAX_RANK];  /* complete elements of the array open at each level */
};

/* Reads the next token into r->token. */
void json_reader_next(struct json_reader *r);

void json_reader_set_type(struct json_reader *r, enum dtype type);

/*
 * Reads values whose first token is r->token, to their end; sets rank, sizes, count. Numbers are of
 * r->type; for DT_NONE nothing is kept. ST_INPUT with a message, or ST_SYSTEM.
 */
enum status json_reader_values(struct json_reader *r);

/* The position of an offset that is not before r->dropped. */
struct json_position json_reader_position(const struct json_reader *r, size_t offset);

/* ST_INPUT, with "line L, column C: MESSAGE". */
enum status json_reader_fail_at(struct json_reader *r, struct json_position position,
                                const char *message);

/* The same at the last token, with the index of the element being read (levels = r->depth) or of
 * the array that is `levels` deep before the message. */
enum status json_reader_fail(struct json_reader *r, unsigned levels, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Reports the error that the lexer found, or that the last token is not what was expected. */
enum status json_reader_fail_token(struct json_reader *r, const char *expected);

#endif
