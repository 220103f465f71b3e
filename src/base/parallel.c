#include "base/parallel.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#endif

#include "base/team.h"
#include "os/process.h"
#include "os/processors.h"

enum {
    /* Less work is done before another thread has started, after some 50 us. */
    BYTES_PER_THREAD = 1 << 20,
    /* Some 30 ms of work. If all processors are busy, more threads do not speed up shorter work,
     * and one that is scheduled late delays it. */
    SHORT_BYTES = 256 << 20,
    /* Checks for work before a waiting thread sleeps: 3 to 10 us. */
    SPINS = 200,
    STACK_BYTES = 1 << 20,  /* of a thread; see choose_stack */
    STACK_LEAST = 64 << 10, /* a thread with less does no work; slice needs 24 KB */
};

/* The first number of a list like "4" or "4,2"; 0 if there is none. */
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

int parallel_default_threads(void)
{
    int n;

    if (!parallel_available())
        return 1;
    n = leading_number(getenv("OMP_NUM_THREADS"));
    if (n == 0)
        n = processors_usable();
    return n < PARALLEL_MOST ? n : PARALLEL_MOST;
}

int parallel_threads_for(int asked, uint64_t bytes)
{
    uint64_t most = bytes / BYTES_PER_THREAD;
    int n;

    if (asked > 0 || most <= 1)
        return asked > 0 ? asked : 1;
    n = (int)u64_min((uint64_t)parallel_default_threads(), most);
    if (n > 1 && bytes < SHORT_BYTES && leading_number(getenv("OMP_NUM_THREADS")) == 0)
        n = (int)u64_min((uint64_t)n, 1 + (uint64_t)processors_idle());
    return n;
}

/* Parses counts like 200, 10k or infinite, as in GOMP_SPINCOUNT; false for others. */
static bool parse_spins(const char *s, size_t *spins)
{
    static const char units[] = "kmgt";
    const char *unit;
    char *end;

    if (strcasecmp(s, "infinite") == 0 || strcasecmp(s, "infinity") == 0) {
        *spins = SIZE_MAX;
        return true;
    }
    errno = 0;
    *spins = strtoull(s, &end, 10);
    if (errno || end == s || *s == '-')
        return false;
    if (*end == '\0')
        return true;
    unit = end[1] == '\0' ? strchr(units, tolower((unsigned char)*end)) : NULL;
    for (const char *u = units; unit && u <= unit; u++)
        if (__builtin_mul_overflow(*spins, 1000, spins))
            *spins = SIZE_MAX;
    return unit != NULL;
}

bool parallel_spins(const char *count, const char *policy, size_t *spins)
{
    if (count && parse_spins(count, spins))
        return true;
    *spins = policy && strcasecmp(policy, "active") == 0 ? SIZE_MAX : 0;
    return *spins > 0 || (policy && strcasecmp(policy, "passive") == 0);
}

void parallel_watch(void (*tick)(void *context, size_t done, size_t chunks), void *context)
{
    process.tick = tick;
    process.tick_context = context;
}

#ifdef _OPENMP

bool parallel_available(void) { return true; }

/* Sets OMP_NUM_THREADS to the number that is used, or unsets it: if it is empty, not a list of
 * numbers, or large, LLVM's library fails or uses any number. */
static void simplify_variable(void)
{
    const char *threads = getenv("OMP_NUM_THREADS");
    char number[16];
    int n = leading_number(threads);

    if (!threads)
        return;
    if (n > 0) {
        snprintf(number, sizeof number, "%d", n < PARALLEL_MOST ? n : PARALLEL_MOST);
        setenv("OMP_NUM_THREADS", number, 1);
        return;
    }
    process.misread_threads = *threads ? threads : NULL;
    unsetenv("OMP_NUM_THREADS");
}

/* Sets STACK_BYTES: a variable or `ulimit -s` may make stacks too small or too large to start. */
static void choose_stack(void)
{
    unsetenv("GOMP_STACKSIZE");
    unsetenv("KMP_STACKSIZE");
    setenv("OMP_STACKSIZE", "1M", 1);
}

/* The user's policy of waiting applies to the OpenMP library, too. Without one, its threads should
 * sleep as soon as a region is over: by default GCC's spin for milliseconds, and LLVM's for longer.
 * They obey a variable, which LLVM's library reads at its first use, and GCC's when it is loaded:
 * after this function only if it is linked statically. */
