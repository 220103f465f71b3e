#pragma once

#include "base/diag.h"

/* A line on the terminal for long work: bytes done, rate, time left. It appears after a second, is
 * removed before each message, and comes back with the next bytes. For messages that go to a
 * terminal, and only for the thread that calls parallel_for. */
struct progress {
    struct diag *dg;
    uint64_t step, total; /* bytes of one of the equal steps of the work, and of all */
    uint64_t done;        /* bytes of complete steps */
    double most;          /* the most bytes that were reported as done */
    uint64_t start, next; /* times of the start and of the next line */
    int width;            /* characters on the terminal now */
};

/* Begins work of `steps` steps of `step` bytes each; dg->command names it. */
void progress_start(struct progress *p, struct diag *dg, uint64_t step, uint64_t steps);

/* Reports that `bytes` more are done. */
void progress_add(struct progress *p, uint64_t bytes);

/* For parallel_watch: done / chunks of the step that progress_add reports next are done. A share
 * below an earlier one is ignored: some work passes over its data again. */
void progress_tick(void *progress, size_t done, size_t chunks);

/* Removes the line at the end of the work. */
void progress_stop(struct progress *p);
