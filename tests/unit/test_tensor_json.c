/* Tensors as JSON: what is read, what is refused and where, what is written, and that it comes
 * back. */
#include "seed.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "kernel/random.h"
#include "read_tensor.h"
#include "tensor/element.h"

#if defined(__SANITIZE_ADDRESS__) || !defined(__linux__)
#define MAY_MEASURE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MAY_MEASURE 0
#endif
#endif
#ifndef MAY_MEASURE
#define MAY_MEASURE 1 /* no sanitizer takes memory of its own */
#endif

static char folder[FOLDER_PATH];
static char path[sizeof folder + 16];

/* How texts are read: on how many threads, in pieces of about how many bytes. */
static const struct sharing {
    int threads;
    size_t piece;
} sharings[] = { { 1, TENSOR_JSON_PIECE }, { 1, 1 }, { 1, 4 }, { 1, 7 }, { 3, 20 } };

static const struct sharing *sharing = sharings;

/* Reads text, in a block of its own length; the message goes to *message (free it). */
static enum status read_text(struct tensor_file *f, const char *text, enum dtype type,
                             char **message)
{
    size_t len = strlen(text), size;
    struct diag dg = { .err = open_memstream(message, &size) };
    unsigned char *copy = malloc(len ? len : 1);
    enum status st;

    assert_non_null(dg.err);
    assert_non_null(copy);
    memcpy(copy, text, len);
    *f = (struct tensor_file){ .input = { .path = "t.json", .data = copy, .len = len } };
    st = tensor_json_read(f, type, sharing->threads, sharing->piece, &dg);
    fclose(dg.err);
    free(copy);
    if (st)
        assert_null(f->values);
    return st;
}

static enum tensor_format expected = FORMAT_JSON;

/* The text is a tensor of this type, these sizes ("{2,2}") and these bytes. */
static void accept_once(const char *text, enum dtype type, enum dtype want, const char *sizes,
                        const void *bytes, size_t n)
{
    char *message;
    struct tensor_file f;

    if (read_text(&f, text, type, &message) != ST_OK)
        fail_msg("%s: %s", text, message);
    assert_int_equal(f.tensor.type, want);
    assert_string_equal(tensor_sizes_text(f.tensor.rank, f.tensor.sizes).text, sizes);
    assert_int_equal(f.format, expected);
    assert_int_equal(f.typed, strchr(text, '{') != NULL);
    assert_int_equal(f.count * dtype_size(want), n);
    assert_true(tensor_is_packed(&f.tensor));
    assert_ptr_equal(f.tensor.data, f.values);
    if (n && memcmp(f.values, bytes, n) != 0)
        fail_msg("%s: other values", text);
    free(f.values);
    free(message);
}

/* The same, however it is shared out. */
static void accept_as(const char *text, enum dtype type, enum dtype want, const char *sizes,
                      const void *bytes, size_t n)
{
    for (size_t i = 0; i < ARRAY_LEN(sharings); i++) {
        sharing = &sharings[i];
        accept_once(text, type, want, sizes, bytes, n);
    }
    sharing = sharings;
}

/* Values of a type, which is asked for; which the text or its numbers have; or another that is. */
#define BYTES(ctype, ...) \
    (const ctype[]){ __VA_ARGS__ }, sizeof((const ctype[]){ __VA_ARGS__ })
#define ACCEPT(text, type, sizes, ...) accept_as(text, type, type, sizes, BYTES(__VA_ARGS__))
#define INFER(text, type, sizes, ...) accept_as(text, DT_NONE, type, sizes, BYTES(__VA_ARGS__))
#define ACCEPT_AS(text, type, want, sizes, ...) \
    accept_as(text, type, want, sizes, BYTES(__VA_ARGS__))

/* Refused as ST_INPUT, with this message after the file's name, "LINE:COLUMN: " being a place. */
static void refuse_once(const char *text, enum dtype type, const char *want)
{
    unsigned line, column;
    int place;
    struct tensor_file f;
    char *message, whole[400];

    if (sscanf(want, "%u:%u: %n", &line, &column, &place) == 2)
        snprintf(whole, sizeof whole, "dmlop: t.json: line %u, column %u: %s", line, column,
                 want + place);
    else
        snprintf(whole, sizeof whole, "dmlop: t.json: %s", want);
    if (read_text(&f, text, type, &message) != ST_INPUT)
        fail_msg("accepted: %s", text);
    message[strcspn(message, "\n")] = '\0';
    if (strcmp(message, whole) != 0)
        fail_msg("%s\n  says     %s\n  and not  %s", text, message, whole);
    free(message);
}

static void refuse_as(const char *text, enum dtype type, const char *want)
{
    for (size_t i = 0; i < ARRAY_LEN(sharings); i++) {
        sharing = &sharings[i];
        refuse_once(text, type, want);
    }
    sharing = sharings;
}

static void refuse(const char *text, const char *want) { refuse_as(text, DT_NONE, want); }

enum { MANY = 10000000 };

/* A text of MANY numbers of 6 bytes each that suit every type. */
static void write_many(const char *before, const char *after)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(before, file);
    for (int i = 0; i < MANY; i++)
        fprintf(file, "%d.0%c", 100 + i % 28, i + 1 < MANY ? ',' : ']');
    fputs(after, file);
    assert_int_equal(fclose(file), 0);
}

