#ifndef DMLOP_BASE_PROCESS_H
#define DMLOP_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What this process has of mutable state that outlives a function call. Nothing else in src/ is a variable at file scope,
 * but for two: io/cleanup.c keeps the names that handlers of signals need, for these have no arguments; kernel/cpu.c
 * remembers what it found the processor to be.
 */
struct process {
    bool standard_input_used; /* io/input.c: it can be read only once */
    struct {
        int asked, got;       /* the largest number of threads that was asked of the system, and how many it gave */
        int short_of;         /* asked where it gave fewer, else 0 */
    } threads;                /* base/parallel.c */
    struct {
        void (*tick)(void *context, size_t done, size_t chunks); /* NULL: nobody watches */
        void *context;
    } watch;                  /* base/parallel.c */
};

extern struct process process;

#endif
