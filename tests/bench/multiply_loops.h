/* The most multiply-adds that registers give: loops of a kernel's own instruction, on nothing but
 * registers. */
#pragma once

#include <stddef.h>

struct multiply_loop {
    const char *kernel;      /* of the table of qmatmul */
    const char *instruction;
    double multiply_adds;    /* of a call */
    /* A body of parallel_for; context is an int a chunk. */
    void (*run)(void *context, size_t chunk, int thread);
};

/* The loop for a kernel; NULL where there is none. */
const struct multiply_loop *multiply_loop_for(const char *kernel);