/* The most memory that a process which reads the file holds, in bytes. */
static size_t peak_of(enum dtype type, enum dtype want)
{
    struct rusage usage;
    int status;
    pid_t child = fork();

    if (child == 0) {
        struct diag dg = { .err = stderr };
        struct tensor_file f = { 0 };
        const char *last;

        if (tensor_file_read(&f, path, type, 0, &dg) != ST_OK || f.count != MANY ||
            f.tensor.type != want)
            _exit(1);
        last = (const char *)f.values + (MANY - 1) * dtype_size(want);
        if (dtype_table[want].kind != KIND_FLOAT &&
            element_load(last, dtype_table[want].width_log2) != 100 + (MANY - 1) % 28)
            _exit(2);
        tensor_file_close(&f);
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    return (size_t)usage.ru_maxrss * 1024;
}

/* A text of 60 MB takes at most twice its size. First: it forks, and GCC's OpenMP cannot go on in a
 * fork of threads. */
TEST(test_memory)
{
    if (!MAY_MEASURE)
        skip();
    write_many("[", "");
    for (enum dtype type = DT_NONE + 1; type < DT_COUNT; type += random_all() ? 1 : 4) {
        size_t peak = peak_of(type, type);

        if (peak > (size_t)2 * 6 * MANY)
            fail_msg("%s: %zu bytes", dtype_name(type), peak);
    }
    write_many("{\"Sizes\":[1000,10000],\"Values\":[", ",\"DataType\":\"FLOAT64\"}");
    if (peak_of(DT_NONE, DT_FLOAT64) > (size_t)2 * 6 * MANY)
        fail_msg("Values before DataType takes too much");
    unlink(path);
}

TEST(test_arrays)
{
    INFER("[[1, 2.5], [3, -4e2]]", DT_FLOAT32, "{2,2}", float, 1, 2.5f, 3, -400);
    ACCEPT("[1,2,3]", DT_INT8, "{3}", int8_t, 1, 2, 3);
    ACCEPT("[1e2,4.0,-0,-1200e-2]", DT_INT16, "{4}", int16_t, 100, 4, 0, -12);
    ACCEPT("[[[1],[2]]]", DT_UINT32, "{1,2,1}", uint32_t, 1, 2);
    ACCEPT("\xef\xbb\xbf// x\n[[1,/*[*/2,],\n[3,4]\t,] // end", DT_UINT8, "{2,2}", uint8_t, 1, 2, 3,
           4);
    ACCEPT("7", DT_INT32, "{}", int32_t, 7);
    ACCEPT("[127,-128]", DT_INT8, "{2}", int8_t, 127, -128);
    ACCEPT("[255,0]", DT_UINT8, "{2}", uint8_t, 255, 0);
    ACCEPT("[32767,-32768]", DT_INT16, "{2}", int16_t, 32767, -32768);
    ACCEPT("[65535]", DT_UINT16, "{1}", uint16_t, 65535);
    ACCEPT("[2147483647,-2147483648]", DT_INT32, "{2}", int32_t, INT32_MAX, INT32_MIN);
    ACCEPT("[4294967295]", DT_UINT32, "{1}", uint32_t, UINT32_MAX);
    ACCEPT("[9223372036854775807,-9223372036854775808,9007199254740993]", DT_INT64, "{3}", int64_t,
           INT64_MAX, INT64_MIN, 9007199254740993);
    ACCEPT("[18446744073709551615,9007199254740993]", DT_UINT64, "{2}", uint64_t, UINT64_MAX,
           9007199254740993);
    ACCEPT("[0.1,1e-400,-1e-400]", DT_FLOAT64, "{3}", double, 0.1, 0.0, -0.0);
    ACCEPT("[1,65504,-0.0,2049]", DT_FLOAT16, "{4}", uint16_t, 0x3c00, 0x7bff, 0x8000, 0x6800);
    accept_as("[]", DT_NONE, DT_FLOAT32, "{0}", NULL, 0);
    accept_as("[[],[],[]]", DT_INT8, DT_INT8, "{3,0}", NULL, 0);
    accept_as("[[[]]]", DT_INT8, DT_INT8, "{1,1,0}", NULL, 0);
}

TEST(test_special_values)
{
    ACCEPT("[NaN,Infinity,-Infinity,\"nan\",\"inf\",\"-inf\"]", DT_FLOAT32, "{6}", uint32_t,
           0x7fc00000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800000, 0xff800000);
    ACCEPT("[NaN,Infinity,-Infinity]", DT_FLOAT16, "{3}", uint16_t, 0x7e00, 0x7c00, 0xfc00);
    ACCEPT("[\"NaN\",\"INF\",\"-Inf\",1,\"\\u004ean\"]", DT_FLOAT32, "{5}", uint32_t, 0x7fc00000,
           0x7f800000, 0xff800000, 0x3f800000, 0x7fc00000);
    refuse("[\"+inf\"]", "1:2: [0]: expected a number or an array, found the string \"+inf\"");
    refuse("[\"Infinity\"]",
           "1:2: [0]: expected a number or an array, found the string \"Infinity\"");
    ACCEPT("[\"nan\",\"inf\",\"-inf\"]", DT_FLOAT64, "{3}", uint64_t, 0x7ff8000000000000,
           0x7ff0000000000000, 0xfff0000000000000);
    INFER("\"\\u006ean\"", DT_FLOAT32, "{}", uint32_t, 0x7fc00000);
    refuse_as("[1,NaN]", DT_INT32, "1:4: [1]: NaN is outside INT32, which is an integer type");
    refuse_as("[\"-inf\"]", DT_UINT8,
              "1:2: [0]: \"-inf\" is outside UINT8, which is an integer type");
    refuse("[\"NaNs\"]", "1:2: [0]: expected a number or an array, found the string \"NaNs\"");
    refuse("[-NaN]", "1:2: [0]: expected a number or an array, found '-NaN'");
    ACCEPT("[0,nan,inf,-inf,INFINITY,-infinity]", DT_FLOAT16, "{6}", uint16_t, 0, 0x7e00, 0x7c00,
           0xfc00, 0x7c00, 0xfc00);
    refuse("[0,nano]", "1:4: [1]: expected a number, found 'nano'");
    refuse("[0,infinite]", "1:4: [1]: expected a number, found 'infinite'");
}

TEST(test_objects)
{
    ACCEPT_AS("{ \"DataType\": \"INT8\", \"Sizes\": [2, 2], \"Values\": [[1, 2], [3, 4]] }",
              DT_FLOAT32, DT_INT8, "{2,2}", int8_t, 1, 2, 3, 4);
    INFER("{\"DataType\":\"DML_TENSOR_DATA_TYPE_UINT16\",\"Sizes\":[2,1,2],\"Values\":[1,2,3,4]}",
          DT_UINT16, "{2,1,2}", uint16_t, 1, 2, 3, 4);
    INFER("{\"Values\":[[1,2.0]],/**/\"Sizes\":[1,2,],\"DataType\":\"INT64\",}", DT_INT64, "{1,2}",
          int64_t, 1, 2);
    ACCEPT_AS("{\"Values\":[1,NaN],\"DataType\":\"FLOAT16\",\"Sizes\":[1,2]}", DT_INT8, DT_FLOAT16,
              "{1,2}", uint16_t, 0x3c00, 0x7e00);
    INFER("{\"Sizes\":[],\"Data\\u0054ype\":\"FLOAT32\",\"Values\":5}", DT_FLOAT32, "{}", float, 5);
    INFER("{\"Sizes\":[],\"DataType\":\"FLOAT32\",\"Values\":[5]}", DT_FLOAT32, "{}", float, 5);
    INFER("{\"Sizes\":[3],\"DataType\":\"UINT8\",\"Values\":[5,6,7]}", DT_UINT8, "{3}", uint8_t, 5,
          6, 7);
    accept_as("{\"Sizes\":[2,0,3],\"DataType\":\"UINT8\",\"Values\":[]}", DT_NONE, DT_UINT8,
              "{2,0,3}", NULL, 0);
    accept_as("{\"Sizes\":[2,0,3],\"DataType\":\"UINT8\",\"Values\":[[],[]]}", DT_NONE, DT_UINT8,
              "{2,0,3}", NULL, 0);
    accept_as("{\"Sizes\":[0,3],\"DataType\":\"UINT8\",\"Values\":[]}", DT_NONE, DT_UINT8, "{0,3}",
              NULL, 0);
}

TEST(test_refused_nesting)
{
    refuse("[[1,2],[3]]", "1:10: [1]: too few elements: this array has 1, the one before it 2");
    refuse("[[1,2],\n [3,4,5]]", "2:7: [1][2]: too many elements: the array before this one has 2");
    refuse("[[1],[]]", "1:7: [1]: too few elements: this array has 0, the one before it 1");
    refuse("[[],[1]]", "1:6: [1][0]: too many elements: the array before this one has 0");
    refuse("[[[1],[2]],[[3]]]",
           "1:16: [1]: too few elements: this array has 1, the one before it 2");
    refuse("[1,[2]]", "1:4: [1]: expected a number like the one before it, found an array");
    refuse("[[1],2]", "1:6: [1]: expected an array like the one before it, found the number 2");
    refuse("[[[1]],[2]]",
           "1:9: [1][0]: expected an array like the one before it, found the number 2");
    refuse("[[],[[]]]", "1:6: [1][0]: too many elements: the array before this one has 0");
    refuse("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
           "1:33: "
           "[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]"
           "[0][0][0]: arrays are nested more than 32 levels deep");
    refuse_as("[true]", DT_UINT8, "1:2: [0]: expected a number or an array, found 'true'");
    refuse("[0,null]", "1:4: [1]: expected a number, found 'null'");
    refuse("[{}]", "1:2: [0]: expected a number or an array, found '{'");
    refuse("[1,,2]", "1:4: [1]: expected a number, found ','");
    refuse("[,]", "1:2: [0]: expected a number or an array, found ','");
    refuse("[1 2]", "1:4: [0]: expected ',' or ']' after an element, found the number 2");
    refuse("[[1],[2",
           "1:8: [1][0]: expected ',' or ']' after an element, found the end of the text");
    refuse("[1] 2", "1:5: expected nothing more after the tensor, found the number 2");
    refuse("[1]]", "1:4: expected nothing more after the tensor, found ']'");
    refuse("hello", "1:1: expected a tensor: an array of numbers, or an object with DataType, "
                    "Sizes and Values, found 'hello'");
    refuse("", "1:1: expected a tensor: an array of numbers, or an object with DataType, Sizes and "
               "Values, found the end of the text");
}

TEST(test_csv)
{
    expected = FORMAT_CSV;
    INFER("1,2\n3,4\n", DT_INT64, "{2,2}", int64_t, 1, 2, 3, 4);
    INFER("\xef\xbb\xbf"
          "a;b\r\n\r\n 1;2\r\n3 ;-4",
          DT_INT64, "{2,2}", int64_t, 1, 2, 3, -4);
    ACCEPT("# x y\n1 2 \n\n\n \n 3\t 4 \n#5 6\n\n # y", DT_INT8, "{2,2}", int8_t, 1, 2, 3, 4);
    INFER(",a,b\n0,1,2\n", DT_INT64, "{3}", int64_t, 0, 1, 2);
    INFER("1\n2\n3", DT_INT64, "{3}", int64_t, 1, 2, 3);
    INFER("x\n5", DT_INT64, "{}", int64_t, 5);
    ACCEPT("#\n5", DT_FLOAT32, "{}", float, 5);
    INFER("1, 2,3", DT_INT64, "{3}", int64_t, 1, 2, 3);
    INFER("9223372036854775807,-9223372036854775808", DT_INT64, "{2}", int64_t, INT64_MAX,
          INT64_MIN);
    INFER("1\n2\n18446744073709551615\n4", DT_UINT64, "{4}", uint64_t, 1, 2, UINT64_MAX, 4);
    INFER("1\n2\n9007199254740992\n9223372036854775808\n0.5", DT_FLOAT64, "{5}", double, 1, 2,
          9007199254740992, 9223372036854775808.0, 0.5);
    INFER("1\n9223372036854775808\n3\n-3\n", DT_FLOAT64, "{4}", double, 1, 9223372036854775808.0, 3,
          -3);
    INFER("1\n-9007199254740992\n-0\n1e2", DT_FLOAT64, "{4}", double, 1, -9007199254740992, -0.0,
          100);
    INFER("0.5\n1.00000000000000000001\n-9007199254740994\n", DT_FLOAT64, "{3}", double, 0.5, 1,
          -9007199254740994);
    INFER("1 2\r3 4\r\n\r5 6", DT_INT64, "{3,2}", int64_t, 1, 2, 3, 4, 5, 6);
    INFER("\"x, y\", z\n\"1\" ,-2\n", DT_INT64, "{2}", int64_t, 1, -2);
    ACCEPT("1.#INF\n-1.#inf00\n1.#QNAN\n-1.#IND\nnan(ind)\n", DT_FLOAT16, "{5}", uint16_t, 0x7c00,
           0xfc00, 0x7e00, 0x7e00, 0x7e00);
    INFER("4\nnan\nINF\n-Infinity\n+inf", DT_FLOAT64, "{5}", uint64_t, 0x4010000000000000,
          0x7ff8000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000000);
    INFER("+1 007 -007\n.5 5. +.5e1", DT_FLOAT64, "{2,3}", double, 1, 7, -7, 0.5, 5, 5);
    INFER("+1 007 -007", DT_INT64, "{3}", int64_t, 1, 7, -7);
    ACCEPT("0.1 1e2", DT_FLOAT16, "{2}", uint16_t, 0x2e66, 0x5640);
    expected = FORMAT_TSV;
    INFER("a b\tc\n1\t2\n", DT_INT64, "{2}", int64_t, 1, 2);
    expected = FORMAT_JSON;
    INFER("5\n", DT_FLOAT32, "{}", float, 5);
}

TEST(test_refused_csv)
{
    static const char other[] =
        ", is not a number; write nan where one is missing, and leave out text";
    static const char first[] = ", is not a number; write nan where one is missing, and leave out "
                                "text; to leave out this line: --skip-lines 1";
    static const char point[] = ", is not a number; write decimal points, and no commas between "
                                "thousands";
    static const char comment[] = "; write nan where a number is missing; a comment begins with "
                                  "'# ', before the first row of numbers or after the last";
    static const char few[] = "this line has 1 cell, and the first line of numbers 2; write nan "
                              "where a number is missing";
    static const char many[] = "this line has 3 cells, and the first line of numbers 2";
    static const char empty[] = "cell 2 is empty; write nan where a number is missing, which topk "
                                "--nan last puts last, or end "
                                "the lines without a separator";
    static const struct {
        const char *text;
        enum dtype type;
        const char *position, *what, *remedy;
    } cases[] = {
        { "1,2\n3,4\n5\n", DT_NONE, "3:2: ", few, "" },
        { "1 2\n3 4 5\n", DT_NONE, "2:5: ", many, "" },
        { "1,2\n3,4,5\n", DT_NONE, "2:5: ", many, "" },
        { "a,b\n1,\n", DT_NONE, "2:3: ", empty, "" },
        { "1,2\n3,\n", DT_NONE, "2:3: ", empty, "" },
        { "1,2\n3,x\xc3\xa9\xff\n", DT_NONE, "2:3: ", "cell 2, 'x\xc3\xa9\\xff'", other },
        { "1,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n2,3\n", DT_NONE,
          "1:3: ", "cell 2, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'", first },
        { "1 2\n3 1x\n", DT_FLOAT32, "2:3: ", "cell 2, '1x'", other },
        { "1 2\n3 -\n", DT_FLOAT32, "2:3: ", "cell 2, '-'", other },
        { "1,2\nx,3\n", DT_NONE, "2:1: ", "cell 1, 'x'", other },
        { "1;2\n3,5;4\n", DT_NONE, "2:1: ", "cell 1, '3,5'", point },
        { "1,2\n# c\n3,4\n", DT_NONE, "2:1: ", "cell 1, '# c', is not a number", comment },
        { "1 2\n3 4 #c\n", DT_NONE, "2:5: ", many, comment },
        { "1\r\n#N/A\r\n", DT_NONE, "2:1: ", "cell 1, '#N/A', is not a number", comment },
        { "1;2\n#Н/Д;3\n", DT_NONE, "2:1: ", "cell 1, '#Н/Д', is not a number", comment },
        { "1;2\n#####;3\n# c\n", DT_NONE, "2:1: ", "cell 1, '#####', is not a number", comment },
        { "1\n#HIÁNYZIK\n", DT_NONE, "2:1: ", "cell 1, '#HIÁNYZIK', is not a number", comment },
        { "1\n2\n-3\n18446744073709551615\n", DT_NONE,
          "4:1: ", "no type holds 18446744073709551615", NULL },
        { "1\n18446744073709551615\n3\n-3\n", DT_NONE, "4:1: ", "no type holds -3", NULL },
        { "9007199254740993\n0.5\n", DT_NONE, "2:1: ", "no type holds 0.5", NULL },
        { "0.5\n-9007199254740993\n", DT_NONE, "2:1: ", "no type holds -9007199254740993", NULL },
        { "1\n-9223372036854775809\n", DT_NONE, "2:1: ", "no type holds -9223372036854775809",
          NULL },
        { "1\n\n18446744073709551616\n", DT_NONE, "3:1: ", "no type holds 18446744073709551616",
          NULL },
        { "1\n128\n", DT_INT8, "2:1: ", "128 is outside INT8, -128 to 127", "" },
        { "1\nnan\n", DT_INT8, "2:1: ", "nan is outside INT8, which is an integer type", "" },
        { "1\n0.5\n", DT_INT8,
          "2:1: ", "0.5 is not a whole number, and INT8 holds only whole numbers", "" },
        { "1\n1e999\n", DT_NONE, "2:1: ", "1e999 is too large for FLOAT64", "" },
    };
    char want[300];

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *remedy = cases[i].remedy;

        snprintf(want, sizeof want, "%s%s%s", cases[i].position, cases[i].what,
                 remedy
                     ? remedy
                     : " and the whole numbers before it as they are; --dtype float64 rounds them");
        refuse_as(cases[i].text, cases[i].type, want);
    }
}

