#ifndef DMLOP_BASE_PROCESS_H
#define DMLOP_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The mutable state of the process that outlives function calls. Two other files have variables at
 * file scope: io/cleanup.c has the names that handlers of signals need, for these get no arguments;
 * kernel/cpu.c remembers what the processor can do.
 */
struct process {
    bool standard_input_used; /* io/input.c: it can be read only once */
    struct {
        int requested; /* the most threads that a parallel_for wanted */
        int started;   /* how many of them the system started */
        int short_of;  /* `requested` where fewer were started, else 0 */
    } threads;         /* base/parallel.c */
    struct {
        void (*tick)(void *context, size_t done, size_t chunks); /* NULL: none */
        void *context;
    } watch;           /* base/parallel.c */
};

extern struct process process;

#endif
