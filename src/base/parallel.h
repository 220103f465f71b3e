#ifndef DMLOP_BASE_PARALLEL_H
#define DMLOP_BASE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

enum { PARALLEL_MOST = 1024 /* threads */ };

/* Whether this build can run more than one thread. */
bool parallel_available(void);

/* Threads to use when none are asked for: OMP_NUM_THREADS where it is set to a
 * positive number, else the processors that this process may run on. 1 to PARALLEL_MOST. */
int parallel_default_threads(void);

/*
 * Calls body(context, chunk, thread) once for each chunk in 0..chunks-1, on at
 * most `threads` threads; thread is in 0..threads-1 and indexes scratch that
 * the caller allocated before. Chunks are handed out in no given order. body
 * must not fail, allocate or report. Where the system does not let so many threads start there are fewer. With one chunk, one thread or a build
 * without OpenMP all runs on the calling thread, as thread 0.
 */
void parallel_for(size_t chunks, int threads,
                  void (*body)(void *context, size_t chunk, int thread), void *context);

/* How many threads were asked of a parallel_for when the system would not start so many, and in *got with how many it
 * made do; 0 where that never was so. */
int parallel_shortage(int *got);

/* From now on calls tick(context, done, chunks) on the caller's thread as the chunks of a parallel_for get done, not for
 * each of them. NULL: no more. */
void parallel_watch(void (*tick)(void *context, size_t done, size_t chunks), void *context);

#endif