#define TITLED(sizes, type, values) "x.npy: (Sizes:" sizes ", DataType:" type ")\n" values

TEST(test_titled)
{
    ACCEPT_AS(TITLED("{1,2}", "FLOAT32", "[[1  , 2.5]]\n"), DT_INT8, DT_FLOAT32, "{1,2}", float, 1,
              2.5f);
    INFER("InputTensor:\n(Sizes:{2, 2},\n DataType:INT64)\n\n{{ 1,-9223372036854775808},\n {3, 4}}",
          DT_INT64, "{2,2}", int64_t, 1, INT64_MIN, 3, 4);
    INFER("<stdin>: (Sizes:{4}, DataType:FLOAT16)\r\n[nan, inf,\r\n -inf, -0.0]\r\n", DT_FLOAT16,
          "{4}", uint16_t, 0x7e00, 0x7c00, 0xfc00, 0x8000);
    INFER(TITLED("{}", "UINT8 (bool)", "1"), DT_UINT8, "{}", uint8_t, 1);
    accept_as(TITLED("{0,3}", "INT8", "[]"), DT_NONE, DT_INT8, "{0,3}", NULL, 0);
    refuse(TITLED("{8}", "INT8", "[1, 2, 3, ..., 6, 7, 8]"),
           "2:11: [3]: \"...\" stands for elements that this text does not show; print them all "
           "with: dmlop show --all");
    refuse(TITLED("{2}", "INT8", "[1, 2]\n\ny: (Sizes:{1})"),
           "4:1: more text follows the tensor; each tensor needs a file of its own");
    refuse(TITLED("{2,2}", "INT8", "[1, 2]"),
           "2:1: Values has 2 elements, but Sizes {2,2} needs 4");
    refuse(TITLED("{1}", "INT7", "[1]"), "1:29: DataType: INT7 is unknown; did you mean \"INT8\"?");
    refuse(TITLED("{1}", "INT8 (bool)", "[1]"), "1:34: expected ')', found '('");
    refuse(TITLED("1", "INT8", "[1]"), "1:15: expected '{', found the number 1");
    refuse("x: (Sizes:{1} DataType:INT8) [1]", "1:15: expected ',', found 'DataType'");
    refuse(TITLED("{1}", "INT8", "[nan]"),
           "2:2: [0]: nan is outside INT8, which is an integer type");
    refuse("[1] // x: (Sizes:{1}, DataType:INT8) [1]\n[2]",
           "2:1: expected nothing more after the tensor, found '['");
}

