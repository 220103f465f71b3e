#pragma once

/* The browser's build has 32 bits, and says that it has. */
#if defined __SIZEOF_POINTER__ && __SIZEOF_POINTER__ < 8 && !defined DMLOP_32_BITS
#error "dmlop is for 64-bit machines: it maps files and counts elements beyond 2^32. \
Use a 64-bit compiler."
#endif

#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* So that %ju and %jd print 64 bits. */
_Static_assert(_Generic((uint64_t)0, uintmax_t: 1) && _Generic((int64_t)0, intmax_t: 1), "");

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* A function that is always inlined, for loops over elements, except in a build for size, or in one
 * that is to compile quickly: with sanitizers, or for an analyzer. */
#if defined __OPTIMIZE_SIZE__ || defined QUICK_COMPILE
#define INLINE static inline
#else
#define INLINE static inline __attribute__((always_inline))
#endif

/* A line after the includes of a file whose loops need gcc's -O3, which makes registers of small
 * arrays of vectors and vectorizes loops over entries. clang does both with -O2. */
#if defined __GNUC__ && !defined __clang__ && !defined QUICK_COMPILE
#define OPTIMIZE_LOOPS _Pragma("GCC optimize(\"O3\")")
#else
#define OPTIMIZE_LOOPS
#endif

enum { CACHE_LINE = 64 /* bytes that memory transfers at once, on x86-64 and most of AArch64 */ };

/* Checked arithmetic: false, and *r unspecified, on overflow. */
static inline bool u64_mul(uint64_t a, uint64_t b, uint64_t *r)
{
    return !__builtin_mul_overflow(a, b, r);
}

static inline bool u64_add(uint64_t a, uint64_t b, uint64_t *r)
{
    return !__builtin_add_overflow(a, b, r);
}

/* a * b and a + b; UINT64_MAX on overflow. */
static inline uint64_t u64_mul_most(uint64_t a, uint64_t b)
{
    return u64_mul(a, b, &a) ? a : UINT64_MAX;
}

static inline uint64_t u64_add_most(uint64_t a, uint64_t b)
{
    return u64_add(a, b, &a) ? a : UINT64_MAX;
}

/* |v|, also of INT64_MIN. */
static inline uint64_t i64_magnitude(int64_t v) { return v < 0 ? -(uint64_t)v : (uint64_t)v; }

/* a / b, rounded up; b > 0. Cannot overflow. */
static inline uint64_t u64_ceil_div(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

/* The least multiple of unit >= a; unit > 0. May wrap around near UINT64_MAX. */
static inline uint64_t u64_round_up(uint64_t a, uint64_t unit)
{
    return u64_ceil_div(a, unit) * unit;
}

static inline uint64_t u64_min(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t u64_max(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Monotonic time in nanoseconds, from an arbitrary start. */
static inline uint64_t clock_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Texts that are part of the program: JSON, plain text, Python, shell scripts. The build makes an
 * array of the files of each folder of src/ that has some: a name, the size of the text in three
 * bytes, and the text, without a newline after the last line; an empty name is the end. A file that
 * reads that of src/check/examples/ has the line: extern const char check_examples[]; No pointers,
 * which would be relocated whenever the program starts. */

/* The text of the file at a name, and the next name. */
static inline const char *embedded_text(const char *name) { return name + strlen(name) + 4; }
static inline const char *embedded_next(const char *name)
{
    const unsigned char *size = (const unsigned char *)name + strlen(name) + 1;

    return embedded_text(name) + (size[0] | size[1] << 8 | size[2] << 16) + 1;
}

/* The text of a file of such an array; empty if there is no such file. */
static inline const char *embedded_find(const char *files, const char *name)
{
    while (*files && strcmp(files, name) != 0)
        files = embedded_next(files);
    return *files ? embedded_text(files) : files;
}
