#include "base/parallel.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

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
    return n > 0 ? n : 1;
}

static struct {
    void (*tick)(void *context, size_t done, size_t chunks);
    void *context;
} watch;

void parallel_watch(void (*tick)(void *context, size_t done, size_t chunks), void *context)
{
    watch.tick = tick;
    watch.context = context;
}

/* Threads count together what is done; the caller's, which is number 0, tells. */
static void count(size_t *done, size_t chunks, int thread)
{
    size_t n;

    if (!watch.tick)
        return;
    n = __atomic_add_fetch(done, 1, __ATOMIC_RELAXED);
    if (thread == 0)
        watch.tick(watch.context, n, chunks);
}

void parallel_for(size_t chunks, int threads,
                  void (*body)(void *context, size_t chunk, int thread), void *context)
{
    size_t done = 0;

#ifdef _OPENMP
    if (threads > 1 && chunks > 1) {
        int n = chunks < (size_t)threads ? (int)chunks : threads;

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
