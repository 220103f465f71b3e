#include "kernel/slice/slice_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "base/util.h"

/* What slice_copy.inc needs, in 512-bit registers. */

typedef __m512i vec;
typedef __m128i vec_lane;

/* In halves, for processors prefetch by themselves after several loads from a line or page: blocks
 * are read at up to 1.06 times the rate of whole vectors. bench_slice, block, Zen 4, by turns. */
INLINE vec load(const void *p)
{
    __m256i low = _mm256_loadu_si256(p), high = _mm256_loadu_si256((const __m256i *)p + 1);

    __asm__("" : "+v"(low), "+v"(high)); /* or compilers join them */
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
INLINE void store(void *p, vec v) { _mm512_storeu_si512(p, v); }
INLINE void stream(void *p, vec v) { _mm512_stream_si512(p, v); }
INLINE vec splat(const void *lane) { return _mm512_broadcast_i32x4(_mm_loadu_si128(lane)); }
INLINE vec_lane load_lane(const char *p) { return _mm_loadu_si128((const void *)p); }
INLINE void store_lane(char *p, vec_lane v) { _mm_storeu_si128((void *)p, v); }
INLINE vec_lane shuffle_lane(vec_lane v, vec indices)
{
    return _mm_shuffle_epi8(v, _mm512_castsi512_si128(indices));
}
INLINE vec_lane bit_or_lane(vec_lane a, vec_lane b) { return _mm_or_si128(a, b); }
INLINE vec load_lanes(const char *p, ptrdiff_t step)
{
    vec v = _mm512_castsi128_si512(load_lane(p));

    v = _mm512_inserti32x4(v, load_lane(p + step), 1);
    v = _mm512_inserti32x4(v, load_lane(p + 2 * step), 2);
    return _mm512_inserti32x4(v, load_lane(p + 3 * step), 3);
}
INLINE vec shuffle(vec v, vec indices) { return _mm512_shuffle_epi8(v, indices); }
INLINE vec bit_or(vec a, vec b) { return _mm512_or_si512(a, b); }

#define NAME slice_copy_avx512
#include "kernel/slice/slice_copy.inc"

#endif
