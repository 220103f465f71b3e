/* io/npy: headers read and written, without files. The commands' tests compare with NumPy. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "io/npy.h"

/* Reads version 1.0 with this header text; the message of a refusal goes to error. */
static int parse(const char *text, struct npy_header *h, char *error)
{
    unsigned char bytes[600] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0 };
    size_t n = strlen(text);

    bytes[8] = (unsigned char)(n & 255);
    bytes[9] = (unsigned char)(n >> 8);
    memcpy(bytes + 10, text, n);
    return npy_parse_header(bytes, 10 + n, h, error);
}

static void test_reads(void **state)
{
    char error[NPY_ERROR_TEXT];
    struct npy_header h;

    (void)state;
    assert_int_equal(parse("{'descr': '>i2', 'fortran_order': True, 'shape': (3L, 4), }", &h, error), 0);
    assert_int_equal(h.type, DT_INT16);
    assert_true(h.swapped && h.fortran && !h.is_bool);
    assert_int_equal(h.rank, 2);
    assert_true(h.sizes[0] == 3 && h.sizes[1] == 4 && h.count == 12 && h.data_bytes == 24);
    assert_int_equal(parse("{\"shape\":(),'descr':'?','fortran_order':False}", &h, error), 0);
    assert_true(h.is_bool && h.rank == 0 && h.count == 1 && !h.swapped);
    assert_int_equal(parse("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 99999999999), }", &h, error), 0);
    assert_int_equal(h.count, 0);
}

static void refuses(const char *text, const char *message)
{
    char error[NPY_ERROR_TEXT] = "";
    struct npy_header h;

    assert_int_equal(parse(text, &h, error), -1);
    if (!strstr(error, message))
        fail_msg("'%s' instead of '%s'", error, message);
}

static void test_refuses(void **state)
{
    (void)state;
    refuses("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "complex");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "negative");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "larger than any file");
    refuses("{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,), }", "larger than any file");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (1 1), }", "comma");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), ", "quoted string");
}

/* Every beginning of a good file is refused, and nothing past it is read (the sanitizers watch). */
static void test_cut_short(void **state)
{
    struct str b = { 0 };
    char error[NPY_ERROR_TEXT];
    struct npy_header h;

    (void)state;
    npy_format_header(&b, DT_FLOAT32, false, 2, (const uint64_t[]){ 5, 6 });
    for (size_t n = 0; n < b.len; n++) {
        unsigned char *part = malloc(n ? n : 1);

        memcpy(part, b.s, n);
        assert_int_equal(npy_parse_header(part, n, &h, error), -1);
        free(part);
    }
    assert_int_equal(npy_parse_header(b.s, b.len, &h, error), 0);
    str_free(&b);
}

static void test_writes_what_it_reads(void **state)
{
    char error[NPY_ERROR_TEXT];
    struct npy_header h;

    (void)state;
    for (int t = DT_NONE + 1; t < DT_COUNT; t++)
        for (unsigned rank = 0; rank <= TENSOR_MAX_RANK; rank++) {
            uint64_t sizes[TENSOR_MAX_RANK];
            struct str b = { 0 };

            for (unsigned i = 0; i < rank; i++)
                sizes[i] = i + 1 < 4 ? i + 1 : 1;
            npy_format_header(&b, (enum dtype)t, false, rank, sizes);
            assert_int_equal(b.len % 64, 0);
            assert_int_equal(b.s[b.len - 1], '\n');
            assert_int_equal(npy_parse_header(b.s, b.len, &h, error), 0);
            assert_true(h.type == (enum dtype)t && h.rank == rank && h.data_offset == b.len && !h.swapped && !h.fortran);
            assert_memory_equal(h.sizes, sizes, rank * sizeof sizes[0]);
            str_free(&b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_writes_what_it_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
