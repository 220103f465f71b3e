/* tensor/: element types, halves, shapes and strided views. */
#include "unit.h"

#include <math.h>

#include "tensor/cast.h"
#include "tensor/element.h"
#include "tensor/tensor.h"

TEST(test_names)
{
    assert_int_equal(dtype_from_name("FLOAT16", false), DT_FLOAT16);
    assert_int_equal(dtype_from_name("DML_TENSOR_DATA_TYPE_UINT64", false), DT_UINT64);
    assert_int_equal(dtype_from_name("float32", false), DT_NONE);
    assert_int_equal(dtype_from_name("float32", true), DT_FLOAT32);
    assert_int_equal(dtype_from_name("UNKNOWN", true), DT_NONE);
    for (int t = DT_NONE + 1; t < DT_COUNT; t++) {
        assert_int_equal(dtype_from_name(dtype_name((enum dtype)t), false), t);
        assert_int_equal(1u << dtype_table[t].width_log2, dtype_size((enum dtype)t));
        assert_string_equal(dtype_names[t], dtype_name((enum dtype)t));
    }
    assert_null(dtype_names[DT_NONE]);
    assert_string_equal(
        dtype_list, "FLOAT32 FLOAT16 FLOAT64 INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64");
}

TEST(test_limits)
{
    assert_true(dtype_min(DT_INT8) == -128 && dtype_max(DT_INT8) == 127);
    assert_true(dtype_min(DT_UINT8) == 0 && dtype_max(DT_UINT8) == 255);
    assert_true(dtype_min(DT_INT64) == INT64_MIN && dtype_max(DT_INT64) == INT64_MAX);
    assert_true(dtype_max(DT_UINT64) == UINT64_MAX);
}

TEST(test_half_round_trip)
{
    for (unsigned h = 0; h < 65536; h++) {
        uint16_t half = (uint16_t)h, back;
        struct scalar s = scalar_load(DT_FLOAT16, false, &half);

        assert_int_equal(scalar_store(&s, DT_FLOAT16, &back), SCALAR_FITS);
        if ((h & 0x7c00) == 0x7c00 && (h & 0x3ff))
            assert_int_equal(back, h | 0x200); /* NaNs become quiet and keep the rest */
        else
            assert_int_equal(back, h);
    }
}