/* A text of many windows, most of which are dropped as they have been read. */
TEST(test_place_after_dropped_text)
{
    enum { LINES = 1000 };
    static char text[LINES * 20 + 20];
    char *p = text + sprintf(text, "[");

    for (int i = 0; i < LINES; i++)
        p += sprintf(p, "[1, 2],[ 3, 4],\n");
    sprintf(p, "[5, 6],[7, x]]");
    refuse(text, "1001:12: [2001][1]: expected a number, found 'x'");
    p = text;
    for (int i = 0; i < LINES; i++)
        p += sprintf(p, i % 3 == 0 ? "\n" : i == 500 ? "1,.5\n" : "1,2\n");
    sprintf(p, "5,");
    refuse(text, "1001:3: cell 2 is empty; write nan where a number is missing, which topk "
                 "--nan last puts last, or end the lines without a separator");
}

TEST(test_refused_values)
{
    refuse_as("[[1],\n [128]]", DT_INT8, "2:3: [1][0]: 128 is outside INT8, -128 to 127");
    refuse_as("[-129]", DT_INT8, "1:2: [0]: -129 is outside INT8, -128 to 127");
    refuse_as("[-1]", DT_UINT16, "1:2: [0]: -1 is outside UINT16, 0 to 65535");
    refuse_as("[4294967296]", DT_UINT32, "1:2: [0]: 4294967296 is outside UINT32, 0 to 4294967295");
    refuse_as("[-2147483649]", DT_INT32,
              "1:2: [0]: -2147483649 is outside INT32, -2147483648 to 2147483647");
    refuse_as("[18446744073709551616]", DT_UINT64,
              "1:2: [0]: 18446744073709551616 is outside UINT64, 0 to 18446744073709551615");
    refuse_as("[9223372036854775808]", DT_INT64,
              "1:2: [0]: 9223372036854775808 is outside INT64, -9223372036854775808 to "
              "9223372036854775807");
    refuse_as("[0,1.5]", DT_INT32,
              "1:4: [1]: 1.5 is not a whole number, and INT32 holds only whole numbers");
    refuse_as("[3.4028236e38]", DT_FLOAT32, "1:2: [0]: 3.4028236e38 is too large for FLOAT32");
    refuse_as("[-65520]", DT_FLOAT16, "1:2: [0]: -65520 is too large for FLOAT16");
    refuse_as("[1e309]", DT_FLOAT64, "1:2: [0]: 1e309 is too large for FLOAT64");
    refuse_as("[100000000000000000000000000000000000000000000000000001]", DT_INT8,
              "1:2: [0]: 1000000000000000000000000000000000000000... is outside INT8, -128 to 127");
    refuse("[1,\n01]", "2:1: [1]: a number must not have leading zeros");
    refuse("[1,2.]", "1:6: [1]: expected a digit after '.', found ']'");
    refuse("[\xc3\xa9]", "1:2: [0]: expected a number or an array, found '\xc3\xa9' (U+00E9)");
    refuse("[1 /* ]", "1:4: [0]: this comment has no closing */");
}

