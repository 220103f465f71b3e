#ifndef DMLOP_IO_OUTPUT_PIECES_H
#define DMLOP_IO_OUTPUT_PIECES_H

#include "io/output.h"

/* An output that threads make in pieces, which are written in order. */
struct output_pieces {
    size_t count;
    size_t most; /* bytes of a piece */
    /* Makes a piece in buf[most] and returns its length. Several threads call it at once. */
    size_t (*make)(const void *context, size_t piece, char *buf);
    const void *context;
    /* Unless it is NULL, called before pieces [first, first + n) are made, at most `needed` of them
     * at a time. Other than ST_OK, after a message, where they cannot be. */
    enum status (*need)(const void *context, size_t first, size_t n);
    size_t needed;
};

/* Makes all pieces, on at most `threads` threads with a buffer each, and appends them to output i
 * of o. Errors as outputs_write, or ST_SYSTEM where memory is short;
 * what `need` fails with. */
enum status output_pieces_write(struct outputs *o, size_t i, const struct output_pieces *pieces,
                                int threads, struct diag *dg);

#endif
