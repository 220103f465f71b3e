#pragma once

#include "io/csv.h"
#include "io/tensor_file.h"
#include "json/lex.h"
#include "json/number.h"

/* The values of a JSON tensor, read as a stream. Private to tensor_json.c. */

#define JSON_UNKNOWN UINT64_MAX              /* a size before the first array is closed */
enum { JSON_NO_RANK = TENSOR_MAX_RANK + 1 }; /* the rank before the first number */

/* Set f, dg, lx.text, lx.len, threads, piece, dropped = { 0, 1, 1 }, name = "" and type, that of
 * values in a text without a type. */
struct json_reader {
    struct tensor_file *f; /* its `values` is the array that grows */
    struct diag *dg;
    struct json_lexer lx;
    int threads;                  /* at most */
    size_t piece;                 /* bytes of text that a thread reads at a time, about */
    struct json_position dropped; /* text before it may have been dropped */

    enum status st; /* of the whole */
    /* Of the values; DT_NONE: unknown, only the syntax is checked. Text is not needed again if it
     * is known, and dropped. */
    enum dtype type;
    const struct csv *csv;  /* of a text in columns */
    bool infer;             /* of such a text: the type follows from the numbers */
    bool untyped;           /* the text names no type, nor does the caller: FLOAT32 */
    size_t count, capacity; /* elements in f->values, and room */

    const char *name;                /* "Values" within these in the object form, else "" */
    unsigned depth;                  /* arrays open; 0 outside the values */
    unsigned rank;                   /* nesting of the values; JSON_NO_RANK at first */
    uint64_t sizes[TENSOR_MAX_RANK]; /* elements of the first array closed at each level */
    uint64_t done[TENSOR_MAX_RANK];  /* complete elements of the open array at each level */
};

/* Reads the next token, r->lx.token. Under a title braces are read as brackets. */
void json_reader_next(struct json_reader *r);

/* Reads values of r->type whose first token is the last token, to their end; sets rank, sizes and
 * count. ST_INPUT with a message, or ST_SYSTEM. */
enum status json_reader_values(struct json_reader *r);

/* The position of an offset that is not before r->dropped. */
struct json_position json_reader_position(const struct json_reader *r, size_t offset);

/* ST_INPUT, with "line L, column C: MESSAGE". */
enum status json_reader_fail_at(struct json_reader *r, struct json_position position,
                                const char *message);

/* The same at the last token, within values after the index of the element. */
enum status json_reader_fail(struct json_reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Reports the lexer's error, or that the last token is not what was expected. */
enum status json_reader_fail_token(struct json_reader *r, const char *expected);

/* Reports that r->type does not hold the number that is the last token, by that result. */
enum status json_reader_fail_number(struct json_reader *r, enum number_result result);

/* Stores the last token, NaN or an infinity, by the file's rules, or reports a misfit. */
enum status json_reader_store_special(struct json_reader *r, const struct scalar *special,
                                      void *to);

/* Reads a text in columns; sets r->type if it is DT_NONE, and rank, sizes and count. */
enum status csv_read(struct json_reader *r, const struct csv *form);

/* Reads on after an element within an array, the last token, on several threads: elements, and ends
 * of arrays whose sizes are known, with blanks between them. Stops before everything else (the
 * first array of a level, errors, comments, the end of the values) and leaves that to the lexer, so
 * the result does not depend on threads and pieces. Afterwards the last token is the end of an
 * element again. Errors: ST_SYSTEM. */
enum status json_pieces_read(struct json_reader *r);

/* A piece of a text, which one thread reads. */
struct json_piece {
    const char *from, *to;
    size_t place;                  /* its first element in f->values */
    const char *end;               /* of the text that was read; `to` unless there is a fault */
    size_t count;                  /* elements read */
    struct cast_counts counts;     /* of these */
    struct json_position position; /* of `to`, counted from { from, 1, 1 } */
};

/* The pieces of a format. Several threads call count and read. */
struct json_form {
    /* The end of a piece, about `at`, and after `from`. */
    const char *(*cut)(const struct json_reader *r, const char *from, const char *at);
    /* The most elements that a piece may have. */
    size_t (*count)(const struct json_reader *r, const char *from, const char *to);
    /* Reads elements of r->type to `to` (DT_NONE: NULL), and moves end, count and counts on. */
    void (*read)(const struct json_reader *r, struct json_piece *p, char *to);
};

/* Reads a window of text from r->lx.end on, cut into pieces, on threads, drops the text, and moves
 * lx.end to its end, or to the first fault. *bytes is the size of the window before; 0: none.
 * *elements is the number of elements read; *whole: there was no fault. Errors: ST_SYSTEM. */
enum status json_window_read(struct json_reader *r, const struct json_form *form, size_t *bytes,
                             uint64_t *elements, bool *whole);

/* The end of a run of bytes of numbers. */
static inline const char *number_end(const char *p, const char *end)
{
    while (p < end &&
           ((*p >= '0' && *p <= '9') || *p == '.' || *p == '-' || *p == '+' || (*p | 0x20) == 'e'))
        p++;
    return p;
}

/* Converts a number text of n bytes to r->type, at `to`, by the file's rules, and counts their
 * uses; for DT_NONE only checks its syntax. Several threads may call it. */
enum number_result json_value_convert(const struct json_reader *r, const char *s, size_t n,
                                      void *to, struct cast_counts *counts);

/* Reads nan, inf or infinity, perhaps negative, or "nan", "inf" or "-inf", in any case, at s into
 * *v. Returns its end, or NULL if the text, up to `end`, begins with none. */
const char *json_value_special(const char *s, const char *end, double *v);