__attribute__((constructor(102))) static void choose_waiting(void)
{
    simplify_variable();
    choose_stack();
    /* threads beyond the processors' number would not let others start while they wait awake */
    unsetenv("KMP_BLOCKTIME");
    process.waiting_is_chosen =
        parallel_spins(getenv("GOMP_SPINCOUNT"), getenv("OMP_WAIT_POLICY"), &process.spins);
    if (process.waiting_is_chosen)
        return;
    process.spins = SPINS;
    setenv("OMP_WAIT_POLICY", "passive", 1);
}

/* True if the OpenMP library read its variables before choose_waiting could set one. */
static bool library_was_first(void)
{
    return !os_same_module((void *)(uintptr_t)omp_get_thread_num,
                           (void *)(uintptr_t)parallel_region);
}

static void *wait_for_all(void *gate)
{
    pthread_rwlock_rdlock(gate);
    pthread_rwlock_unlock(gate);
    return NULL;
}

/* How many of n threads the system runs at once, with the caller's: starts them and ends them
 * again. Not inlined, so that a region does not keep this frame of 8 KB: stacks may be small. */
__attribute__((noinline)) static int try_threads(int n)
{
    pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
    pthread_t ids[PARALLEL_MOST];
    pthread_attr_t attr;
    int started = 0;

    pthread_attr_init(&attr);
    if (!library_was_first())
        pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_rwlock_wrlock(&gate);
    while (started < n - 1 && pthread_create(&ids[started], &attr, wait_for_all, &gate) == 0)
        started++;
    pthread_attr_destroy(&attr);
    pthread_rwlock_unlock(&gate);
    for (int i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    pthread_rwlock_destroy(&gate);
    return started + 1;
}

/* How many of n threads a region will have. OpenMP libraries end the program if a thread cannot be
 * started, so near a limit they are tried first, once for each new maximum. */
static int threads_available(int n)
{
    if (n > process.threads_requested) {
        process.threads_requested = n;
        process.threads_started = processors_have_room(n - 1) ? n : try_threads(n);
    }
    return n < process.threads_started ? n : process.threads_started;
}

/* True on a thread whose stack is too small for work. */
static bool stack_is_small(void) { return library_was_first() && os_stack_bytes() < STACK_LEAST; }

/* Threads that outnumber the processors delay others while they spin. */
static size_t spins_for(int threads)
{
    return process.spins > SPINS && threads > processors_usable() ? SPINS : process.spins;
}

void parallel_region(int threads, void (*stage)(void *context), void *context)
{
    struct team team;
    int n;

    if (threads < 2 || process.team || (n = threads_available(threads)) < 2) {
        stage(context);
        return;
    }
    team_init(&team, n - 1, spins_for(n));
    process.team = &team;
    process.threads_starting = n;
#pragma omp parallel num_threads(n)
    if (omp_get_thread_num() > 0 && stack_is_small()) {
        __atomic_store_n(&process.threads_started, 1, __ATOMIC_RELAXED);
    } else if (omp_get_thread_num() > 0) {
        team_serve(&team, omp_get_thread_num());
    } else {
        process.threads_starting = 0;
        stage(context);
        team_end(&team);
    }
    process.team = NULL;
    if (!process.waiting_is_chosen && library_was_first())
        omp_pause_resource_all(omp_pause_soft);
}

#else

bool parallel_available(void) { return false; }

void parallel_region(int threads, void (*stage)(void *context), void *context)
{
    (void)threads;
    stage(context);
}

#endif

static void run_in_region(void *context)
{
    const struct loop *l = context;
    size_t done = 0;

#ifdef _OPENMP
    if (l->threads > 1 && process.team) {
        team_run(process.team, l);
        return;
    }
#endif
    for (size_t i = 0; i < l->chunks; i++)
        loop_run_chunk(l, i, 0, &done);
}

void parallel_for(size_t chunks, int threads, void (*body)(void *context, size_t chunk, int thread),
                  void *context)
{
    struct loop l = { body, context, chunks, threads };

    if (chunks < (size_t)threads)
        l.threads = (int)chunks;
    parallel_region(l.threads, run_in_region, &l);
}

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
