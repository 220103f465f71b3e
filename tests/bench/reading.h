/* The rate at which memory can be read: a plain loop, by some threads. */
#pragma once

#include "base/parallel.h"

struct reading {
    const char *data; /* 32-byte aligned */
    size_t bytes;
    int threads;
    /* of a thread each; they keep the compiler from dropping the loop */
    uint64_t sums[PARALLEL_MOST];
};

/* Reads all bytes once. */
void reading_run(struct reading *r);
