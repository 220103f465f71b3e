#pragma once

#include "base/util.h"

/* The mutable state of the process. Some files have more, for themselves: os/linux/signals.c and
 * io/cleanup.c what signal handlers need, as these get no arguments; kernel/cpu.c the processor's
 * features; io/npz.c the archive that is being listed; json/doc.c the document that is sorted. */
struct process {
    bool standard_input_used; /* it can be read only once (io/input.c) */
    char ran_out[512];  /* message on what was short where only memory is reported (base/diag.c) */
    int standard_error; /* a copy while it is redirected (base/openmp_messages.c), else 0 */
    /* of base/parallel.c: */
    struct team *team;           /* the region's; NULL outside one */
    size_t spins;                /* how often a waiting thread checks for work before it sleeps */
    bool waiting_is_chosen;      /* the user's environment chose spins */
    const char *misread_threads; /* OMP_NUM_THREADS if it is not a number; else NULL */
    int threads_requested;       /* the most that a region wanted */
    int threads_started;         /* how many of them the system started */
    int threads_starting;        /* the OpenMP library is starting this many; 0: none */
    void (*tick)(void *context, size_t done, size_t chunks); /* may be NULL */
    void *tick_context;
};

extern struct process process;
