#ifndef DMLOP_BASE_REGION_H
#define DMLOP_BASE_REGION_H

#include <stdint.h>

#include "base/parallel.h"
#include "base/util.h"

/* Stands in for what base/parallel.h will have; goes away with it. */

/* Threads for work that goes through so many bytes: `asked`, or where that is 0 one for each
 * megabyte, at least 1 and at most parallel_default_threads(). */
static inline int parallel_threads_for(int asked, uint64_t bytes)
{
    uint64_t most = bytes >> 20;

    if (asked > 0 || most <= 1)
        return asked > 0 ? asked : 1;
    return (int)u64_min((uint64_t)parallel_default_threads(), most);
}

/* Calls stage(context), whose parallel_fors share the threads of one region. */
static inline void parallel_region(int threads, void (*stage)(void *context), void *context)
{
    (void)threads;
    stage(context);
}

#endif
