#pragma once

#include "base/util.h"

/* All allocations of the program go through these; each is released by free(). */

/* count * size bytes, at least 1, uninitialised. NULL if the product overflows or memory is short.
 */
void *mem_alloc(uint64_t count, uint64_t size);

/* The same, zeroed. */
void *mem_zalloc(uint64_t count, uint64_t size);

/* The same, aligned to 64 bytes (a cache line, a 512-bit vector). */
void *mem_alloc_aligned(uint64_t count, uint64_t size);

/* Resizes p to count * size bytes; p stays valid if the result is NULL. */
void *mem_realloc(void *p, uint64_t count, uint64_t size);

/* Makes room for more than n elements in a growing array: `array` is the address of a pointer to
 * elements of size bytes, *cap is its capacity. False, and nothing changes, if memory is short. */
bool mem_reserve(void *array, size_t n, size_t *cap, size_t size);

/* A copy of s; NULL if memory is short. */
char *mem_strdup(const char *s);
