#include "multiply_loops.h"

#include "base/util.h"

#if defined(__x86_64__)

#include <immintrin.h>

enum { STEPS = 100000, TILE_STEPS = 5000 };

/* Sums by name, for compilers keep them in registers then, as many as the instruction's latency
 * takes; x passes through asm, so that no product leaves the loop. */
#define EIGHT(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#define TWELVE(F) EIGHT(F) F(8) F(9) F(10) F(11)

#define START(i) __m256i s##i = _mm256_setzero_si256();
#define GATHER(i) y = _mm256_add_epi32(y, s##i);
#define STEP(i) __asm__("" : "+x"(x)); s##i = _mm256_add_epi32(s##i, _mm256_madd_epi16(x, y));
#define STEP_VNNI(i) __asm__("" : "+x"(x)); s##i = _mm256_dpbusd_avx_epi32(s##i, x, y);

__attribute__((target("avx2"))) static void loop_avx2(void *context, size_t chunk, int thread)
{
    __m256i x = _mm256_set1_epi32((int)chunk), y = _mm256_set1_epi32(3);
    EIGHT(START)

    (void)thread;
    for (int step = 0; step < STEPS; step++) {
        EIGHT(STEP)
    }
    EIGHT(GATHER)
    ((int *)context)[chunk] = _mm256_extract_epi32(y, 0);
}

__attribute__((target("avx2,avxvnni"))) static void loop_avxvnni(void *context, size_t chunk,
                                                                 int thread)
{
    __m256i x = _mm256_set1_epi32((int)chunk), y = _mm256_set1_epi32(3);
    TWELVE(START)

    (void)thread;
    for (int step = 0; step < STEPS; step++) {
        TWELVE(STEP_VNNI)
    }
    TWELVE(GATHER)
    ((int *)context)[chunk] = _mm256_extract_epi32(y, 0);
}

#define START_512(i) __m512i s##i = _mm512_setzero_si512();
#define GATHER_512(i) y = _mm512_add_epi32(y, s##i);
#define STEP_512(i) __asm__("" : "+v"(x)); s##i = _mm512_dpbusd_epi32(s##i, x, y);

__attribute__((target("avx512f,avx512vnni"))) static void loop_avx512vnni(void *context,
                                                                          size_t chunk, int thread)
{
    __m512i x = _mm512_set1_epi32((int)chunk), y = _mm512_set1_epi32(3);
    TWELVE(START_512)

    (void)thread;
    for (int step = 0; step < STEPS; step++) {
        TWELVE(STEP_512)
    }
    TWELVE(GATHER_512)
    ((int *)context)[chunk] = _mm_cvtsi128_si32(_mm512_castsi512_si128(y));
}

/* Four tiles of sums, two of each factor, 16 rows of 64 bytes. */
__attribute__((target("amx-tile,amx-int8"))) static void loop_amx(void *context, size_t chunk,
                                                                  int thread)
{
    struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } config = { .palette = 1 };
    int32_t out[16 * 16];

    (void)thread;
    for (int i = 0; i < 8; i++) {
        config.row_bytes[i] = 64;
        config.rows[i] = 16;
    }
    __asm__ volatile("" : : "m"(config)); /* gcc 12 takes the next to read 8 bytes of it alone */
    _tile_loadconfig(&config);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_zero(4);
    _tile_zero(5);
    _tile_zero(6);
    _tile_zero(7);
    for (int step = 0; step < TILE_STEPS; step++) {
        _tile_dpbusd(0, 4, 6);
        _tile_dpbusd(1, 4, 7);
        _tile_dpbusd(2, 5, 6);
        _tile_dpbusd(3, 5, 7);
    }
    _tile_stored(0, out, 64);
    ((int *)context)[chunk] = out[0];
    _tile_release();
}

static const struct multiply_loop loops[] = {
    { "avx2", "vpmaddwd", STEPS * 8 * 16, loop_avx2 },
    { "avxvnni", "vpdpbusd", STEPS * 12 * 32, loop_avxvnni },
    { "avx512vnni", "vpdpbusd", STEPS * 12 * 64, loop_avx512vnni },
    { "amx", "tdpbusd", TILE_STEPS * 4 * 16 * 16 * 64, loop_amx },
};

const struct multiply_loop *multiply_loop_for(const char *kernel)
{
    for (size_t i = 0; i < ARRAY_LEN(loops); i++)
        if (strcmp(loops[i].kernel, kernel) == 0)
            return &loops[i];
    return NULL;
}

#else

const struct multiply_loop *multiply_loop_for(const char *kernel)
{
    (void)kernel;
    return NULL;
}

#endif
