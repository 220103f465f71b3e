/* The .npy format: headers that NumPy reads and writes, byte for byte; what is malformed or foreign
 * is refused. */
#include "seed.h"

#include "folder.h"
#include "io/npy.h"

/* A file's first bytes: the header text behind its prefix, in a block of its own length. */
static unsigned char *file_of(unsigned version, const char *text, size_t *len)
{
    size_t n = strlen(text), prefix = version == 1 ? 10 : 12;
    unsigned char *b = malloc(prefix + n);

    assert_non_null(b);
    memcpy(b, NPY_MAGIC, NPY_MAGIC_LEN);
    b[6] = (unsigned char)version;
    b[7] = 0;
    for (size_t i = 8; i < prefix; i++)
        b[i] = (unsigned char)(n >> 8 * (i - 8));
    memcpy(b + prefix, text, n);
    *len = prefix + n;
    return b;
}

static struct npy_header accept_as(unsigned version, const char *text)
{
    char error[NPY_ERROR_TEXT] = "";
    struct npy_header h;
    size_t len;
    unsigned char *b = file_of(version, text, &len);

    if (!npy_read_header(b, len, &h, error))
        fail_msg("%s: %s", text, error);
    assert_int_equal(h.data_offset, len);
    assert_int_equal(h.major, version);
    free(b);
    return h;
}

static struct npy_header accept(const char *text)
{
    return accept_as(1, text);
}

/* Refused, with `want` in the message. */
static void refuse(const char *text, const char *want)
{
    char error[NPY_ERROR_TEXT] = "";
    struct npy_header h;
    size_t len;
    unsigned char *b = file_of(1, text, &len);

    if (npy_read_header(b, len, &h, error))
        fail_msg("%s: was accepted", text);
    if (!strstr(error, want))
        fail_msg("%s: '%s' is not in '%s'", text, want, error);
    free(b);
}

TEST(test_versions)
{
    for (unsigned v = 1; v <= 3; v++) {
        struct npy_header h =
            accept_as(v, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n");

        assert_int_equal(h.type, DT_FLOAT32);
        assert_false(h.is_bool || npy_is_big_endian(h.type, h.swapped) || h.fortran);
        assert_int_equal(h.rank, 2);
        assert_int_equal(h.sizes[0], 3);
        assert_int_equal(h.sizes[1], 4);
        assert_int_equal(h.count, 12);
        assert_int_equal(h.data_bytes, 48);
    }
}

TEST(test_text_as_numpy_reads_it)
{
    static const char *const texts[] = {
        "{\"shape\":(2,3),\"fortran_order\":True,\"descr\":\"<i8\"}",
        "  {\t'fortran_order' :True ,\n'descr':'<i8', 'shape': ( 2 , 3 , ) , }\n\n",
        "{'shape': (2L, 3L), u'descr': u'<i8', 'fortran_order': True}",
    };
    struct npy_header h;

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        h = accept(texts[i]);
        assert_int_equal(h.type, DT_INT64);
        assert_true(h.fortran);
        assert_int_equal(h.rank, 2);
        assert_int_equal(h.sizes[0], 2);
        assert_int_equal(h.sizes[1], 3);
    }
    h = accept("{'descr': '<i8', 'fortran_order': False, 'shape': ()}");
    assert_int_equal(h.rank, 0);
    assert_int_equal(h.count, 1);
    h = accept("{'descr': '<i8', 'fortran_order': False, 'shape': (7,)}");
    assert_int_equal(h.rank, 1);
    assert_int_equal(h.data_bytes, 56);
}

TEST(test_types)
{
    static const struct {
        const char *descr;
        enum dtype type;
        bool is_bool, swapped;
    } rows[] = {
        { "<f4", DT_FLOAT32, 0, 0 }, { ">f4", DT_FLOAT32, 0, 1 }, { "=f4", DT_FLOAT32, 0, 0 },
        { "f4", DT_FLOAT32, 0, 0 }, { "|f4", DT_FLOAT32, 0, 0 }, { ">f2", DT_FLOAT16, 0, 1 },
        { "<f8", DT_FLOAT64, 0, 0 }, { "<f2", DT_FLOAT16, 0, 0 }, { "|u1", DT_UINT8, 0, 0 },
        { ">u1", DT_UINT8, 0, 0 }, { "<u2", DT_UINT16, 0, 0 }, { ">u4", DT_UINT32, 0, 1 },
        { "<u8", DT_UINT64, 0, 0 }, { "|i1", DT_INT8, 0, 0 }, { ">i2", DT_INT16, 0, 1 },
        { "<i4", DT_INT32, 0, 0 }, { ">i8", DT_INT64, 0, 1 }, { "|b1", DT_UINT8, 1, 0 },
        { "?", DT_UINT8, 1, 0 }, { ">b1", DT_UINT8, 1, 0 },
    };
    char text[128];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bool turned = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && strchr("<>", *rows[i].descr) &&
                      dtype_size(rows[i].type) > 1;
        struct npy_header h;

        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (5,), }",
                 rows[i].descr);
        h = accept(text);
        assert_int_equal(h.type, rows[i].type);
        assert_int_equal(h.is_bool, rows[i].is_bool);
        assert_int_equal(h.swapped, rows[i].swapped != turned);
        assert_int_equal(h.data_bytes, 5 * dtype_size(h.type));
    }
}

