/* tensor/generate.h: Philox4x32-10 against the published vectors; elements do not depend on how a
 * tensor is divided; products of 64 bits. */
#include "unit.h"

#include <string.h>

#include "base/util.h"
#include "tensor/generate.h"

TEST(test_philox)
{
    static const struct {
        uint32_t counter[4], key[2], want[4];
    } rows[] = {
        { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff }, { 0xffffffff, 0xffffffff },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint32_t out[4];

        philox4x32(rows[i].counter, rows[i].key, out);
        assert_memory_equal(out, rows[i].want, sizeof out);
    }
}

TEST(test_parts)
{
    enum { N = 97 };

    for (int t = DT_NONE + 1; t < DT_COUNT; t++)
        for (int random = 0; random < 2; random++) {
            const struct generator g = { .type = (enum dtype)t, .random = random, .seed = 5,
                                         .start = 1, .step = 0.5, .whole = 3, .whole_step = 1,
                                         .first = { 7 } };
            unsigned char all[N * 8], part[N * 8];
            size_t size = dtype_size(g.type);

            generate(&g, 1000, N, all);
            /* backwards: no draw is left from before */
            for (uint64_t piece = N / 9 + 1; piece-- > 0;) {
                uint64_t from = piece * 9, n = from + 9 > N ? N - from : 9;

                memset(part, 0xaa, sizeof part);
                generate(&g, 1000 + from, n, part);
                assert_memory_equal(part, all + from * size, n * size);
                assert_int_equal(part[n * size], 0xaa);
            }
        }
}

/* low + floor(d * span / 2^64) for the draws of a whole span of 2^64. */
TEST(test_span)
{
    static const uint64_t spans[] = { 1, 2, 3, 255, 0x100000000, 0xfffffffffffffffe, UINT64_MAX };
    struct generator g = { .type = DT_UINT64, .random = true, .seed = 77 };
    uint64_t draws[64], values[64];

    generate(&g, 0, 64, draws);
    for (size_t i = 0; i < ARRAY_LEN(spans); i++) {
        g.whole = 10;
        g.whole_step = spans[i];
        generate(&g, 0, 64, values);
        for (size_t j = 0; j < 64; j++) {
            __extension__ unsigned __int128 product = draws[j];

            product *= spans[i];
            assert_true(values[j] == (uint64_t)(product >> 64) + 10);
        }
    }
}

int main(void) { return RUN_TESTS(NULL, NULL); }
