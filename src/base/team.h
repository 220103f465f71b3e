#pragma once

#ifdef _OPENMP
#include <pthread.h>
#endif

#include "base/process.h"

/* A parallel_for (base/parallel.h). */
struct loop {
    void (*body)(void *context, size_t chunk, int thread);
    void *context;
    size_t chunks;
    int threads;
};

/* Runs a chunk and counts it in *done. Thread 0, the caller's, reports progress (parallel_watch).
 */
static inline void loop_run_chunk(const struct loop *l, size_t chunk, int thread, size_t *done)
{
    size_t n;

    l->body(l->context, chunk, thread);
    if (!process.tick)
        return;
    n = __atomic_add_fetch(done, 1, __ATOMIC_RELAXED);
    if (thread == 0)
        process.tick(process.tick_context, n, l->chunks);
}

#ifdef _OPENMP

/* The threads of a region. Waiting is not left to the OpenMP library: most of them spin until their
 * time slice is over, which delays other threads. A loop begins and ends by one atomic word; only
 * threads that sleep or wake others use the lock, as a contended lock costs more than a short loop.
 */
struct team {
    pthread_mutex_t lock;
    pthread_cond_t work; /* a loop was begun, or the region is over */
    pthread_cond_t idle; /* all threads have left the loop */
    size_t spins;        /* before a thread sleeps */
    struct loop loop;    /* valid while threads may join it or are in it */
    int sleeping;        /* threads that wait for `work` */
    int others, arrived; /* threads besides the first, and how many of them run */
    bool awaited;        /* waited at most 100 us for threads to start */
    pthread_cond_t all_arrived;
    _Alignas(CACHE_LINE) uint64_t state;    /* of the loop; see team.c */
    _Alignas(CACHE_LINE) size_t next, done; /* chunks; shared by all threads */
};

/* A team of one thread and `others` that will join, and spin before they sleep. */
void team_init(struct team *t, int others, size_t spins);

/* Works on loops until the team ends; for all threads except the first, number 0. */
void team_serve(struct team *t, int thread);

/* Runs a loop on the calling thread, the first, and those others that arrive before all chunks are
 * begun, to its end. The first loop waits at most 100 us for threads to start. */
void team_run(struct team *t, const struct loop *l);

/* Ends team_serve of all others. */
void team_end(struct team *t);

#endif
