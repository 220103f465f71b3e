/* Holds the parts of every kernel of qmatmul that this processor can run to plain loops:
 * micro-kernels, packing, products of few rows.
 * `check_qmatmul_kernels [--seed SEED]`. */
#include "check.h"
#include "kernel/qmatmul/qmatmul.h"

/* ---- micro-kernels ---- */

static size_t elem_size(enum qmm_elem e) { return e == QMM_S16 ? 2 : 1; }

enum filling { RANDOM_VALUES, EXTREMES, ALL_HIGHEST, ALL_LOWEST, FILLINGS };

/* Operands of 8 bits have -128..255 between them, which is what 16-bit elements hold. */
static int32_t draw_packed(enum qmm_elem e, enum filling filling)
{
    int32_t lo = e == QMM_U8 ? 0 : -128, hi = e == QMM_S8 ? 127 : 255;

    if (filling == RANDOM_VALUES)
        return (int32_t)check_between(lo, hi);
    if (filling == EXTREMES)
        return check_below(2) ? lo : hi;
    return filling == ALL_HIGHEST ? hi : lo;
}

static int32_t packed_at(const char *p, enum qmm_elem e, size_t i)
{
    int16_t wide;

    if (e != QMM_S16)
        return e == QMM_U8 ? (unsigned char)p[i] : (signed char)p[i];
    memcpy(&wide, p + 2 * i, 2);
    return wide;
}

/* A panel of `count` values at an end of its own pages. */
static char *panel_new(struct guarded *g, enum qmm_elem e, size_t count, enum filling filling)
{
    char *p;

    *g = guarded_new(count * elem_size(e));
    p = guarded_place(g, count * elem_size(e), check_below(2));
    for (size_t i = 0; i < count; i++) {
        int16_t v = (int16_t)draw_packed(e, filling);

        memcpy(p + i * elem_size(e), &v, elem_size(e)); /* little-endian: the low byte */
    }
    guarded_read_only(g);
    return p;
}

static size_t packed_index(size_t lanes, size_t group, size_t lane, size_t k)
{
    return (k / group * lanes + lane) * group + k % group;
}

/* k up to the next multiple of both. */
static size_t packed_depth(size_t k, size_t kr, size_t group)
{
    while (k % kr != 0 || k % group != 0)
        k++;
    return k;
}

/* The values of a packed panel, lane by lane: lane l begins at l * depth. The caller frees them. */
static int32_t *unpacked(const char *panel, const struct qmm_panel *form, size_t depth)
{
    int32_t *values = check_alloc(form->lanes * depth * sizeof *values);

    for (size_t l = 0; l < form->lanes; l++)
        for (size_t k = 0; k < depth; k++)
            values[l * depth + k] =
                packed_at(panel, form->elem, packed_index(form->lanes, form->group, l, k));
    return values;
}

/* sum + a . b, modulo 2^32. */
static int32_t dot(int32_t sum, const int32_t *a, const int32_t *b, size_t depth)
{
    uint32_t wrapped = (uint32_t)sum;

    for (size_t k = 0; k < depth; k++)
        wrapped += (uint32_t)a[k] * (uint32_t)b[k];
    return (int32_t)wrapped;
}

static void check_ukernel(const struct qmm_kernel *kn, size_t steps, enum filling fill_a,
                          enum filling fill_b)
{
    size_t step = kn->tile.b.lanes + (size_t)check_below(3) * 16, depth = steps * kn->tile.a.kr,
           cells = (kn->tile.a.lanes - 1u) * step + kn->tile.b.lanes;
    struct guarded ga, gb, gc = guarded_new(cells * sizeof(int32_t));
    char *a = panel_new(&ga, kn->tile.a.elem,
                        packed_depth(depth, 1, kn->tile.a.group) * kn->tile.a.lanes, fill_a);
    char *b = panel_new(&gb, kn->tile.b.elem,
                        packed_depth(depth, 1, kn->tile.b.group) * kn->tile.b.lanes, fill_b);
    char *acc = guarded_place(&gc, cells * sizeof(int32_t), check_below(2));
    int32_t before = (int32_t)check_between(-128, 127) * 128;
    /* there is room for what was before */
    bool good = true, add = depth + kn->tile.a.kr <= kn->max_k && check_below(2);
    int32_t *rows = unpacked(a, &kn->tile.a, depth), *columns = unpacked(b, &kn->tile.b, depth);