/* FLOAT32 to FLOAT64 and back: NaNs keep sign and payload, and become quiet, on every machine. */
TEST(test_nans)
{
    static const struct {
        uint32_t from;
        uint64_t wide;
        uint32_t back;
    } rows[] = {
        { 0x7f800001, 0x7ff8000020000000, 0x7fc00001 },
        { 0xffa12345, 0xfffc2468a0000000, 0xffe12345 },
        { 0x7fc00000, 0x7ff8000000000000, 0x7fc00000 },
        { 0xffffffff, 0xffffffffe0000000, 0xffffffff },
        { 0x7f800000, 0x7ff0000000000000, 0x7f800000 },
        { 0xff800000, 0xfff0000000000000, 0xff800000 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct scalar s = scalar_load(DT_FLOAT32, false, &rows[i].from);
        uint64_t wide;
        uint32_t back;

        assert_int_equal(scalar_store(&s, DT_FLOAT64, &wide), SCALAR_FITS);
        assert_int_equal(wide, rows[i].wide);
        s = scalar_load(DT_FLOAT64, false, &wide);
        assert_int_equal(scalar_store(&s, DT_FLOAT32, &back), SCALAR_FITS);
        assert_int_equal(back, rows[i].back);
    }
}

/* Between each pair of neighbours: the midpoint goes to the even one, a hair beside it to the
 * nearer. */
TEST(test_half_ties)
{
    for (unsigned h = 0; h < 0x7bff; h++) {
        double lo = (double)half_to_float((uint16_t)h),
               hi = (double)half_to_float((uint16_t)(h + 1));
        double mid = (lo + hi) / 2;

        assert_int_equal(half_from_double(mid), h & 1 ? h + 1 : h);
        assert_int_equal(half_from_double(nextafter(mid, lo)), h);
        assert_int_equal(half_from_double(nextafter(mid, hi)), h + 1);
        assert_int_equal(half_from_double(-mid), 0x8000 | (h & 1 ? h + 1 : h));
    }
    assert_int_equal(half_from_double(65520.0), 0x7c00);
    assert_int_equal(half_from_double(65519.99999999999), 0x7bff);
    assert_int_equal(half_from_double(5e-324), 0);
}

TEST(test_counts)
{
    const uint64_t big[] = { 4294967296, 4294967296 }, empty[] = { 4294967296, 4294967296, 0 };
    uint64_t n = 7;

    assert_false(tensor_count(2, big, &n));
    assert_true(tensor_count(3, empty, &n));
    assert_int_equal(n, 0);
    assert_true(tensor_count(0, NULL, &n));
    assert_int_equal(n, 1);
}

TEST(test_extent)
{
    const uint64_t sizes[] = { 2, 3, 4 };
    const int64_t strides[] = { 0, 10, 2 }, huge[] = { INT64_MAX, INT64_MAX, INT64_MAX };
    int64_t packed[3];
    uint64_t n;

    assert_true(tensor_extent(3, sizes, strides, &n));
    assert_int_equal(n, 2 * 10 + 3 * 2 + 1);
    assert_false(tensor_extent(3, sizes, huge, &n));
    assert_true(tensor_pack_strides(3, sizes, packed));
    assert_true(packed[0] == 12 && packed[1] == 4 && packed[2] == 1);
    /* The whole has at most 2^63 - 1 elements, counted as if no size were 0. */
    assert_true(tensor_pack_strides(2, (const uint64_t[]){ 2, INT64_MAX / 2 }, packed));
    assert_false(tensor_pack_strides(2, (const uint64_t[]){ 2, UINT64_C(1) << 62 }, packed));
    assert_false(
        tensor_pack_strides(2, (const uint64_t[]){ UINT64_C(1) << 32, UINT64_C(1) << 32 }, packed));
    assert_true(tensor_extent(1, (const uint64_t[]){ 1 }, (const int64_t[]){ INT64_MAX }, &n));
    assert_int_equal(n, 1);
}

TEST(test_packed)
{
    struct tensor t = { .type = DT_INT8, .rank = 3, .sizes = { 2, 1, 4 }, .strides = { 4, 99, 1 } };

    assert_true(tensor_is_packed(&t)); /* no stride counts where the size is 1 */
    t.strides[0] = 5;
    assert_false(tensor_is_packed(&t));
    t.strides[0] = 3;
    assert_false(tensor_is_packed(&t));
    t.strides[0] = 4;
    t.strides[2] = 2;
    assert_false(tensor_is_packed(&t));
}

TEST(test_copy_permutes)
{
    uint16_t from[6] = { 1, 2, 3, 4, 5, 6 }, to[6] = { 0 };
    struct tensor src = {
        .type = DT_UINT16, .rank = 2, .sizes = { 3, 2 }, .strides = { 1, 3 }, .data = from
    };
    struct tensor dst = {
        .type = DT_FLOAT16, .rank = 2, .sizes = { 3, 2 }, .strides = { 2, 1 }, .data = to
    };
    const uint16_t want[6] = { 1, 4, 2, 5, 3, 6 };

    assert_false(tensor_is_packed(&src));
    assert_true(tensor_is_packed(&dst));
    tensor_copy(&dst, &src);
    assert_memory_equal(to, want, sizeof want);
}

/* Any part of any view: elements from and to anywhere, permuted, broadcast, of every width. */
TEST(test_gather)
{
    static const enum dtype types[] = { DT_UINT8, DT_INT16, DT_FLOAT32, DT_INT64 };
    static unsigned char data[8 * 9 * 70 * 5], got[8 * 9 * 70 * 5];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7 + i / 256);
    for (size_t k = 0; k < ARRAY_LEN(types) * 4; k++) {
        static const int64_t strides[][3] = {
            { 350, 5, 1 }, { 1, 9, 630 }, { 5, 45, 1 }, { 70, 1, 0 }
        };
        struct tensor t = { .type = types[k / 4], .rank = 3, .sizes = { 9, 70, 5 }, .data = data };
        size_t size = dtype_size(t.type);
        uint64_t count = 9 * 70 * 5;

        memcpy(t.strides, strides[k % 4], sizeof strides[0]);
        for (uint64_t from = 0; from < count; from += 111)
            for (uint64_t n = 0; from + n <= count; n = n * 3 + 1) {
                uint64_t c[3];

                tensor_gather(&t, from, n, got);
                tensor_coordinate(3, t.sizes, from, c);
                for (uint64_t i = 0; i < n; i++, tensor_next(3, t.sizes, c))
                    assert_memory_equal(got + i * size, tensor_at(&t, c), size);
            }
    }
}

/* By pieces, on any number of threads: the first that does not fit, how many do not, and the
 * values. */
