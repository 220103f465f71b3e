#include "io/output_pieces.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/parallel.h"

struct writing {
    struct outputs *outs;
    size_t index;
    const struct output_pieces *pieces;
    char *bytes;     /* [threads][pieces->most] */
    size_t *lengths; /* [threads] */
    enum status st;
    struct diag *dg;
};

static void make_piece(void *context, uint64_t piece, int thread)
{
    const struct writing *w = context;
    size_t lane = (size_t)thread;

    w->lengths[lane] = w->pieces->make(w->pieces->context, (size_t)piece,
                                       w->bytes + lane * w->pieces->most);
}

static bool write_piece(void *context, uint64_t piece, int thread)
{
    struct writing *w = context;
    size_t lane = (size_t)thread;

    (void)piece;
    w->st = outputs_write(w->outs, w->index, w->bytes + lane * w->pieces->most, w->lengths[lane],
                          w->dg);
    return w->st == ST_OK;
}

enum status output_pieces_write(struct outputs *o, size_t i, const struct output_pieces *pieces,
                                int threads, struct diag *dg)
{
    static const struct parallel_steps steps = { NULL, make_piece, write_piece };
    size_t lanes = (size_t)u64_max(1, u64_min((uint64_t)threads, pieces->count));
    struct writing w = { .outs = o, .index = i, .dg = dg, .pieces = pieces };

    w.bytes = mem_alloc(lanes, pieces->most);
    w.lengths = mem_alloc(lanes, sizeof *w.lengths);
    if (w.bytes && w.lengths)
        (void)parallel_pipeline(pieces->count, threads, &steps, &w);
    else
        w.st = diag_nomem(dg);
    free(w.lengths);
    free(w.bytes);
    return w.st;
}
