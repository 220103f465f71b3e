#ifndef DMLOP_BASE_TEAM_H
#define DMLOP_BASE_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef _OPENMP
#include <pthread.h>
#endif

#include "base/util.h"

/* A parallel_for (base/parallel.h). */
struct loop {
    void (*body)(void *context, size_t chunk, int thread);
    void *context;
    size_t chunks;
    int threads;
};

/* Does a chunk and counts it in *done. All threads count; the caller's, number 0, tells who watches
 * (parallel_watch). */
void loop_run_chunk(const struct loop *l, size_t chunk, int thread, size_t *done);

#ifdef _OPENMP

/*
 * The threads of a region. Waiting is not left to the OpenMP library: most spin until their time
 * slice is over, at the cost of whoever else wants the processor. A loop begins and ends by one
 * word, without the lock, which only those take that sleep or wake others: a lock that all threads
 * want at once costs more than a short loop.
 */
struct team {
    pthread_mutex_t lock;
    pthread_cond_t work; /* a loop was begun, or the region is over */
    pthread_cond_t idle; /* no thread is in the loop any more */
    size_t spins;        /* before a thread sleeps */
    struct loop loop;    /* stays while it may be joined or threads are in it */
    int sleeping;        /* threads that wait for `work` */
    int others, arrived; /* threads besides the first; of these, those that run */
    bool awaited;        /* so far as is worth it */
    pthread_cond_t all_arrived;
    _Alignas(CACHE_LINE) uint64_t state; /* of the loop; see team.c */
    /* by all threads at once: */
    _Alignas(CACHE_LINE) size_t next, done; /* chunks */
};

/* A team of one thread and others that are to come, of which each will look `spins` times for work
 * before it sleeps. */
void team_init(struct team *t, int others, size_t spins);

/* What all threads but the first, number 0, do until the team ends: work on loops. */
void team_serve(struct team *t, int thread);

/* Runs a loop on the calling thread, the first, and as many of the others as it wants and that
 * come before all its chunks are begun. Returns when all are done. The first loop waits for the
 * others to serve, for a moment at most. */
void team_run(struct team *t, const struct loop *l);

/* Ends team_serve of all others. */
void team_end(struct team *t);

#endif

#endif