TEST(test_cast)
{
    enum { ROWS = 500, COLUMNS = 401, COUNT = ROWS * COLUMNS };
    static float data[COUNT];
    static int8_t got[COUNT];
    const struct cast_rules strict = { 0 }, rounding = { .round = true },
                            clamping = { .clamp = true };
    struct tensor t = { .type = DT_FLOAT32,
                        .rank = 2,
                        .sizes = { ROWS, COLUMNS },
                        .strides = { 1, ROWS },
                        .data = data };

    for (int i = 0; i < COUNT; i++)
        data[i] = (float)(i % 128);
    for (int threads = 1; threads < 4; threads++) {
        struct cast_result m = tensor_cast(&t, COUNT, DT_INT8, &strict, threads, got);

        assert_true(!m.refused && m.counts.clamped == 0 && m.counts.rounded == 0);
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(got[i], (i / COLUMNS + i % COLUMNS * ROWS) % 128);
    }
    data[3 * ROWS + 400] = 128; /* [400][3] */
    data[5 * ROWS + 400] = (float)NAN;
    data[1 * ROWS + 450] = -1e9f;
    for (int threads = 1; threads < 4; threads++) {
        struct cast_result m = tensor_cast(&t, COUNT, DT_INT8, &strict, threads, got);

        assert_true(m.refused && m.first == 400 * COLUMNS + 3);
        m = tensor_cast(&t, COUNT, DT_INT8, &clamping, threads, got);
        assert_true(!m.refused && m.counts.clamped == 3 && m.counts.rounded == 0);
        assert_true(got[400 * COLUMNS + 3] == 127 && got[400 * COLUMNS + 5] == 0 &&
                    got[450 * COLUMNS + 1] == -128);
    }
    data[3 * ROWS + 400] = 126.5f; /* fractions: 126, but 128 does not fit */
    data[5 * ROWS + 400] = 127.5f;
    data[1 * ROWS + 450] = -0.5f;
    data[ROWS - 1] = 99.75f;
    for (int threads = 1; threads < 4; threads++) {
        struct cast_result m = tensor_cast(&t, COUNT, DT_INT8, &strict, threads, got);

        assert_true(m.refused && m.first == 400 * COLUMNS + 3);
        m = tensor_cast(&t, COUNT, DT_INT8, &rounding, threads, got);
        assert_true(m.refused && m.first == 400 * COLUMNS + 5);
        m = tensor_cast(&t, COUNT, DT_INT8, &clamping, threads, got);
        assert_true(!m.refused && m.counts.clamped == 1 && m.counts.rounded == 3);
        assert_true(got[400 * COLUMNS + 3] == 126 && got[400 * COLUMNS + 5] == 127 &&
                    got[450 * COLUMNS + 1] == 0);
    }
}

TEST(test_swap)
{
    unsigned char b[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    const unsigned char two[8] = { 2, 1, 4, 3, 6, 5, 8, 7 }, back[8] = { 7, 8, 5, 6, 3, 4, 1, 2 };

    tensor_swap_bytes(b, 2, 4);
    assert_memory_equal(b, two, 8);
    tensor_swap_bytes(b, 8, 1);
    assert_memory_equal(b, back, 8);
}

TEST(test_elements)
{
    static const uint64_t bits[4] = { 0x11, 0x2211, 0x44332211, 0x8877665544332211 };
    static const uint64_t swapped[4] = { 0x11, 0x1122, 0x11223344, 0x1122334455667788 };
    unsigned char at[10];

    for (unsigned w = 0; w < 4; w++) {
        memset(at, 0xee, sizeof at);
        element_store(at + 1, w, bits[w] | (w < 3 ? (uint64_t)0xaa << (8u << w) : 0));
        assert_int_equal(at[0], 0xee);
        assert_int_equal(at[1 + (1u << w)], 0xee);
        assert_int_equal(element_load(at + 1, w), bits[w]);
        assert_int_equal(element_load_swapped(at + 1, w, false), bits[w]);
        assert_int_equal(element_load_swapped(at + 1, w, true), swapped[w]);
    }
    element_store(at + 1, 2, 0x0000803f);
    assert_true(element_load_float(at + 1, true) == 1.0F);
    element_store(at + 1, 2, 0x3f800000);
    assert_true(element_load_float(at + 1, false) == 1.0F);
}

TEST(test_sizes_text)
{
    uint64_t sizes[TENSOR_MAX_RANK];

    for (int i = 0; i < TENSOR_MAX_RANK; i++)
        sizes[i] = UINT64_MAX;
    assert_int_equal(strlen(tensor_sizes_text(TENSOR_MAX_RANK, sizes).text), TENSOR_SIZES_TEXT - 2);
    assert_string_equal(tensor_sizes_text(0, sizes).text, "{}");
    sizes[0] = 3;
    assert_string_equal(tensor_index_text(2, sizes, 1).text, "[3,:]");
    assert_string_equal(tensor_index_text(1, sizes, 1).text, "[3]");
}

int main(void) { return RUN_TESTS(NULL, NULL); }
