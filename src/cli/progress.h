#ifndef DMLOP_CLI_PROGRESS_H
#define DMLOP_CLI_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/*
 * A line on the terminal that shows how far long work has come: bytes done, rate, time left. It
 * appears after a second, and only where messages go to a terminal. It leaves before each message,
 * and comes back with the next bytes. For one thread, the one that calls parallel_for. A zeroed one
 * shows nothing.
 */
struct progress {
    struct diag *dg;      /* NULL: nothing is shown */
    uint64_t step, total; /* bytes of one of the equal steps of the work, and of all */
    uint64_t done;        /* bytes of complete steps */
    double most;          /* bytes that were shown as done, or would have been */
    uint64_t start, next; /* times: of the beginning, and until which nothing is drawn */
    bool known_terminal;
    int width;            /* characters on the terminal now */
};

/* Begins work of so many steps of `step` bytes each; dg->command names it. */
void progress_start(struct progress *p, struct diag *dg, uint64_t step, uint64_t steps);

/* `bytes` more are done. */
void progress_add(struct progress *p, uint64_t bytes);

/* For parallel_watch: of the step that progress_add will count next, part / parts are done. Less
 * than before is not shown: some work goes over its data again. */
void progress_tick(void *progress, size_t part, size_t parts);

/* The work has ended: removes the line. */
void progress_stop(struct progress *p);

#endif
