#include "base/parallel.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#endif

#include "base/process.h"

bool parallel_available(void)
{
#ifdef _OPENMP
    return true;
#else
    return false;
#endif
}

/* The first number of a list like "4" or "4,2"; 0 where there is none. */
static int leading_number(const char *s)
{
    char *end;
    long n;

    if (!s)
        return 0;
    errno = 0;
    n = strtol(s, &end, 10);
    if (errno || end == s || (*end && *end != ',') || n < 1 || n > INT_MAX)
        return 0;
    return (int)n;
}

static int processors(void)
{
#ifdef __linux__
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n > 0 && n <= INT_MAX ? (int)n : 1;
}

int parallel_default_threads(void)
{
    int n;

    if (!parallel_available())
        return 1;
    n = leading_number(getenv("OMP_NUM_THREADS"));
    if (n == 0)
        n = processors();
    return n < PARALLEL_MOST ? n : PARALLEL_MOST;
}

bool parallel_shortage(int *requested, int *started)
{
    *requested = process.threads_requested;
    *started = process.threads_started;
    return *started < *requested;
}

#ifdef _OPENMP
static void *wait_for_all(void *gate)
{
    pthread_rwlock_rdlock(gate);
    pthread_rwlock_unlock(gate);
    return NULL;
}

/*
 * How many of n threads the system will run, the caller's among them. OpenMP libraries end the
 * program where a thread cannot be started, so this starts as many first, all alive at once, and
 * ends them again: once for each number that is larger than those before.
 */
static int threads_available(int n)
{
    pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
    pthread_t ids[PARALLEL_MOST];
    int started = 0;

    if (n <= process.threads_requested)
        return n < process.threads_started ? n : process.threads_started;
    pthread_rwlock_wrlock(&gate);
    while (started < n - 1 && pthread_create(&ids[started], NULL, wait_for_all, &gate) == 0)
        started++;
    pthread_rwlock_unlock(&gate);
    for (int i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    pthread_rwlock_destroy(&gate);
    process.threads_requested = n;
    process.threads_started = started + 1;
    return process.threads_started;
}
#endif

void parallel_watch(void (*tick)(void *context, size_t done, size_t chunks), void *context)
{
    process.tick = tick;
    process.tick_context = context;
}

/* All threads count what is done; the caller's, number 0, reports it. */
static void count(size_t *done, size_t chunks, int thread)
{
    size_t n;

    if (!process.tick)
        return;
    n = __atomic_add_fetch(done, 1, __ATOMIC_RELAXED);
    if (thread == 0)
        process.tick(process.tick_context, n, chunks);
}

void parallel_for(size_t chunks, int threads,
                  void (*body)(void *context, size_t chunk, int thread), void *context)
{
    size_t done = 0;

#ifdef _OPENMP
    if (threads > 1 && chunks > 1) {
        int n = threads_available(chunks < (size_t)threads ? (int)chunks : threads);

#pragma omp parallel for schedule(dynamic, 1) num_threads(n)
        for (size_t i = 0; i < chunks; i++) {
            body(context, i, omp_get_thread_num());
            count(&done, chunks, omp_get_thread_num());
        }
        return;
    }
#endif
    (void)threads;
    for (size_t i = 0; i < chunks; i++) {
        body(context, i, 0);
        count(&done, chunks, 0);
    }
}
