#include "tensor/generate.h"

#include "tensor/element.h"
#include "tensor/scalar.h"

void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xd2511f53 * c0, b = (uint64_t)0xcd9e8d57 * c2;

        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)b;
        c3 = (uint32_t)a;
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* The draws of elements 2 * pair and 2 * pair + 1. */
static void draw(uint64_t seed, uint64_t pair, uint64_t draws[2])
{
    const uint32_t counter[4] = { (uint32_t)pair, (uint32_t)(pair >> 32), 0, 0 };
    const uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
    uint32_t out[4];

    philox4x32(counter, key, out);
    draws[0] = (uint64_t)out[1] << 32 | out[0];
    draws[1] = (uint64_t)out[3] << 32 | out[2];
}

static void store_float(const struct generator *g, double factor, void *at)
{
    struct scalar s = { .is_float = true, .f = g->start + factor * g->step };

    if (factor * g->step == 0)
        memcpy(at, g->first, dtype_size(g->type));
    else
        (void)scalar_store(&s, g->type, at);
}

static void store_draw(const struct generator *g, uint64_t d, void *at)
{
    __extension__ typedef unsigned __int128 u128;
    unsigned width = dtype_table[g->type].width_log2;
    int bits = g->type == DT_FLOAT16 ? 11 : g->type == DT_FLOAT32 ? 24 : 53;

    if (dtype_table[g->type].kind == KIND_FLOAT)
        store_float(g, (double)(d >> (64 - bits)) / (double)((uint64_t)1 << bits), at);
    else
        element_store(
            at, width,
            g->whole + (g->whole_step ? (uint64_t)((u128)d * g->whole_step >> 64) : d));
}

void generate(const struct generator *g, uint64_t from, uint64_t n, void *to)
{
    unsigned width = dtype_table[g->type].width_log2;
    char *p = to;
    uint64_t draws[2];

    if (g->random && n > 0 && from % 2 == 1)
        draw(g->seed, from / 2, draws);
    for (uint64_t i = from; i < from + n; i++, p += (size_t)1 << width) {
        if (g->random) {
            if (i % 2 == 0)
                draw(g->seed, i / 2, draws);
            store_draw(g, draws[i % 2], p);
        } else if (dtype_table[g->type].kind == KIND_FLOAT)
            store_float(g, (double)i, p);
        else
            element_store(p, width, g->whole + i * g->whole_step);
    }
}