#define OBJECT(sizes, values) "{\"DataType\":\"INT8\",\"Sizes\":" sizes ",\"Values\":" values "}"

TEST(test_refused_objects)
{
    refuse(OBJECT("[3,2]", "[[1,2,3],[4,5,6]]"),
           "1:43: Values is nested as {2,3}, but Sizes is {3,2}");
    refuse(OBJECT("[2,2]", "[1,2,3]"), "1:43: Values has 3 elements, but Sizes {2,2} needs 4");
    refuse(OBJECT("[2,2]", "[1,2,3,4,5]"), "1:43: Values has 5 elements, but Sizes {2,2} needs 4");
    refuse(OBJECT("[3]", "[[1,2,3]]"), "1:41: Values is nested as {1,3}, but Sizes is {3}");
    refuse(OBJECT("[1]", "1"), "1:41: Values is nested as {}, but Sizes is {1}");
    refuse(OBJECT("[2,0]", "[[]]"), "1:43: Values is nested as {1,0}, but Sizes is {2,0}");
    refuse(OBJECT("[4294967296,4294967296]", "[1]"),
           "1:61: Values has 1 element, but Sizes {4294967296,4294967296} needs more than 2^64");
    refuse(
        OBJECT("[18446744073709551615]", "[1]"),
        "1:60: Values has 1 element, but Sizes {18446744073709551615} needs 18446744073709551615");
    refuse(OBJECT("[0,9223372036854775808,4]", "[]"), "the tensor's sizes are too large");
    refuse(OBJECT("[2]", "[1,300]"), "1:44: Values[1]: 300 is outside INT8, -128 to 127");
    refuse("{\"Values\":[[1],\n[300]],\"DataType\":\"INT8\",\"Sizes\":[2,1]}",
           "2:2: Values[1][0]: 300 is outside INT8, -128 to 127");
    refuse("{\"Values\":[1,NaN],\"DataType\":\"INT8\",\"Sizes\":[2]}",
           "1:14: Values[1]: NaN is outside INT8, which is an integer type");
    refuse("{\"Values\":[1,tru],\"DataType\":\"INT8\",\"Sizes\":[2]}",
           "1:14: Values[1]: expected a number, found 'tru'");
    refuse(OBJECT("[-1]", "[1]"), "1:29: Sizes[0]: expected a whole number of 0 or more, found -1");
    refuse(OBJECT("[2,2.0]", "[1]"),
           "1:31: Sizes[1]: expected a whole number of 0 or more, found 2.0");
    refuse(OBJECT("[\"2\"]", "[1]"), "1:29: expected a size or ']', found the string \"2\"");
    refuse(OBJECT("2", "[1]"), "1:28: expected an array of sizes, found the number 2");
    refuse(OBJECT("[1 1]", "[1]"), "1:31: expected ',' or ']' after a size, found the number 1");
    refuse(OBJECT("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[1]"),
           "1:93: Sizes has more than 32 entries");
    refuse("{\"DataType\":\"INT9\"}",
           "1:13: DataType: \"INT9\" is unknown; did you mean \"INT8\"?");
    refuse("{\"DataType\":\"UNKNOWN\"}",
           "1:13: DataType: \"UNKNOWN\" is unknown; use one of FLOAT32 FLOAT16 FLOAT64 INT8 INT16 "
           "INT32 INT64 UINT8 UINT16 UINT32 UINT64");
    refuse("{\"DataType\":8}",
           "1:13: expected the name of a data type, such as \"FLOAT32\", found the number 8");
    refuse("{\"DataType\":\"INT8\",\"Sizes\":[1]}",
           "1:31: Values is missing; a tensor object has DataType, Sizes and Values");
    refuse("{}", "1:2: DataType is missing; a tensor object has DataType, Sizes and Values");
    refuse("{\"Values\":[1],\"DataType\":\"INT8\"}",
           "1:32: Sizes is missing; a tensor object has DataType, Sizes and Values");
    refuse("{\"Sizes\":[1],\n\"\\u0053izes\":[1]}", "2:1: the key \"\\u0053izes\" appears twice");
    refuse("{\"values\":[1]}", "1:2: unknown key \"values\"; did you mean \"Values\"?");
    refuse("{\"Size\":[1]}", "1:2: unknown key \"Size\"; did you mean \"Sizes\"?");
    refuse("{\"type\":1}",
           "1:2: unknown key \"type\"; a tensor object has DataType, Sizes and Values");
    refuse("{Sizes:[1]}", "1:2: expected a key in double quotes, or '}', found 'Sizes'");
    refuse("{\"Sizes\" [1]}", "1:10: expected ':' after a key, found '['");
    refuse("{\"Sizes\":[1] \"Values\":1}",
           "1:14: expected ',' or '}' after a member, found the string \"Values\"");
    refuse(OBJECT("[1]", "[1]") " x", "1:46: expected nothing more after the tensor, found 'x'");
    refuse(OBJECT("[1]", "{}"), "1:41: Values: expected a number or an array, found '{'");
}

