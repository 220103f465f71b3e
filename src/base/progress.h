#ifndef DMLOP_BASE_PROGRESS_H
#define DMLOP_BASE_PROGRESS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * One line on a terminal that tells how far long work has come: bytes done, rate, time left. It appears after a second
 * and not where `out` is no terminal. Not for use by several threads, but for progress_tick on the thread that called
 * parallel_for.
 */

/* Begins work of `total` bytes. out NULL: show nothing. command: whose work it is. */
void progress_start(FILE *out, const char *command, uint64_t total);

/* `bytes` more are done. */
void progress_add(uint64_t bytes);

/* Of the next `bytes`, which progress_add will count when all is done, part / parts are. Less than before is not
 * shown: some work goes over its data again. */
void progress_tick(uint64_t bytes, size_t part, size_t parts);

/* Takes the line away; before anything else is written to the terminal. The next tick brings it back. */
void progress_clear(void);

/* The work is at its end. */
void progress_stop(void);

#endif