    check_fill(gc.base, gc.bytes);
    for (size_t cell = 0; cell < cells && add; cell++)
        memcpy(acc + cell * sizeof before, &before, sizeof before);
    kn->tile.ukernel(steps, a, b, (int32_t *)(void *)acc, step, add);
    for (size_t cell = 0; cell < cells && good; cell++) {
        size_t i = cell / step, j = cell % step;
        int32_t sum = add ? before : 0, got;

        if (j >= kn->tile.b.lanes)
            continue;
        sum = dot(sum, rows + i * depth, columns + j * depth, depth);
        memcpy(&got, acc + cell * sizeof got, sizeof got);
        good = got == sum;
        if (!good)
            check_fail("micro-kernel %s: %zu steps, row %zu column %zu%s: %d, want %d",
                       kn->row.name, steps, i, j, add ? ", added" : "", got, sum);
    }
    check.passed += good;
    free(rows);
    free(columns);
    guarded_free(&ga);
    guarded_free(&gb);
    guarded_free(&gc);
}

static void check_ukernels(const struct qmm_kernel *kn)
{
    if (kn->begin)
        kn->begin();
    for (enum filling a = 0; a < FILLINGS; a++)
        for (enum filling b = 0; b < FILLINGS; b++) {
            for (size_t steps = 1; steps <= 40; steps++)
                check_ukernel(kn, steps, a, b);
            check_ukernel(kn, kn->max_k / kn->tile.a.kr, a, b);
        }
    if (kn->end)
        kn->end();
}

/* ---- packing ---- */

/* All 255, all 128, which may be -128, all 127, or random. */
static void fill_source(struct guarded *g)
{
    static const int extremes[] = { 255, 128, 127 };
    uint64_t kind = check_below(2 * ARRAY_LEN(extremes));

    check_fill(g->base, g->bytes);
    if (kind < ARRAY_LEN(extremes))
        memset(g->base, extremes[kind], g->bytes);
}

/* One panel of `lanes` lanes by k values of any steps, held to its form and its sums. */
static void check_pack(const struct qmm_kernel *kn, bool of_a, size_t lanes, size_t k)
{
    enum qmm_elem e = of_a ? kn->tile.a.elem : kn->tile.b.elem;
    size_t width = of_a ? kn->tile.a.lanes : kn->tile.b.lanes,
           group = of_a ? kn->tile.a.group : kn->tile.b.group;
    size_t depth = packed_depth(k, kn->tile.a.kr, group), bytes = depth * width * elem_size(e);
    size_t layout = (size_t)check_below(3), odd = 1 + (size_t)check_below(3);
    size_t lane_step = layout == 0   ? k + odd
                       : layout == 1 ? 1
                                     : 2,
           k_step = layout == 0 ? 1 : layout * lanes + odd;
    size_t reach = (lanes - 1) * lane_step + (k - 1) * k_step + 1;
    struct guarded gs = guarded_new(reach), gp = guarded_new(bytes);
    char *from = guarded_place(&gs, reach, check_below(2)),
         *panel = guarded_place(&gp, bytes, check_below(2));
    struct qmm_source src = { from, (ptrdiff_t)lane_step, (ptrdiff_t)k_step, check_below(2) };
    int64_t *sums = check_alloc(width * sizeof *sums);
    char *first = check_alloc(bytes);
    qmm_pack_fn *pack = of_a ? kn->tile.pack_a : kn->tile.pack_b;
    const struct qmm_panel *form = of_a ? &kn->tile.a : &kn->tile.b;
    bool good = true;

    fill_source(&gs);
    check_fill(gp.base, gp.bytes);
    pack(panel, form, &src, lanes, k, NULL);
    memcpy(first, panel, bytes);
    check_fill(gp.base, gp.bytes);
    for (size_t l = 0; l < width; l++)
        sums[l] = (int64_t)l - 5;
    pack(panel, form, &src, lanes, k, sums);
    good = memcmp(first, panel, bytes) == 0;
    for (size_t l = 0; l < width; l++) {
        int64_t sum = (int64_t)l - 5;

        for (size_t i = 0; i < depth && good; i++) {
            const char *at = from + l * lane_step + i * k_step;
            int32_t want = 0, got = packed_at(panel, e, packed_index(width, group, l, i));

            if (l < lanes && i < k)
                want = (src.is_signed ? *(const signed char *)at : *(const unsigned char *)at) +
                       qmm_shift(e, src.is_signed);
            good = got == want;
            sum += want;
        }
        good = good && sums[l] == sum;
    }
    if (!good)
        check_fail("pack %s of %s: %zu lanes of %zu, k %zu, steps %zu and %zu, %s",
                   of_a ? "A" : "B", kn->row.name, lanes, width, k, lane_step, k_step,
                   src.is_signed ? "signed" : "unsigned");
    check.passed += good;
    free(first);
    free(sums);
    guarded_free(&gs);
    guarded_free(&gp);
}

