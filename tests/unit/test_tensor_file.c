/* Tensor files: views of .npy data, lengths, and that what is written is read back. */
#include "message.h"

#include <unistd.h>

#include "folder.h"
#include "read_tensor.h"
#include "tensor/element.h"

static char path[FOLDER_PATH];
static char *message;

/* Reads path; the message goes to `message`. */
static enum status read_file(struct tensor_file *f)
{
    struct diag dg = message_begin(&message);
    enum status st = tensor_file_read(f, path, DT_NONE, 0, &dg);

    message_end(&dg);
    return st;
}

static void put(const void *bytes, size_t n)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* An .npy of version 1.0 with this header text and n bytes 0, 1, 2, ... of data. */
static void put_npy(const char *text, size_t n)
{
    struct str b = { 0 };
    size_t length = strlen(text);

    str_add(&b, NPY_MAGIC, NPY_MAGIC_LEN);
    str_add(&b, (const char[]){ 1, 0, (char)length, 0 }, 4);
    str_puts(&b, text);
    for (size_t i = 0; i < n; i++)
        str_add(&b, (const char[]){ (char)i }, 1);
    put(b.s, b.len);
    str_free(&b);
}

TEST(test_orders)
{
    struct tensor_file f;

    put_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }\n", 24);
    assert_int_equal(read_file(&f), ST_OK);
    assert_int_equal(f.format, FORMAT_NPY);
    assert_true(f.typed);
    assert_int_equal(f.count, 24);
    assert_int_equal(*(uint8_t *)tensor_at(&f.tensor, (const uint64_t[]){ 1, 2, 3 }), 23);
    assert_int_equal(*(uint8_t *)tensor_at(&f.tensor, (const uint64_t[]){ 1, 0, 1 }), 13);
    assert_true(tensor_is_packed(&f.tensor));
    assert_null(f.values); /* mapped, not copied */
    tensor_file_close(&f);

    put_npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4), }\n", 24);
    assert_int_equal(read_file(&f), ST_OK);
    assert_int_equal(*(uint8_t *)tensor_at(&f.tensor, (const uint64_t[]){ 1, 0, 0 }), 1);
    assert_int_equal(*(uint8_t *)tensor_at(&f.tensor, (const uint64_t[]){ 0, 1, 0 }), 2);
    assert_int_equal(*(uint8_t *)tensor_at(&f.tensor, (const uint64_t[]){ 0, 0, 1 }), 6);
    assert_int_equal(*(uint8_t *)tensor_at(&f.tensor, (const uint64_t[]){ 1, 2, 3 }), 23);
    tensor_file_close(&f);
}

/* Elements lie aligned, wherever the header ends; bytes are as in the file. */
TEST(test_alignment)
{
    struct tensor_file f;
    char text[128];

    for (int pad = 0; pad < 9; pad++) {
        snprintf(text, sizeof text, "{'descr': '>f8', 'fortran_order': False, 'shape': (3,), }%*s",
                 pad, "");
        put_npy(text, 24);
        assert_int_equal(read_file(&f), ST_OK);
        assert_int_equal((uintptr_t)f.tensor.data % 8, 0);
        for (int i = 0; i < 24; i++)
            assert_int_equal(((unsigned char *)f.tensor.data)[i], i);
        tensor_file_close(&f);
    }
}

TEST(test_lengths)
{
    static const char text[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
    struct tensor_file f;

    for (size_t extra = 0; extra < 4; extra++) {
        put_npy(text, 24 + extra);
        assert_int_equal(read_file(&f), ST_OK);
        assert_int_equal(f.count, 6);
        tensor_file_close(&f);
    }
    put_npy(text, 28);
    assert_int_equal(read_file(&f), ST_INPUT);
    assert_non_null(strstr(message, ": 4 bytes follow the data of FLOAT32 {2,3}"));
    put_npy(text, 23);
    assert_int_equal(read_file(&f), ST_INPUT);
    assert_non_null(strstr(message, "FLOAT32 {2,3} needs 24 bytes, but only 23 are there"));
    put_npy(text, 0);
    assert_int_equal(read_file(&f), ST_INPUT);
    assert_null(f.input.data);
    put_npy("{'descr': '<f4', 'fortran_order': True, 'shape': (4, 0), }\n", 0);
    assert_int_equal(read_file(&f), ST_OK);
    assert_int_equal(f.count, 0);
    tensor_file_close(&f);
}

TEST(test_foreign_formats)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *name;
    } rows[] = {
        { "", 0, "empty" }, { "\x93NUM", 4, "cut short after 4 bytes" },
        { "PK\x03\x04xx", 6, ".npz" }, { "PK\x05\x06xx", 6, ".npz" },
        { "\x89HDF\r\n\x1a\nx", 9, "h5py" }, { "\x1f\x8b\x08", 3, "gunzip" },
        { "\x28\xb5\x2f\xfdx", 5, "unzstd" }, { "\x89PNG\r\n\x1a\nx", 9, "PNG" },
        { "\x80\x02}", 3, "pickle" }, { "\x80\x05}", 3, "pickle" },
    };
    struct tensor_file f;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        put(rows[i].bytes, rows[i].n);
        assert_int_equal(read_file(&f), ST_INPUT);
        if (!strstr(message, rows[i].name))
            fail_msg("'%s' is not in '%s'", rows[i].name, message);
    }
}

