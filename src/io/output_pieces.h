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
};

/*
 * Makes all pieces, on at most `threads` threads, and appends them to output i of o. A thread that
 * has made the piece that is to be written next writes it, and what follows and is ready; the
 * others go on. There are buffers for OUTPUT_PIECES_EACH pieces of each thread. Errors as
 * outputs_write, or ST_SYSTEM where memory is short.
 */
enum { OUTPUT_PIECES_EACH = 8 };
enum status output_pieces_write(struct outputs *o, size_t i, const struct output_pieces *pieces,
                                int threads, struct diag *dg);

#endif
