#include "io/output_pieces.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/region.h"

enum { BATCH = 8 /* pieces of each thread; there are two batches */ };

/* Pieces that follow each other, and their buffers. */
struct batch {
    size_t n;
    size_t *lengths;
    char *buffers;
};

struct writing {
    struct outputs *outs;
    size_t index;
    const struct output_pieces *pieces;
    int threads;
    struct diag *dg;
    size_t most;        /* pieces of a batch */
    struct batch v[2];  /* one is made, the other written */
    struct batch *made, *ready;
    uint64_t first;     /* piece of `made` */
    enum status st;
};

static void write_batch(struct writing *w, const struct batch *b)
{
    for (size_t i = 0; i < b->n && w->st == ST_OK; i++)
        w->st = outputs_write(w->outs, w->index, b->buffers + i * w->pieces->most, b->lengths[i],
                              w->dg);
}

/* The first chunk writes what is ready: so only one thread touches the output, and reports. */
static void run_chunk(void *context, size_t chunk, int thread)
{
    struct writing *w = context;
    size_t i = chunk - 1;

    (void)thread;
    if (chunk == 0)
        write_batch(w, w->ready);
    else
        w->made->lengths[i] = w->pieces->make(w->pieces->context, w->first + i,
                                              w->made->buffers + i * w->pieces->most);
}

static void write_all(void *context)
{
    struct writing *w = context;

    for (w->first = 0; w->first < w->pieces->count && w->st == ST_OK; w->first += w->made->n) {
        struct batch *next = w->ready;

        w->ready = w->made;
        w->made = next;
        w->made->n = (size_t)u64_min(w->most, w->pieces->count - w->first);
        parallel_for(1 + w->made->n, w->threads, run_chunk, w);
    }
    write_batch(w, w->made);
}

enum status output_pieces_write(struct outputs *o, size_t i, const struct output_pieces *pieces,
                                int threads, struct diag *dg)
{
    size_t most = (size_t)u64_min(threads > 1 ? (uint64_t)threads * BATCH : 1, pieces->count);
    struct writing w = { .outs = o, .index = i, .pieces = pieces, .threads = threads, .dg = dg,
                         .most = most, .made = &w.v[0], .ready = &w.v[1] };
    char *buffers = mem_alloc(2 * most, pieces->most);
    size_t *lengths = mem_alloc(2 * most, sizeof *lengths);

    if (buffers && lengths) {
        w.v[0] = (struct batch){ 0, lengths, buffers };
        w.v[1] = (struct batch){ 0, lengths + most, buffers + most * pieces->most };
        parallel_region(threads, write_all, &w);
    } else
        w.st = diag_nomem(dg);
    free(lengths);
    free(buffers);
    return w.st;
}
