#ifndef DMLOP_BASE_PARALLEL_H
#define DMLOP_BASE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

enum { PARALLEL_MOST = 1024 /* threads */ };

/* Whether this build can run more than one thread. */
bool parallel_available(void);

/* Threads to use where the user names no number: OMP_NUM_THREADS where it is set to a
 * positive number, else the processors that this process may run on. 1 to PARALLEL_MOST. */
int parallel_default_threads(void);

/*
 * Calls body(context, chunk, thread) once for each chunk in 0..chunks-1, on at most `threads`
 * threads; thread is in 0..threads-1 and indexes scratch that the caller allocated before. Chunks
 * are handed out in no given order. body must not fail, allocate or report. There are fewer threads
 * where the system does not start so many. With one chunk, one thread or a build without OpenMP all
 * runs on the calling thread, as thread 0.
 */
void parallel_for(size_t chunks, int threads,
                  void (*body)(void *context, size_t chunk, int thread), void *context);

/* Whether the system started fewer threads than the most that a parallel_for wanted, and both
 * numbers. */
bool parallel_shortage(int *requested, int *started);

/* From now on each parallel_for calls tick(context, done, chunks) on the caller's thread, after
 * some of the chunks. NULL: no longer. */
void parallel_watch(void (*tick)(void *context, size_t done, size_t chunks), void *context);

#endif
