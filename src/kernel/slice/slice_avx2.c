#include "kernel/slice/slice.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* The vectors of slice_copy.inc: 256-bit registers. */

typedef __m256i vec;

INLINE void stream(void *p, vec v) { _mm256_stream_si256(p, v); }
INLINE void store_lane(void *p, vec v) { _mm_storeu_si128(p, _mm256_castsi256_si128(v)); }
INLINE vec splat(const void *lane) { return _mm256_broadcastsi128_si256(_mm_loadu_si128(lane)); }
INLINE vec load_lanes(const char *p, ptrdiff_t step)
{
    return _mm256_loadu2_m128i((const void *)(p + step), (const void *)p);
}
INLINE vec shuffle(vec v, vec indices) { return _mm256_shuffle_epi8(v, indices); }

#define NAME slice_copy_avx2
#include "kernel/slice/slice_copy.inc"

void slice_finish_x86(void) { _mm_sfence(); }

#endif
