#ifndef DMLOP_BASE_WORK_H
#define DMLOP_BASE_WORK_H

#include <stdint.h>

/* What reports and records say of a command: times of its phases, in nanoseconds, and how much it
 * did. */

struct phases {
    uint64_t load, validate, compute, store;
};

struct work {
    uint64_t bytes_in, bytes_out, operations;
};

#endif
