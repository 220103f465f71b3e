#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* xorshift64*, for tests. */
static inline uint64_t random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
    return (random_next(state) >> 16) % n;
}

/* A state for a seed of any value. */
static inline uint64_t random_start(uint64_t from)
{
    uint64_t state = (from + 1) * UINT64_C(0x9e3779b97f4a7c15);

    return state ? state : 1;
}

/* Whether the environment asks for all cases, not for a part of them: EXPENSIVE is set. */
static inline bool random_all(void)
{
    const char *expensive = getenv("EXPENSIVE");

    return expensive && *expensive;
}

/* How many of n random cases are tried. */
static inline unsigned random_cases(unsigned n) { return random_all() ? n : (n + 3) / 4; }
