#ifndef DMLOP_BASE_PARALLEL_H
#define DMLOP_BASE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARALLEL_MOST = 1024 /* threads */ };

/* Whether this build can run more than one thread. */
bool parallel_available(void);

/* OMP_NUM_THREADS where it is set and is not a number of threads, and so is ignored; else NULL. */
const char *parallel_misread_variable(void);

/* The most threads that are used where the user names no number: OMP_NUM_THREADS where it is set to
 * a positive number, else the processors that this process can keep busy (base/processors.h). 1 to
 * PARALLEL_MOST. */
int parallel_default_threads(void);

/*
 * Threads for work that goes through so many bytes, or takes as long: as many as `asked` says, or,
 * where that is 0, as many as pay: one a megabyte, at most parallel_default_threads(), and for
 * short work no more than there are processors without anything to do at this moment.
 */
int parallel_threads_for(int asked, uint64_t bytes);

/*
 * Calls stage(context) on the calling thread. Meanwhile threads - 1 others wait for the chunks of
 * the parallel_fors that stage calls; while there are none they sleep. They are started once, so a
 * command has one region around all it computes. stage may do what it likes. There are fewer
 * threads where the system does not start so many. With one thread, inside another region, or in a
 * build without OpenMP, it is a plain call.
 */
void parallel_region(int threads, void (*stage)(void *context), void *context);

/*
 * Calls body(context, chunk, thread) once for each chunk in 0..chunks-1, on at most `threads`
 * threads of the region; thread is in 0..threads-1 and indexes scratch that the caller allocated
 * before. Outside a region it makes one for itself. Chunks are begun in ascending order. body must
 * not report, unless it takes care that one thread does so at a time, and calls no parallel_for for
 * more than one thread. With one chunk, one thread or a build without OpenMP all runs on the
 * calling thread, as thread 0.
 */
void parallel_for(size_t chunks, int threads,
                  void (*body)(void *context, size_t chunk, int thread), void *context);

/* What happens to each piece of a pipeline. False of begin or end ends it. */
struct parallel_steps {
    /* in order, one thread at a time; reads what comes in, allocates, reports. May be NULL */
    bool (*begin)(void *context, uint64_t piece, int thread);
    void (*work)(void *context, uint64_t piece, int thread); /* on several threads at once */
    /* in order, one thread at a time, which is in no begin either: writes, reports */
    bool (*end)(void *context, uint64_t piece, int thread);
};

/*
 * Takes pieces 0..pieces-1 through the steps, each by one thread of at most `threads`; thread is in
 * 0..threads-1 and indexes scratch: a thread has one piece at a time. Outside a region it makes one
 * for itself. False where a step failed; of the pieces after it, none has ended.
 */
bool parallel_pipeline(uint64_t pieces, int threads, const struct parallel_steps *steps,
                       void *context);

/*
 * How often a thread that waits looks for work before it sleeps, by what GOMP_SPINCOUNT, which
 * comes first, and OMP_WAIT_POLICY say; NULL where they are not set. False where neither says
 * anything that is understood.
 */
bool parallel_spins(const char *count, const char *policy, size_t *spins);

/* Whether the system started fewer threads than the most that a region wanted, and both numbers. */
bool parallel_shortage(int *requested, int *started);

/* From now on each parallel_for calls tick(context, done, chunks) on the caller's thread, after
 * some of the chunks. NULL: no longer. */
void parallel_watch(void (*tick)(void *context, size_t done, size_t chunks), void *context);

#endif
