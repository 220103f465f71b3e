#include "io/output_pieces.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/parallel.h"

/* Piece i is made in buffer i modulo their number, when the piece before it there was written. */
struct writing {
    struct outputs *outs;
    size_t index;
    struct diag *dg;
    const struct output_pieces *pieces;
    size_t buffers;
    char *bytes;     /* [buffers][pieces->most] */
    size_t *lengths; /* [buffers] */
    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t room;  /* a buffer became free, or writing failed */
    bool *ready;     /* [buffers] */
    bool busy;       /* a thread writes: it alone touches outs and dg */
    size_t written;  /* pieces */
    enum status st;
};

/* Waits until a piece has a buffer; false where writing failed. Pieces are begun in order, so those
 * that it waits for are made by other threads, or written. */
static bool wait_for_room(struct writing *w, size_t piece)
{
    bool good;

    pthread_mutex_lock(&w->lock);
    while (w->st == ST_OK && piece - w->written >= w->buffers)
        pthread_cond_wait(&w->room, &w->lock);
    good = w->st == ST_OK;
    pthread_mutex_unlock(&w->lock);
    return good;
}

/* Writes the pieces that come next, as far as they are ready. The lock is held, but not while
 * writing. */
static void write_ready(struct writing *w)
{
    w->busy = true;
    while (w->st == ST_OK && w->ready[w->written % w->buffers]) {
        size_t at = w->written % w->buffers;
        enum status st;

        pthread_mutex_unlock(&w->lock);
        st = outputs_write(w->outs, w->index, w->bytes + at * w->pieces->most, w->lengths[at],
                           w->dg);
        pthread_mutex_lock(&w->lock);
        w->ready[at] = false;
        w->written++;
        w->st = st;
        pthread_cond_broadcast(&w->room);
    }
    w->busy = false;
}

static void run_piece(void *context, size_t piece, int thread)
{
    struct writing *w = context;
    size_t at = piece % w->buffers;

    (void)thread;
    if (!wait_for_room(w, piece))
        return;
    w->lengths[at] = w->pieces->make(w->pieces->context, piece, w->bytes + at * w->pieces->most);
    pthread_mutex_lock(&w->lock);
    w->ready[at] = true;
    if (!w->busy)
        write_ready(w);
    pthread_mutex_unlock(&w->lock);
}

enum status output_pieces_write(struct outputs *o, size_t i, const struct output_pieces *pieces,
                                int threads, struct diag *dg)
{
    struct writing w = { .outs = o, .index = i, .dg = dg, .pieces = pieces,
                         .lock = PTHREAD_MUTEX_INITIALIZER, .room = PTHREAD_COND_INITIALIZER };

    w.buffers = threads > 1 ? (size_t)threads * OUTPUT_PIECES_EACH : 1;
    if (w.buffers > pieces->count)
        w.buffers = pieces->count;
    w.bytes = mem_alloc(w.buffers, pieces->most);
    w.lengths = mem_alloc(w.buffers, sizeof *w.lengths);
    w.ready = mem_zalloc(w.buffers, sizeof *w.ready);
    if (w.bytes && w.lengths && w.ready)
        parallel_for(pieces->count, threads, run_piece, &w);
    else
        w.st = diag_nomem(dg);
    pthread_cond_destroy(&w.room);
    pthread_mutex_destroy(&w.lock);
    free(w.ready);
    free(w.lengths);
    free(w.bytes);
    return w.st;
}