TEST(test_foreign_types_are_named)
{
    static const char *const rows[][2] = {
        { "<c8", "complex" },       { "<c16", "complex" },     { "|O", "object" },
        { "|S5", "byte string" },   { "|a5", "byte string" },  { "<U3", "text string" },
        { "<M8[s]", "date" },       { "<m8[ns]", "time" },     { "|V8", "void" },
        { "<f16", "long double" },  { "<f12", "long double" }, { "<g", "long double" },
        { "<f1", "unusual float" }, { "<i3", "unknown" },      { "<i16", "unknown" },
        { "", "unknown" },          { "<", "unknown" },        { "<f4 ", "unusual float" },
        { "banana", "unknown" },
    };
    char text[128];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }",
                 rows[i][0]);
        refuse(text, rows[i][1]);
    }
    refuse("{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': (1,), }",
           "structured");
    refuse("{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (1,), }", "structured");
}

TEST(test_malformed_headers)
{
    static const char *const rows[][2] = {
        { "", "is not a Python dict" },
        { "['descr']", "is not a Python dict" },
        { "{}", "lacks 'descr'" },
        { "{'descr': '<f4', 'shape': (2,)}", "lacks 'fortran_order'" },
        { "{'descr': '<f4', 'fortran_order': False}", "lacks 'shape'" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}",
          "unknown key 'more'" },
        { "{'shape': (2,), 'shape': (2,), 'descr': '<f4', 'fortran_order': False}",
          "'shape' twice" },
        { "{'descr' '<f4', 'fortran_order': False, 'shape': (2,)}", "lacks ':'" },
        { "{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}", "lacks ','" },
        { "{'descr': '<f4', 'fortran_order': 1, 'shape': (2,)}", "neither True nor False" },
        { "{'descr': 4, 'fortran_order': False, 'shape': (2,)}", "no quoted string" },
        { "{b'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "no quoted string" },
        { "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (2,)}", "backslash" },
        { "{'descr': '<f4", "has no closing quote" },
        { "{'a_very_long_key_that_nobody_wrote': 1}", "too long" },
        { "{'twenty_three_characters': 1}", "unknown key" },
        { "{'twenty_four_characters__': 1}", "too long" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': [2]}", "is not a tuple" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", "not a tuple" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}", "comma" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "is not a whole number" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,)}", "comma" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "negative" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}",
          "above 2^63 - 1" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,)}",
          "above 2^63 - 1" },
        /* 2^65 + 8 */
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (36893488147419103240,)}",
          "above 2^63 - 1" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
          "larger than any file" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,)}",
          "larger than any file" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "more text after" },
    };
    char text[256] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        refuse(rows[i][0], rows[i][1]);
    for (unsigned i = 0; i < 32; i++)
        strcat(text, "1,");
    strcat(text, ")}");
    assert_int_equal(accept(text).rank, 32);
    strcpy(strstr(text, ")}"), "1,)}");
    refuse(text, "more than 32 dimensions");
}

/* A size of 0 makes the array empty, whatever the others are. */
TEST(test_empty_arrays)
{
    struct npy_header h = accept("{'descr': '<f8', 'fortran_order': False, 'shape': (0,)}");

    assert_int_equal(h.count, 0);
    h = accept("{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846975, 0)}");
    assert_int_equal(h.data_bytes, 0);
    refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976, 0)}",
           /* nor does NumPy take it */
           "an array of sizes {1152921504606846976,0} is larger than any file");
    refuse(
        "{'descr': '<f4', 'fortran_order': True, 'shape': (0, 4294967296, 4294967296, 4294967296)}",
        "an array of sizes {0,4294967296,4294967296,4294967296} is larger than any file");
}

/* Every beginning of a file, in a block of its own length, so that sanitizers see a byte too
 * far. */