/* Writes t to a file, in pieces of at most so many bytes, and reads its text back (free it). */
static char *write_pieces(const struct tensor *t, int threads, size_t piece)
{
    struct diag dg = { .err = stderr };
    struct outputs outs = { .no_sync = true };
    struct str text = { 0 };
    char block[4096];
    size_t n;
    FILE *file;

    assert_int_equal(outputs_add(&outs, path, &dg), ST_OK);
    assert_int_equal(tensor_json_write(outs.v[0], t, threads, piece, &dg), ST_OK);
    assert_int_equal(outputs_commit(&outs, &dg), ST_OK);
    outputs_close(&outs);
    file = fopen(path, "r");
    assert_non_null(file);
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        str_add(&text, block, n);
    fclose(file);
    unlink(path);
    assert_false(text.failed);
    return str_detach(&text);
}

/* The same; the text does not depend on pieces. */
static char *write_text(const struct tensor *t)
{
    char *text = write_pieces(t, 1, TENSOR_JSON_PIECE),
         *again = write_pieces(t, 1 + (int)(random64() % 2), random64() % 400);

    assert_string_equal(text, again);
    free(again);
    return text;
}

static struct tensor packed(enum dtype type, unsigned rank, const uint64_t *sizes, void *data)
{
    struct tensor t = { .type = type, .rank = rank, .data = data };

