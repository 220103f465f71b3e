#include <stdbool.h>
#include <stdint.h>

#ifdef _OPENMP
#include <pthread.h>
#endif

#include "base/parallel.h"
#include "base/util.h"

enum { PIPELINE_THREADS = 64 /* the serial steps limit a pipeline long before */ };

struct pipeline {
    const struct parallel_steps *steps;
    void *context;
    uint64_t pieces, begun, ended;
    int threads;
    bool failed;
#ifdef _OPENMP
    pthread_mutex_t lock;                  /* of all the above */
    pthread_cond_t turn[PIPELINE_THREADS]; /* piece i ends next; index i modulo threads */
#endif
};

static bool begin_piece(struct pipeline *p, uint64_t *piece, int thread)
{
    if (p->failed || p->begun == p->pieces)
        return false;
    *piece = p->begun++;
    p->failed = p->steps->begin && !p->steps->begin(p->context, *piece, thread);
    return !p->failed;
}

#ifdef _OPENMP

static void wake(struct pipeline *p)
{
    if (!p->failed)
        pthread_cond_signal(&p->turn[p->ended % (uint64_t)p->threads]);
    for (int i = 0; p->failed && i < p->threads; i++)
        pthread_cond_signal(&p->turn[i]);
}

/* Ends a piece in its turn and begins another, which is worked on while the next one ends. */
static bool end_and_begin(struct pipeline *p, uint64_t *piece, int thread)
{
    while (p->ended != *piece && !p->failed)
        pthread_cond_wait(&p->turn[*piece % (uint64_t)p->threads], &p->lock);
    if (p->failed)
        return false;
    p->failed = !p->steps->end(p->context, *piece, thread);
    p->ended++;
    return begin_piece(p, piece, thread);
}

static void run_pieces(void *context, size_t chunk, int thread)
{
    struct pipeline *p = context;
    uint64_t piece;
    bool more;

    (void)chunk;
    pthread_mutex_lock(&p->lock);
    more = begin_piece(p, &piece, thread);
    while (more) {
        pthread_mutex_unlock(&p->lock);
        p->steps->work(p->context, piece, thread);
        pthread_mutex_lock(&p->lock);
        more = end_and_begin(p, &piece, thread);
        wake(p);
    }
    pthread_mutex_unlock(&p->lock);
}

#endif

bool parallel_pipeline(uint64_t pieces, int threads, const struct parallel_steps *steps,
                       void *context)
{
    struct pipeline p = { .steps = steps, .context = context, .pieces = pieces };
    uint64_t piece;

    p.threads = (int)u64_min(u64_min((uint64_t)threads, pieces), PIPELINE_THREADS);
#ifdef _OPENMP
    if (p.threads > 1) {
        pthread_mutex_init(&p.lock, NULL);
        for (int i = 0; i < p.threads; i++)
            pthread_cond_init(&p.turn[i], NULL);
        parallel_for((size_t)p.threads, p.threads, run_pieces, &p);
        return !p.failed;
    }
#endif
    while (begin_piece(&p, &piece, 0)) {
        steps->work(context, piece, 0);
        p.failed = !steps->end(context, piece, 0);
    }
    return !p.failed;
}
