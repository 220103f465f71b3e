#ifndef DMLOP_BASE_CLOCK_H
#define DMLOP_BASE_CLOCK_H

#include <stdint.h>

/* Monotonic time in nanoseconds, from an arbitrary start. */
uint64_t clock_ns(void);

#endif
