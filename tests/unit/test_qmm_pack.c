/* Panels of qmatmul: what each kernel packs is what plain loops pack, with exact sums for any K,
 * and nothing beyond the panel. */
#include "seed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "kernel/cpu.h"
#include "kernel/qmatmul/qmatmul.h"

enum { LANES_MOST = 64, K_MOST = 9000, ROOM = 4096, MARK = 0x5a };

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* One panel by a pack function and by plain loops. */
static void compare(const char *name, qmm_pack_fn *pack, const struct qmm_panel *form,
                    const struct qmm_source *src, size_t lanes, size_t k)
{
    size_t elem = qmm_elem_size(form->elem), depth = round_up(k, form->kr);
    size_t bytes = round_up(depth, form->group) * form->lanes * elem;
    unsigned char *got = aligned_alloc(64, round_up(bytes + ROOM, 64)), *want = malloc(bytes);
    int64_t got_sums[LANES_MOST], want_sums[LANES_MOST];

    assert_non_null(got);
    assert_non_null(want);
    memset(got, MARK, bytes);
    memset(want, 0, bytes);
    memset(got + bytes, MARK, ROOM);
    for (size_t l = 0; l < form->lanes; l++)
        got_sums[l] = want_sums[l] = (int64_t)l * 1000; /* sums grow */
    pack(got, form, src, lanes, k, got_sums);
    qmm_pack_plain(want, form, src, lanes, k, want_sums);
    for (size_t i = 0; i < bytes; i++)
        if (got[i] != want[i])
            fail_msg("%s: byte %zu of %zu lanes, K %zu, steps %td %td, seed %llu", name, i, lanes,
                     k, src->lane_step, src->k_step, (unsigned long long)seed);
    for (size_t l = 0; l < lanes; l++)
        if (got_sums[l] != want_sums[l])
            fail_msg("%s: the sum of lane %zu of %zu, K %zu, steps %td %td", name, l, lanes, k,
                     src->lane_step, src->k_step);
    memset(got, MARK, bytes);
    pack(got, form, src, lanes, k, NULL);
    if (memcmp(got, want, bytes) != 0)
        fail_msg("%s: without sums, %zu lanes, K %zu, steps %td %td", name, lanes, k,
                 src->lane_step, src->k_step);
    for (size_t i = 0; i < ROOM; i++)
        if (got[bytes + i] != MARK)
            fail_msg("%s: byte %zu past the panel of %zu lanes, K %zu is written", name, i, lanes,
                     k);
    free(got);
    free(want);
}

/* Data of one kind, in each of the three orders. */
static void compare_orders(const char *name, qmm_pack_fn *pack, const struct qmm_panel *form,
                           const unsigned char *data, bool is_signed, size_t k)
{
    size_t some = 1 + random64() % form->lanes;
    const struct qmm_source sources[] = {
        { (const char *)data, K_MOST, 1, is_signed },
        { (const char *)data, 1, LANES_MOST, is_signed },
        { (const char *)data, 2, 2 * LANES_MOST, is_signed },
    };

    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        compare(name, pack, form, &sources[i], form->lanes, k);
        compare(name, pack, form, &sources[i], some, k);
    }
}

/* Two panels at once, and each by plain loops. */
static void compare_two(const struct qmm_kernel *kn, const struct qmm_source *src, size_t k)
{
    const struct qmm_panel *form = &kn->tile.b;
    size_t bytes =
        round_up(round_up(k, form->kr), form->group) * form->lanes * qmm_elem_size(form->elem);
    unsigned char *got = malloc(2 * bytes + ROOM), *want = malloc(2 * bytes + ROOM);
    int64_t got_sums[2 * LANES_MOST], want_sums[2 * LANES_MOST];
    struct qmm_source second = { src->data + form->lanes, 1, src->k_step, src->is_signed };

    assert_non_null(got);
    assert_non_null(want);
    for (int summed = 0; summed < 2; summed++) {
        memset(got, MARK, 2 * bytes + ROOM);
        memset(want, MARK, 2 * bytes + ROOM);
        memset(want, 0, 2 * bytes);
        for (size_t l = 0; l < 2 * LANES_MOST; l++)
            got_sums[l] = want_sums[l] = (int64_t)l * 1000;
        kn->tile.pack_two(got, got + bytes, form, src, k, summed ? got_sums : NULL);
        qmm_pack_plain(want, form, src, form->lanes, k, summed ? want_sums : NULL);
        qmm_pack_plain(want + bytes, form, &second, form->lanes, k,
                       summed ? want_sums + form->lanes : NULL);
        if (memcmp(got, want, 2 * bytes + ROOM) != 0 ||
            memcmp(got_sums, want_sums, sizeof got_sums) != 0)
            fail_msg("%s: two panels, K %zu, step %td, summed %d, seed %llu", kn->row.name, k,
                     src->k_step, summed, (unsigned long long)seed);
    }
    free(got);
    free(want);
}

static void compare_kernel(const struct qmm_kernel *kn, const unsigned char *data, size_t k)
{
    bool ready = kn->begin && cpu_has(kn->row.needs);

    if (ready)
        kn->begin();
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        compare_orders(kn->row.name, kn->tile.pack_a, &kn->tile.a, data, is_signed, k);
        compare_orders(kn->row.name, kn->tile.pack_b, &kn->tile.b, data, is_signed, k);
        if (kn->tile.pack_two)
            compare_two(
                kn, &(struct qmm_source){ (const char *)data, 1, 2 * LANES_MOST, is_signed }, k);
    }
    if (ready)
        kn->end();
}

TEST(test_panels)
{
    static const size_t depths[] = { 1,  2,  3,   4,   5,   15,   16,   17,   31,   33,   63,
                                     64, 65, 100, 127, 129, 1023, 2047, 2049, 4097, 8999, 9000 };
    size_t size = (size_t)2 * LANES_MOST * (K_MOST + 1) + LANES_MOST;
    unsigned char *data = malloc(size);

    assert_non_null(data);
    for (int kind = 0; kind < 4; kind++) {
        for (size_t i = 0; i < size; i++) /* all 255, all -128 or 128, all 127, random */
            data[i] = kind == 0   ? 255
                      : kind == 1 ? 128
                      : kind == 2 ? 127
                                  : (unsigned char)random64();
        for (unsigned row = 0; row < qmm_kernel_count; row++)
            for (size_t i = 0; i < ARRAY_LEN(depths); i++)
                /* panels need no tile registers */
                if (cpu_has(qmm_kernels[row].row.needs & ~(unsigned)CPU_AMX_INT8))
                    compare_kernel(&qmm_kernels[row], data, depths[i]);
    }
    free(data);
}

int main(void)
{
    seed_start();
    return RUN_TESTS(NULL, NULL);
}
