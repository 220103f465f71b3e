#include "kernel/slice/slice_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "base/util.h"

/* What slice_copy.inc needs, in 256-bit registers. */

typedef __m256i vec;
typedef __m128i vec_lane;

INLINE vec load(const void *p) { return _mm256_loadu_si256(p); }
INLINE void store(void *p, vec v) { _mm256_storeu_si256(p, v); }
INLINE void stream(void *p, vec v) { _mm256_stream_si256(p, v); }
INLINE vec splat(const void *lane) { return _mm256_broadcastsi128_si256(_mm_loadu_si128(lane)); }
INLINE vec_lane load_lane(const char *p) { return _mm_loadu_si128((const void *)p); }
INLINE void store_lane(char *p, vec_lane v) { _mm_storeu_si128((void *)p, v); }
INLINE vec_lane shuffle_lane(vec_lane v, vec indices)
{
    return _mm_shuffle_epi8(v, _mm256_castsi256_si128(indices));
}
INLINE vec_lane bit_or_lane(vec_lane a, vec_lane b) { return _mm_or_si128(a, b); }
INLINE vec load_lanes(const char *p, ptrdiff_t step)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load_lane(p)), load_lane(p + step), 1);
}
INLINE vec shuffle(vec v, vec indices) { return _mm256_shuffle_epi8(v, indices); }
INLINE vec bit_or(vec a, vec b) { return _mm256_or_si256(a, b); }

#define NAME slice_copy_avx2
#include "kernel/slice/slice_copy.inc"

void slice_finish_x86(void) { _mm_sfence(); }

#endif
