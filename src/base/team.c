#include "base/team.h"

#include "base/parallel.h"

#ifdef _OPENMP

enum { NS_PER_S = 1000000000, ARRIVAL_NS = 100000 /* most of a thread's start */ };

/* The state of a loop: its number, modulo 2^32; whether the first thread waits for `idle`; how many
 * threads may join, 0 once no chunk is left; whether the region is over; how many threads are in
 * it, besides the first. */
enum { NUMBER_SHIFT = 32, LIMIT_SHIFT = 16, FIELD_MASK = 0x7fff, REGION_OVER = 1 << 15 };
#define FIRST_SLEEPS ((uint64_t)1 << 31)

_Static_assert((int)PARALLEL_MOST <= (int)FIELD_MASK, "a loop's threads fit their field");

static uint32_t loop_number(uint64_t state) { return (uint32_t)(state >> NUMBER_SHIFT); }
static int loop_limit(uint64_t state) { return (int)(state >> LIMIT_SHIFT & FIELD_MASK); }
static int loop_active(uint64_t state) { return (int)(state & FIELD_MASK); }

void team_init(struct team *t, int others, size_t spins)
{
    *t = (struct team){ .lock = PTHREAD_MUTEX_INITIALIZER,
                        .work = PTHREAD_COND_INITIALIZER,
                        .idle = PTHREAD_COND_INITIALIZER,
                        .all_arrived = PTHREAD_COND_INITIALIZER,
                        .others = others,
                        .spins = spins };
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void run_chunks(struct team *t, const struct loop *l, int thread)
{
    size_t i;

    while ((i = __atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED)) < l->chunks)
        loop_run_chunk(l, i, thread, &t->done);
}

/* Waits until a loop after `seen` begins, and returns the state. */
static uint64_t wait_for_loop(struct team *t, uint32_t seen)
{
    uint64_t state;

    for (size_t i = 0; i < t->spins; i++) {
        state = __atomic_load_n(&t->state, __ATOMIC_ACQUIRE);
        if (loop_number(state) != seen)
            return state;
        relax();
    }
    pthread_mutex_lock(&t->lock);
    /* before the state is read, as the first thread changes that before it reads `sleeping` */
    __atomic_add_fetch(&t->sleeping, 1, __ATOMIC_SEQ_CST);
    while (loop_number(state = __atomic_load_n(&t->state, __ATOMIC_SEQ_CST)) == seen)
        pthread_cond_wait(&t->work, &t->lock);
    __atomic_sub_fetch(&t->sleeping, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&t->lock);
    return state;
}

/* A late thread does not join: nobody waits for one that waits for a processor. */
static bool join_loop(struct team *t, uint64_t state, int thread)
{
    uint32_t number = loop_number(state);

    while (loop_number(state) == number && thread < loop_limit(state))
        if (__atomic_compare_exchange_n(&t->state, &state, state + 1, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return true;
    return false;
}

static void leave_loop(struct team *t)
{
    uint64_t state = __atomic_sub_fetch(&t->state, 1, __ATOMIC_ACQ_REL);

    if (loop_active(state) > 0 || !(state & FIRST_SLEEPS))
        return;
    pthread_mutex_lock(&t->lock);
    pthread_mutex_unlock(&t->lock);
    pthread_cond_signal(&t->idle);
}

void team_serve(struct team *t, int thread)
{
    uint64_t state = 0;

    pthread_mutex_lock(&t->lock);
    t->arrived++;
    pthread_mutex_unlock(&t->lock);
    pthread_cond_signal(&t->all_arrived);
    for (;;) {
        state = wait_for_loop(t, loop_number(state));
        if (state & REGION_OVER)
            return;
        if (join_loop(t, state, thread)) {
            run_chunks(t, &t->loop, thread);
            leave_loop(t);
        }
    }
}

/* Begins the next loop; state: without its number. */
static void begin_loop(struct team *t, uint64_t state)
{
    uint64_t number = loop_number(__atomic_load_n(&t->state, __ATOMIC_RELAXED)) + UINT64_C(1);

    __atomic_store_n(&t->state, number << NUMBER_SHIFT | state, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&t->sleeping, __ATOMIC_SEQ_CST) == 0)
        return;
    pthread_mutex_lock(&t->lock); /* until threads that were about to sleep do so */
    pthread_mutex_unlock(&t->lock);
    pthread_cond_broadcast(&t->work);
}

static bool others_active(struct team *t)
{
    return loop_active(__atomic_load_n(&t->state, __ATOMIC_ACQUIRE)) > 0;
}

/* The system often begins a thread on the processor of its creator, where it waits for milliseconds
 * while another processor is idle. If the creator sleeps here, the thread runs at once, and wakes
 * the creator on an idle processor. topk, K = 100, 16 MB, two threads of a Zen 4: 1.8 of 8.2 ms. */
static void await_all(struct team *t)
{
    struct timespec end;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += ARRIVAL_NS;
    end.tv_sec += end.tv_nsec / NS_PER_S;
    end.tv_nsec %= NS_PER_S;
    pthread_mutex_lock(&t->lock);
    while (t->arrived < t->others && pthread_cond_timedwait(&t->all_arrived, &t->lock, &end) == 0)
        ;
    pthread_mutex_unlock(&t->lock);
}

void team_run(struct team *t, const struct loop *l)
{
    assert(l->threads <= PARALLEL_MOST);
    if (!t->awaited)
        await_all(t);
    t->awaited = true;
    t->loop = *l;
    t->next = t->done = 0;
    begin_loop(t, (uint64_t)l->threads << LIMIT_SHIFT);
    run_chunks(t, l, 0);
    __atomic_and_fetch(&t->state, ~((uint64_t)FIELD_MASK << LIMIT_SHIFT), __ATOMIC_ACQ_REL);
    for (size_t i = 0; i < t->spins && others_active(t); i++)
        relax();
    if (!others_active(t))
        return;
    pthread_mutex_lock(&t->lock);
    __atomic_or_fetch(&t->state, FIRST_SLEEPS, __ATOMIC_ACQ_REL);
    while (others_active(t))
        pthread_cond_wait(&t->idle, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void team_end(struct team *t) { begin_loop(t, REGION_OVER); }

#endif