    if (rank)
        memcpy(t.sizes, sizes, rank * sizeof *sizes);
    assert_true(tensor_pack_strides(rank, t.sizes, t.strides));
    return t;
}

static void check_text(const struct tensor *t, const char *want)
{
    char *text = write_text(t);

    assert_string_equal(text, want);
    free(text);
}

TEST(test_layout)
{
    float a[] = { 14, 16, 6, 8, -0.0f, 0.1f, 1e20f, 1e-7f };
    uint32_t special[] = { 0x7fc00001, 0xffc00000, 0x7f800000, 0xff800000 };
    uint16_t half[] = { 0x7e01, 0x7c00, 0xfc00, 0x3555, 0xfe00 };
    uint8_t flags[] = { 1, 0 };
    struct tensor t = packed(DT_FLOAT32, 4, (uint64_t[]){ 1, 1, 2, 2 }, a);

    check_text(&t, "{\n  \"DataType\": \"FLOAT32\",\n  \"Sizes\": [1, 1, 2, 2],\n"
                   "  \"Values\": [[[[14, 16],\n               [6, 8]]]]\n}\n");
    t = packed(DT_FLOAT32, 3, (uint64_t[]){ 2, 2, 2 }, a);
    check_text(&t, "{\n  \"DataType\": \"FLOAT32\",\n  \"Sizes\": [2, 2, 2],\n"
                   "  \"Values\": [[[14, 16],\n              [6, 8]],\n             [[-0.0, "
                   "0.1],\n              [1e20, 1e-7]]]\n}\n");
    t = packed(DT_FLOAT32, 1, (uint64_t[]){ 4 }, special);
    check_text(&t, "{\n  \"DataType\": \"FLOAT32\",\n  \"Sizes\": [4],\n"
                   "  \"Values\": [\"nan\", \"nan\", \"inf\", \"-inf\"]\n}\n");
    t = packed(DT_FLOAT16, 1, (uint64_t[]){ 5 }, half);
    check_text(&t, "{\n  \"DataType\": \"FLOAT16\",\n  \"Sizes\": [5],\n"
                   "  \"Values\": [\"nan\", \"inf\", \"-inf\", 0.3333, \"nan\"]\n}\n");
    t = packed(DT_UINT8, 2, (uint64_t[]){ 2, 1 }, flags);
    t.is_bool = true;
    check_text(&t, "{\n  \"DataType\": \"UINT8\",\n  \"Sizes\": [2, 1],\n  \"Values\": [[1],\n     "
                   "        [0]]\n}\n");
    t = packed(DT_INT8, 0, NULL, (int8_t[]){ -5 });
    check_text(&t, "{\n  \"DataType\": \"INT8\",\n  \"Sizes\": [],\n  \"Values\": -5\n}\n");
    t = packed(DT_INT8, 3, (uint64_t[]){ (uint64_t)1 << 40, 0, 3 }, NULL);
    check_text(
        &t,
        "{\n  \"DataType\": \"INT8\",\n  \"Sizes\": [1099511627776, 0, 3],\n  \"Values\": []\n}\n");
}

TEST(test_strided)
{
    int16_t a[] = { 1, 2, 3, 4, 5, 6 };
    struct tensor t = packed(DT_INT16, 2, (uint64_t[]){ 3, 2 }, a);

    t.strides[0] = 1; /* transposed */
    t.strides[1] = 3;
    check_text(&t, "{\n  \"DataType\": \"INT16\",\n  \"Sizes\": [3, 2],\n"
                   "  \"Values\": [[1, 4],\n             [2, 5],\n             [3, 6]]\n}\n");
    t.strides[0] = 0; /* broadcast */
    t.strides[1] = 2;
    check_text(&t, "{\n  \"DataType\": \"INT16\",\n  \"Sizes\": [3, 2],\n"
                   "  \"Values\": [[1, 3],\n             [1, 3],\n             [1, 3]]\n}\n");
}

/* Whether two elements are the same, NaN's payload aside. */
static bool same(enum dtype type, const void *a, const void *b)
{
    double x, y;
    float f, g;
    uint16_t h, i;

    if (memcmp(a, b, dtype_size(type)) == 0)
        return true;
    switch (type) {
    case DT_FLOAT64:
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return isnan(x) && isnan(y);
    case DT_FLOAT32:
        memcpy(&f, a, sizeof f);
        memcpy(&g, b, sizeof g);
        return isnan(f) && isnan(g);
    case DT_FLOAT16:
        memcpy(&h, a, sizeof h);
        memcpy(&i, b, sizeof i);
        return (h & 0x7fff) > 0x7c00 && (i & 0x7fff) > 0x7c00;
    default: return false;
    }
}

static void check_return(const struct tensor *t)
{
    char *text = write_text(t), *message;
    uint64_t c[TENSOR_MAX_RANK] = { 0 }, count, i = 0;
    struct tensor_file f;

    sharing = &sharings[random64() % ARRAY_LEN(sharings)];
    if (read_text(&f, text, DT_NONE, &message) != ST_OK)
        fail_msg("%s", message);
    assert_int_equal(f.tensor.type, t->type);
    assert_int_equal(f.tensor.rank, t->rank);
    assert_memory_equal(f.tensor.sizes, t->sizes, sizeof t->sizes);
    assert_true(tensor_count(t->rank, t->sizes, &count));
    assert_int_equal(f.count, count);
    for (; i < count; i++, tensor_next(t->rank, t->sizes, c))
        assert_true(same(t->type, tensor_at(t, c), tensor_at(&f.tensor, c)));
    free(f.values);
    free(message);
    free(text);
}

