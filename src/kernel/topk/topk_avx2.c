#include "kernel/topk/topk_scan.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* The vector operations of topk_scan.inc for AVX2. In a mask every bit of a lane is equal. */

typedef __m256i vec;
typedef __m256i mask_8, mask_16, mask_32, mask_64;
#define VECTOR_BITS 256

INLINE vec load(const void *p) { return _mm256_loadu_si256(p); }
INLINE void store(void *p, vec v) { _mm256_storeu_si256(p, v); }

#define DEFINE_LIMITING(width) \
    INLINE vec min_##width(vec a, vec b) { return _mm256_min_epi##width(a, b); } \
    INLINE vec max_##width(vec a, vec b) { return _mm256_max_epi##width(a, b); }

DEFINE_LIMITING(8)
DEFINE_LIMITING(16)
DEFINE_LIMITING(32)

INLINE bool any(__m256i m) { return !_mm256_testz_si256(m, m); }

INLINE uint64_t byte_bits(__m256i m) { return (uint32_t)_mm256_movemask_epi8(m); }
INLINE uint64_t word_8(const mask_8 *m) { return byte_bits(m[0]) | byte_bits(m[1]) << 32; }
/* Pairs of masks are packed to half the width, within 128-bit halves. */
#define PACK_16(a, b) _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xd8)
INLINE uint64_t word_16(const mask_16 *m)
{
    return byte_bits(PACK_16(m[0], m[1])) | byte_bits(PACK_16(m[2], m[3])) << 32;
}
#define DEFINE_WORD(width, type) \
    INLINE uint64_t word_##width(const mask_##width *m) \
    { \
        uint64_t word = 0; \
\
        _Pragma("GCC unroll 16") for (unsigned i = 0; i < width / 4; i++) word |= \
            (uint64_t)(unsigned)_mm256_movemask_##type(_mm256_castsi256_##type(m[i])) \
            << i * (256 / width); \
        return word; \
    }

DEFINE_WORD(32, ps)
DEFINE_WORD(64, pd)

#define ISA avx2
#include "kernel/topk/topk_loops.inc"

#endif