TEST(test_cut_headers)
{
    static const char text[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n";
    char error[NPY_ERROR_TEXT];
    struct npy_header h;

    for (unsigned v = 1; v <= 3; v++) {
        size_t len;
        unsigned char *whole = file_of(v, text, &len);

        for (size_t n = 0; n < len; n++) {
            unsigned char *cut = malloc(n ? n : 1);

            assert_non_null(cut);
            memcpy(cut, whole, n);
            assert_false(npy_read_header(cut, n, &h, error));
            assert_non_null(
                strstr(error, n < (v == 1 ? 10 : 12) ? "cut short after" : "bytes long, but only"));
            free(cut);
        }
        free(whole);
    }
    assert_false(npy_read_header("\x93NUMPY\2\0\xff\xff\xff\xff{}", 14, &h, error));
    assert_string_equal(error,
                        "the .npy header says it is 4294967295 bytes long, but only 2 follow");
    assert_false(npy_read_header("\x93NUMPY\4\0\2\0{}", 12, &h, error));
    assert_non_null(strstr(error, "version 4.0"));
    assert_false(npy_read_header("\x93NUMPY\1\1\2\0{}", 12, &h, error));
    assert_non_null(strstr(error, "version 1.1"));
    assert_false(npy_is("\x93NUMP", 5));
    assert_false(npy_is("\x93NUMPX", 6));
    assert_true(npy_is("\x93NUMPY", 6));
}

/* Bytes changed at random are read or refused, but never read past the end. */
TEST(test_noise)
{
    static const char text[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 17L), }\n";
    static const char likely[] = "{}()[]'\",:<>|=L-\\ \n0123456789fiubcOTF";
    uint64_t first = seed;

    for (int round = 0; round < 20000; round++) {
        char error[NPY_ERROR_TEXT] = "";
        struct npy_header h;
        size_t len;
        unsigned char *b = file_of(1 + (unsigned)(random64() % 3), text, &len);

        for (uint64_t n = 1 + random64() % 4; n-- > 0;)
            b[random64() % len] = random64() % 4
                                      ? (unsigned char)likely[random64() % (sizeof likely - 1)]
                                      : (unsigned char)random64();
        if (!npy_read_header(b, len, &h, error) && !*error)
            fail_msg("seed %" PRIu64 ", round %d: refused without a message", first, round);
        free(b);
    }
}

TEST(test_written_header)
{
    static const char prefix[] = { '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0 };
    struct str b = { 0 };
    char text[119];

    snprintf(text, sizeof text, "%-117s\n",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
    npy_format_header(&b, DT_FLOAT32, false, 2, (const uint64_t[]){ 2, 3 });
    assert_int_equal(b.len, 128);
    assert_memory_equal(b.s, prefix, 10);
    assert_memory_equal(b.s + 10, text, 118);
    str_free(&b);
}

static uint64_t random_size(void)
{
    static const uint64_t favourites[] = { 0,  1,   2,          9,          10,
                                           99, 100, 4294967295, 4294967296, INT64_MAX };

    return random64() % 2 ? favourites[random64() % ARRAY_LEN(favourites)]
                          : random64() >> (1 + random64() % 63);
}

/* What npy_format_header gives for many types and shapes, against NumPy's own function; each is
 * read back, too. */
TEST(test_numpy_writes_the_same)
{
    static const char script[] = "import sys, io, numpy.lib.format as f\n"
                                 "for line in open(sys.argv[1]):\n"
                                 "    p = line.split(); d = dict(descr=p[0], fortran_order=False, "
                                 "shape=tuple(map(int, p[1:])))\n"
                                 "    f.write_array_header_1_0(sys.stdout.buffer, d)\n";
    char name[FOLDER_PATH], command[2048], *theirs, error[NPY_ERROR_TEXT];
    const char *python = getenv("PYTHON") ? getenv("PYTHON") : "/usr/bin/python3";
    FILE *list = fdopen(mkstemp(folder_template(name, "npy")), "w"), *pipe;
    struct str ours = { 0 };
    size_t n;
    struct npy_header h;

    assert_non_null(list);
    for (unsigned i = 0; i < 2000; i++) {
        enum dtype t = (enum dtype)(1 + i % (DT_COUNT - 1));
        unsigned rank = i < 66 ? i % 33 : (unsigned)(random64() % 33);
        uint64_t sizes[TENSOR_MAX_RANK];
        bool is_bool = t == DT_UINT8 && i % 2, legal;
        size_t start = ours.len;
        uint64_t count;

        fprintf(list, "%s", is_bool ? "|b1" : dtype_table[t].npy);
        for (unsigned a = 0; a < rank; a++)
            fprintf(list, " %" PRIu64, sizes[a] = random_size());
        fputc('\n', list);
        npy_format_header(&ours, t, is_bool, rank, sizes);
        legal = tensor_dense_bytes(t, rank, sizes, &count);
        assert_int_equal(npy_read_header(ours.s + start, ours.len - start, &h, error), legal);
        assert_int_equal((ours.len - start) % 64, 0);
        if (legal) {
            assert_int_equal(h.type, t);
            assert_int_equal(h.is_bool, is_bool);
            assert_int_equal(h.rank, rank);
            assert_memory_equal(h.sizes, sizes, rank * sizeof *sizes);
        }
    }
    assert_int_equal(fclose(list), 0);
    assert_false(ours.failed);
    theirs = malloc(ours.len + 1);
    assert_non_null(theirs);
    snprintf(command, sizeof command, "'%s' -c '%s' '%s' 2>/dev/null", python, script, name);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    n = fread(theirs, 1, ours.len + 1, pipe);
    if (pclose(pipe) == 0) {
        assert_int_equal(n, ours.len);
        assert_memory_equal(theirs, ours.s, n);
    }
    remove(name);
    free(theirs);
    str_free(&ours);
    if (n == 0)
        skip(); /* no Python with NumPy here */
}

int main(void)
{
    seed_start();
    return RUN_TESTS(NULL, NULL);
}
