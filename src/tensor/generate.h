#pragma once

#include "tensor/dtype.h"

/* Values of test tensors. An element depends on its number and on the generator only, so that the
 * bytes are the same on every machine and for every division among threads.
 *
 * A range: element i is start + i * step; of float types in FLOAT64, each operation rounded, then
 * rounded to the type, but where i * step is 0 it is start, rounded to the type once.
 *
 * Random: Philox4x32-10 (J. Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, 2011), with
 * the seed as key, its low word first, makes 128 bits of each counter. Element i has of counter
 * i / 2 (its low word first) the first 64 bits where i is even, else the last: the draw d, its low
 * word first. Integers: low + floor(d * span / 2^64). Floats: low + u * width, as above, where u is
 * the draw's upper 11 (FLOAT16), 24 (FLOAT32) or 53 (FLOAT64) bits as a fraction of 1. */
struct generator {
    enum dtype type;
    bool random;
    uint64_t seed;
    double start, step;           /* of floats; random: low and width */
    unsigned char first[8];       /* of floats: start as an element, rounded once, in native byte
                                     order; it is what start + 0 is */
    uint64_t whole, whole_step;   /* of integers, modulo 2^64; random: low and span, 0 for 2^64 */
};

/* The n elements from number `from` on, in native byte order, to `to`. The caller
 * has seen to it that all fit the type. */
void generate(const struct generator *g, uint64_t from, uint64_t n, void *to);

/* Ten rounds of Philox4x32. */
void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