static void write_tensor(const struct tensor *t, enum tensor_format format)
{
    struct diag dg = { .err = stderr };
    struct outputs o = { .no_sync = true };

    assert_int_equal(outputs_add(&o, path, &dg), ST_OK);
    assert_int_equal(tensor_file_write(o.v[0], t, format, 0, &dg), ST_OK);
    assert_int_equal(outputs_commit(&o, &dg), ST_OK);
    outputs_close(&o);
}

/* Every type, any strides, both formats: the file holds the logical tensor, packed. */
TEST(test_what_is_written_is_read_back)
{
    enum { R = 70, C = 50 };
    static _Alignas(8) unsigned char data[8 * R * (C + 3)];

    for (size_t i = 0; i < sizeof data; i++)
        /* no NaN among the floats: JSON keeps no payload */
        data[i] = (unsigned char)(i % 61 + i / 61 % 3);
    for (int type = 1; type < DT_COUNT; type++)
        for (int how = 0; how < 4; how++) {
            static const int64_t strides[4][2] = { { C, 1 }, { C + 3, 1 }, { 1, R }, { 0, 1 } };
            unsigned width = dtype_table[type].width_log2;
            struct tensor t = {
                .type = (enum dtype)type, .rank = 2, .sizes = { R, C }, .data = data
            };
            struct tensor_file f;

            memcpy(t.strides, strides[how], sizeof strides[how]);
            for (int format = FORMAT_NPY; format <= FORMAT_JSON; format++) {
                write_tensor(&t, (enum tensor_format)format);
                assert_int_equal(read_file(&f), ST_OK);
                assert_int_equal(f.tensor.type, type);
                assert_int_equal(f.format, format);
                assert_int_equal(f.tensor.rank, 2);
                assert_true(tensor_is_packed(&f.tensor));
                for (uint64_t r = 0; r < R; r++)
                    for (uint64_t c = 0; c < C; c++)
                        assert_int_equal(
                            element_load_swapped(tensor_at(&f.tensor, (const uint64_t[]){ r, c }),
                                                 width, f.tensor.swapped),
                            element_load(tensor_at(&t, (const uint64_t[]){ r, c }), width));
                tensor_file_close(&f);
            }
        }
}

TEST(test_odd_ranks_and_bool)
{
    struct tensor t = { .type = DT_UINT8, .is_bool = true, .data = (unsigned char[]){ 1, 0, 1 } };
    struct tensor_file f;

    write_tensor(&t, FORMAT_NPY);
    assert_int_equal(read_file(&f), ST_OK);
    assert_true(f.tensor.is_bool);
    assert_int_equal(f.tensor.rank, 0);
    assert_int_equal(f.count, 1);
    assert_int_equal(*(uint8_t *)f.tensor.data, 1);
    tensor_file_close(&f);

    t.rank = 32;
    for (unsigned i = 0; i < 32; i++)
        t.sizes[i] = i == 31 ? 3 : 1;
    assert_true(tensor_pack_strides(32, t.sizes, t.strides));
    write_tensor(&t, FORMAT_NPY);
    assert_int_equal(read_file(&f), ST_OK);
    assert_int_equal(f.tensor.rank, 32);
    assert_memory_equal(f.tensor.data, t.data, 3);
    tensor_file_close(&f);

    t.sizes[4] = 0;
    write_tensor(&t, FORMAT_NPY);
    assert_int_equal(read_file(&f), ST_OK);
    assert_int_equal(f.count, 0);
    tensor_file_close(&f);
}

static int begin(void **state)
{
    int fd = mkstemp(folder_template(path, "tensor"));

    return fd >= 0 ? close(fd) : -1;
}

static int end(void **state)
{
    free(message);
    return unlink(path);
}

int main(void) { return RUN_TESTS(begin, end); }