/* Two panels of B at once are those of pack_b. */
static void check_pack_two(const struct qmm_kernel *kn, size_t k)
{
    enum { LANES_MOST = 64 };
    size_t lanes = kn->tile.b.lanes, k_step = 2 * lanes + (size_t)check_below(3),
           reach = (k - 1) * k_step + 2 * lanes,
           bytes = packed_depth(k, kn->tile.a.kr, kn->tile.b.group) * lanes *
                   elem_size(kn->tile.b.elem);
    struct guarded gs = guarded_new(reach), gp = guarded_new(2 * bytes);
    char *from = guarded_place(&gs, reach, check_below(2)),
         *panels = guarded_place(&gp, 2 * bytes, check_below(2)), *want = check_alloc(2 * bytes);
    struct qmm_source src = { from, 1, (ptrdiff_t)k_step, check_below(2) }, second = src;
    int64_t sums[2 * LANES_MOST] = { 7 }, want_sums[2 * LANES_MOST] = { 7 };
    bool summed = check_below(2);

    fill_source(&gs);
    second.data += lanes;
    kn->tile.pack_two(panels, panels + bytes, &kn->tile.b, &src, k, summed ? sums : NULL);
    kn->tile.pack_b(want, &kn->tile.b, &src, lanes, k, summed ? want_sums : NULL);
    kn->tile.pack_b(want + bytes, &kn->tile.b, &second, lanes, k,
                    summed ? want_sums + lanes : NULL);
    if (memcmp(panels, want, 2 * bytes) == 0 && memcmp(sums, want_sums, sizeof sums) == 0)
        check.passed++;
    else
        check_fail("pack two of %s: k %zu, step %zu", kn->row.name, k, k_step);
    free(want);
    guarded_free(&gs);
    guarded_free(&gp);
}

static void check_packs(const struct qmm_kernel *kn)
{
    static const size_t depths[] = { 1, 2, 15, 64, 127, 1023, 2047, 2049, 4097, 8999, 9000 };

    for (size_t i = 0; i < 4 * ARRAY_LEN(depths); i++) {
        size_t k = depths[i % ARRAY_LEN(depths)];

        check_pack(kn, true, 1 + (size_t)check_below(kn->tile.a.lanes), k);
        check_pack(kn, false, 1 + (size_t)check_below(kn->tile.b.lanes), k);
        if (kn->tile.pack_two)
            check_pack_two(kn, k);
    }
    for (int of_a = 0; of_a < 2; of_a++)
        for (size_t lanes = 1; lanes <= (of_a ? kn->tile.a.lanes : kn->tile.b.lanes); lanes++)
            for (size_t k = 1; k <= 150; k += 1 + (size_t)check_below(3))
                check_pack(kn, of_a, lanes, k);
}

/* ---- few rows ---- */

