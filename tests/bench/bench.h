/* What the benchmarks share: options, the machine, samples of an operator and of its yardstick by
 * turns, samples that something disturbed taken again, and a line a case.
 *
 *     bench_begin(argc, argv, "slice", 9);
 *     struct bench_case c = { .type = ..., .run = ..., .yardstick_run = ... };
 *     if (bench_wants(&c)) {
 *         ... allocate, plan, c.kernel = plan->kernel ...
 *         bench_measure(&c);
 *     }
 *     return bench_end(); */
#pragma once

#include "base/diag.h"
#include "kernel/prefetch.h"

/* Options of all benchmarks. */
struct bench_options {
    const char *kernel;            /* -k: "auto" or a kernel's name */
    enum prefetch_policy prefetch; /* -p: "auto" or a policy's name */
    int threads; /* -t: the most; cases are measured on one thread and on so many */
};

/* Reads `[-k KERNEL] [-p POLICY] [-r ROUNDS] [-s SECONDS] [-t THREADS] [-j] [-m] [TEXT]` and prints
 * the machine. -r: rounds a case; -s: seconds a case, from the third round on; -j: an object of
 * JSON a line, the first for the machine; -m: the machine alone. TEXT: only cases whose line holds
 * it. Ends the program with status 2 where the options are wrong. */
const struct bench_options *bench_begin(int argc, char **argv, const char *name, int rounds);

struct bench_case {
    const char *type, *shape, *what; /* "" where there is nothing to say */
    int threads;
    const char *kernel;              /* NULL: none to choose */

    void (*run)(void *context);
    double work;                     /* of one run: bytes or multiply-adds */
    const char *unit;                /* billions a second: "GB/s", "GMAC/s" */

    /* what is measured by turns with it: "memcpy"; NULL: none, and nothing below */
    const char *yardstick;
    void (*yardstick_run)(void *context);
    double yardstick_work;
    double moved;                    /* bytes read and written, for a ratio by these; 0: none */

    void *context;
};

/* Whether the case is one of those asked for. */
bool bench_wants(const struct bench_case *c);

/* Measures and prints the case; all its members are set. */
void bench_measure(struct bench_case *c);

/* Says how disturbed all was; the program's exit status. */
int bench_end(void);

/* The first of the counts of threads to measure, 1, and the one after `threads`; 0 after the
 * last. */
int bench_threads_next(int threads);

/* Ends the program where st is an error, or with ST_SYSTEM where p is NULL. */
void bench_must(enum status st);
void *bench_must_have(void *p);
