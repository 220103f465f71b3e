#ifndef DMLOP_BASE_PROCESS_H
#define DMLOP_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The mutable state of the process. Two other files have some: io/cleanup.c what signal handlers
 * need, for these get no arguments; kernel/cpu.c what the processor is and can do.
 */
struct process {
    bool standard_input_used; /* it can be read only once (io/input.c) */
    struct npz_listing *npz_listing; /* the archive that is being listed; NULL: none (io/npz.c) */
    int standard_error;       /* a copy of it while it leads nowhere (base/openmp_messages.c) */
    /* of base/parallel.c: */
    struct team *team;        /* the region's; NULL outside one */
    size_t spins;             /* how often a thread that waits looks for work before it sleeps */
    const char *misread_threads; /* OMP_NUM_THREADS that is not a number; NULL: none */
    bool waiting_is_chosen;   /* spins is what the user's environment says */
    int threads_requested;    /* the most that a region wanted */
    int threads_started;      /* how many of them the system started */
    void (*tick)(void *context, size_t done, size_t chunks); /* NULL: none */
    void *tick_context;
};

extern struct process process;

#endif