/* Random bits of all types, shapes with sizes of 0 and 1, strides. */
TEST(test_return)
{
    static uint64_t data[4096];

    for (size_t i = 0; i < ARRAY_LEN(data); i++)
        data[i] = random64();
    for (int k = 0; k < 500; k++) {
        struct tensor t = { .type = (enum dtype)(1 + k % (DT_COUNT - 1)), .data = data };

        t.rank = k % 50 == 0 ? TENSOR_MAX_RANK : (unsigned)(random64() % 6);
        for (unsigned i = 0; i < t.rank; i++)
            t.sizes[i] = k % 17 == 0 ? random64() % 3 : t.rank > 6 ? 1 : 1 + random64() % 5;
        assert_true(tensor_pack_strides(t.rank, t.sizes, t.strides));
        t.data = (char *)data + random64() % 64 * dtype_size(t.type);
        if (t.rank > 1 && t.rank < 6 && k % 3 == 0)
            t.strides[random64() % t.rank] = (int64_t)(random64() % 3);
        check_return(&t);
    }
}

/* Every half, and every byte. */
TEST(test_return_all)
{
    static uint16_t halves[65536];
    static uint8_t bytes[256];
    struct tensor t = packed(DT_FLOAT16, 2, (uint64_t[]){ 256, 256 }, halves);

    for (size_t i = 0; i < ARRAY_LEN(halves); i++)
        halves[i] = (uint16_t)i;
    for (size_t i = 0; i < ARRAY_LEN(bytes); i++)
        bytes[i] = (uint8_t)i;
    check_return(&t);
    t.type = DT_INT16;
    check_return(&t);
    t = packed(DT_INT8, 1, (uint64_t[]){ 256 }, bytes);
    check_return(&t);
}

/* Rows longer than the writer's block. */
TEST(test_return_long)
{
    enum { N = 200000 };
    double *v = malloc(N * sizeof *v);
    struct tensor t = packed(DT_FLOAT64, 2, (uint64_t[]){ 2, N / 2 }, v);

    assert_non_null(v);
    for (size_t i = 0; i < N; i++)
        v[i] = (double)random64() / 3;
    check_return(&t);
    free(v);
}

/* Runs of plain numbers are read another way than the rest: errors and odd tokens after and among
 * them. */
TEST(test_runs)
{
    INFER("[1,2 ,3, 4,\n5,\t6,/**/7,8.5e1,-0,\"nan\",9,1E1]", DT_FLOAT32, "{12}", float, 1, 2, 3, 4,
          5, 6, 7, 85, -0.0f, (float)NAN, 9, 10);
    ACCEPT("[[1,2,3],[4,5,6,],]", DT_UINT16, "{2,3}", uint16_t, 1, 2, 3, 4, 5, 6);
    refuse("[[1,2,3],[4,5,6,7]]",
           "1:17: [1][3]: too many elements: the array before this one has 3");
    refuse_as("[[1,2,3],[4,5,-300,6]]", DT_INT8, "1:15: [1][2]: -300 is outside INT8, -128 to 127");
    refuse("[1,2,1-2]", "1:7: [2]: '-' must not follow a number directly");
    refuse("[1,2,03]", "1:6: [2]: a number must not have leading zeros");
    refuse("[1,2,3e]", "1:8: [2]: expected a digit in the exponent, found ']'");
    refuse("[1,2,3x]", "1:7: [2]: 'x' must not follow a number directly");
    refuse("[1,2,3", "1:7: [2]: expected ',' or ']' after an element, found the end of the text");
    refuse("[1,2,", "1:6: [2]: expected a number, found the end of the text");
    refuse("[1,2,3:4]", "1:7: [2]: expected ',' or ']' after an element, found ':'");
    refuse("[1,2,,4]", "1:6: [2]: expected a number, found ','");
}

/* Pieces end anywhere, and what is unusual or wrong stands anywhere: nested arrays, each byte of
 * which is replaced in turn, read like the same text in one piece. */
TEST(test_pieces)
{
    static const char text[] =
        "[[[1,2.5], [-3e1,\"nan\"]],\r\n[[5 , 6],\t[7,8]],[[NaN,1e1],[1,12]] ]",
                      others[] = "],[ 1\"/x";

    for (size_t at = 0; at + 1 < sizeof text; at++)
        for (const char *other = others; *other; other++) {
            char changed[sizeof text], *want = NULL, *message = NULL;
            struct tensor_file f, g;

            memcpy(changed, text, sizeof text);
            changed[at] = *other;
            sharing = sharings;
            read_text(&f, changed, DT_NONE, &want);
            /* the last takes threads, and long */
            for (size_t i = 1; i < ARRAY_LEN(sharings) - 1; i++) {
                sharing = &sharings[i];
                read_text(&g, changed, DT_NONE, &message);
                assert_string_equal(message, want);
                assert_int_equal(g.count, f.count);
                assert_memory_equal(&g.tensor.sizes, &f.tensor.sizes, sizeof f.tensor.sizes);
                if (g.values)
                    assert_memory_equal(g.values, f.values, f.count * sizeof(float));
                free(g.values);
                free(message);
            }
            free(f.values);
            free(want);
        }
    sharing = sharings;
}

static int make_folder(void **state)
{
    if (!mkdtemp(folder_template(folder, "json")))
        return -1;
    snprintf(path, sizeof path, "%s/t.json", folder);
    return 0;
}

static int remove_folder(void **state) { return rmdir(folder); }

int main(void)
{
    seed_start();
    return RUN_TESTS(make_folder, remove_folder);
}