static void check_skinny_product(const struct qmm_kernel *kn, size_t rows, size_t k, size_t columns,
                                 bool extreme)
{
    bool words = kn->skinny_a == QMM_S16;
    size_t step = (columns + 63) / 64 * 64, elem = qmm_elem_size(kn->skinny_a),
           a_step = (k + QMM_SKINNY_ALIGN - 1) / QMM_SKINNY_ALIGN * QMM_SKINNY_ALIGN;
    bool is_signed = check_below(2), along_k = check_below(2);
    size_t odd = (size_t)check_below(3), lane_step = along_k ? k + odd : 1,
           k_step = along_k ? 1 : columns + odd;
    size_t reach = (columns - 1) * lane_step + (k - 1) * k_step + 1;
    struct guarded gb = guarded_new(reach), ga = guarded_new(rows * a_step * elem);
    struct guarded gc = guarded_new(rows * step * sizeof(int32_t));
    char *from = guarded_place(&gb, reach, check_below(2));
    uint8_t *a = (uint8_t *)guarded_place(&ga, rows * a_step * elem, true);
    int16_t *a_words = (int16_t *)(void *)a;
    int32_t *acc = (int32_t *)(void *)guarded_place(&gc, rows * step * sizeof *acc, true);
    struct qmm_skinny skinny = { a, a_step, rows, k, check_below(2) == 0 };
    struct qmm_source b = { from, (ptrdiff_t)lane_step, (ptrdiff_t)k_step, is_signed };
    int32_t shift = words ? 0 : qmm_shift(QMM_S8, is_signed);
    bool good = true;
    /* extreme: rows of -255, or of 0, are the even or the odd ones */
    size_t low = (size_t)check_below(2);

    check_fill(gb.base, gb.bytes);
    check_fill(gc.base, gc.bytes);
    for (size_t i = 0; extreme && i < reach; i++)
        from[i] = (char)(is_signed ? -128 : words ? 255 : 0);
    memset(a, 0, rows * a_step * elem);
    for (size_t i = 0; i < rows; i++) {
        int64_t zero = extreme ? 0 : check_between(0, 255);

        for (size_t at = 0; at < k; at++) {
            int64_t v = extreme ? 255 : check_between(0, 255) - (words ? zero : 0);

            if (extreme && (low ^ (i & 1)) != 0)
                v = words ? -255 : 0;
            if (words)
                a_words[i * a_step + at] = (int16_t)v;
            else
                a[i * a_step + at] = (uint8_t)v;
        }
    }
    kn->skinny(acc, step, &skinny, &b, columns);
    for (size_t cell = 0; cell < rows * columns && good; cell++) {
        size_t i = cell / columns, j = cell % columns;
        int64_t sum = 0;

        for (size_t at = 0; at < k; at++) {
            const char *v = from + j * lane_step + at * k_step;

            sum += (words ? a_words[i * a_step + at] : a[i * a_step + at]) *
                   (shift + (is_signed ? *(const signed char *)v : *(const unsigned char *)v));
        }
        good = acc[i * step + j] == sum;
        if (!good)
            check_fail("skinny %s: %zu x %zu x %zu, row %zu column %zu: %d, want %lld",
                       kn->row.name, rows, k, columns, i, j, acc[i * step + j], (long long)sum);
    }
    check.passed += good;
    guarded_free(&ga);
    guarded_free(&gb);
    guarded_free(&gc);
}

/* A row more than the most: the ones that add up columns. */
static void check_skinny(const struct qmm_kernel *kn)
{
    size_t most = (kn->skinny_rows > 0 ? kn->skinny_rows : 8) + (size_t)1;

    for (size_t rows = 1; rows <= most; rows++)
        for (size_t size = 1; size <= 70; size++) {
            check_skinny_product(kn, rows, size, 1 + (size_t)check_below(140), check_below(8) == 0);
            check_skinny_product(kn, rows, 1 + (size_t)check_below(140), size, check_below(8) == 0);
        }
    check_skinny_product(kn, most, QMM_INT32_K, 20, true);
    for (int i = 0; i < 8; i++)
        check_skinny_product(kn, 1, QMM_INT32_K, 20, true);
}

int main(int argc, char **argv)
{
    check_begin("check_qmatmul_kernels", argc, argv);
    for (unsigned row = 0; row < qmm_kernel_count; row++) {
        const struct qmm_kernel *kn = &qmm_kernels[row];

        if (cpu_has(kn->row.needs & ~(unsigned)CPU_AMX_INT8)) /* panels need no tile registers */
            check_packs(kn);
        if (!cpu_has(kn->row.needs))
            continue;
        check_ukernels(kn);
        if (kn->skinny)
            check_skinny(kn);
    }
    return check_end();
}
