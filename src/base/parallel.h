#pragma once

#include "base/util.h"

enum { PARALLEL_MOST = 1024 /* threads */ };

/* True if this build can run more than one thread. */
bool parallel_available(void);

/* The maximum number of threads if the user does not choose one: OMP_NUM_THREADS if it is a
 * positive number, else processors_usable(). 1 to PARALLEL_MOST. */
int parallel_default_threads(void);

/* Threads for work that takes as long as `bytes` of memory: `asked`, or if that is 0, one per MiB,
 * at most parallel_default_threads(), and for short work one per processor that is idle now. */
int parallel_threads_for(int asked, uint64_t bytes);

/* Calls stage(context) on the calling thread. Meanwhile threads - 1 others wait for the chunks of
 * the parallel_fors that stage calls; while there are none they sleep. They are started once, so a
 * command has one region around all it computes. stage may allocate, print, call parallel_for. If
 * the system starts fewer threads, these do all the work. With one thread, inside another
 * region, or in a build without OpenMP, this is a plain call. */
void parallel_region(int threads, void (*stage)(void *context), void *context);

/* Calls body(context, chunk, thread) once for each chunk in 0..chunks-1, on at most `threads`
 * threads of the region; thread is in 0..threads-1 and indexes scratch that the caller allocated
 * before. Outside a region it makes one for itself. Chunks are begun in ascending order. body must
 * not print messages, except under a lock of its own, nor call parallel_for for more than one
 * thread. With one chunk, one thread or a build without OpenMP all runs on the calling thread, as
 * thread 0. */
void parallel_for(size_t chunks, int threads,
                  void (*body)(void *context, size_t chunk, int thread), void *context);

/* The steps of a pipeline for each piece. If begin or end returns false, the pipeline ends. */
struct parallel_steps {
    /* in order, one thread at a time; may read input, allocate, print messages. May be NULL */
    bool (*begin)(void *context, uint64_t piece, int thread);
    void (*work)(void *context, uint64_t piece, int thread); /* on several threads at once */
    /* in order, serialized with begin; may write output, print messages */
    bool (*end)(void *context, uint64_t piece, int thread);
};

/* Runs the steps for pieces 0..pieces-1, all steps of a piece on one of at most `threads` threads;
 * thread is in 0..threads-1 and indexes scratch: a thread has one piece at a time. Outside a region
 * it makes one for itself. False if a step failed; then no piece after it has ended. */
bool parallel_pipeline(uint64_t pieces, int threads, const struct parallel_steps *steps,
                       void *context);

/* How often a waiting thread checks for work before it sleeps, by the values of GOMP_SPINCOUNT and,
 * without a valid count, OMP_WAIT_POLICY; NULL if they are not set. False if neither is valid. */
bool parallel_spins(const char *count, const char *policy, size_t *spins);

/* Each parallel_for calls tick on the caller's thread after some chunks, until NULL is set. */
void parallel_watch(void (*tick)(void *context, size_t done, size_t chunks), void *context);

/* Silences the OpenMP library's start-up warnings about its environment variables: GCC's library
 * prints them when it is loaded, before main. If such variables are set, standard error of a
 * program that calls openmp_messages_end is redirected to /dev/null until that call. */
void openmp_messages_end(void);
