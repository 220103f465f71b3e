#include "kernel/slice/slice.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* The vectors of slice_copy.inc: 512-bit registers. */

typedef __m512i vec;

INLINE void stream(void *p, vec v) { _mm512_stream_si512(p, v); }
INLINE void store_lane(void *p, vec v) { _mm_storeu_si128(p, _mm512_castsi512_si128(v)); }
INLINE __m128i load_lane(const char *p) { return _mm_loadu_si128((const void *)p); }
INLINE vec splat(const void *lane) { return _mm512_broadcast_i32x4(load_lane(lane)); }
INLINE vec load_lanes(const char *p, ptrdiff_t step)
{
    vec v = _mm512_castsi128_si512(load_lane(p));

    v = _mm512_inserti32x4(v, load_lane(p + step), 1);
    v = _mm512_inserti32x4(v, load_lane(p + 2 * step), 2);
    return _mm512_inserti32x4(v, load_lane(p + 3 * step), 3);
}
INLINE vec shuffle(vec v, vec indices) { return _mm512_shuffle_epi8(v, indices); }

#define NAME slice_copy_avx512
#include "kernel/slice/slice_copy.inc"

#endif
