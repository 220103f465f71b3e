/* Random numbers for a unit test: splitmix64, from a seed that is printed. */
#pragma once

#include "base/util.h"
#include "unit.h"

#include <inttypes.h>
#include <stdlib.h>

/* The state, which starts the same numbers again. */
static uint64_t seed;

/* Starts from SEED of the environment, or from the clock. */
static inline void seed_start(void)
{
    const char *given = getenv("SEED");

    seed = given ? strtoull(given, NULL, 0) : clock_ns();
    print_message("SEED=%" PRIu64 "\n", seed);
}

static inline uint64_t random64(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}
