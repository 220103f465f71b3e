/* json/write.h: what is written is JSON in the layout that was asked for. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"

#define WRITER(w) \
    struct str b = { 0 }; \
    struct json_writer w = { .out = &b }

static void check(struct str *b, const char *expected)
{
    assert_false(b->failed);
    assert_string_equal(b->s, expected);
    str_free(b);
}

static void test_values(void **state)
{
    WRITER(w);

    json_open(&w, NULL, "{ }");
    json_string(&w, "s", "a\"b\\c\n\t\x01\x7f\xff\xc3\xa9");
    json_stringf(&w, "f", "%s-%d", "\"", 7);
    json_uint(&w, "u", UINT64_MAX);
    json_int(&w, "i", INT64_MIN);
    json_bool(&w, "yes", true);
    json_bool(&w, "no", false);
    json_raw(&w, "raw", "1.5e-7");
    json_close(&w);
    check(&b, "{ \"s\": \"a\\\"b\\\\c\\n\\t\\u0001\\u007f\xef\xbf\xbd\xc3\xa9\", "
              "\"f\": \"\\\"-7\", "
              "\"u\": 18446744073709551615, \"i\": -9223372036854775808, "
              "\"yes\": true, \"no\": false, \"raw\": 1.5e-7 }");
}

static void test_format(void **state)
{
    WRITER(w);

    json_format(&w, "{ s: %s yes: %d no: %d \n  list: [ %u %u", "a: {", true, false, 1U, 2U);
    json_format(&w, "%ju %zu { } ] empty: [ ] ", UINT64_MAX, (size_t)3);
    json_format(&w, "tight: [%i {} {a: %g}] d: %g }", -4, 1e-5, -INFINITY);
    check(&b, "{ \"s\": \"a: {\", \"yes\": true, \"no\": false,\n  \"list\": [ 1, 2, "
              "18446744073709551615, 3, { } ], \"empty\": [ ], \"tight\": [-4, {}, "
              "{\"a\": 1e-5}], \"d\": \"-inf\" }");
}

static void test_top_level(void **state)
{
    WRITER(w);

    json_string(&w, NULL, "");
    check(&b, "\"\"");
}

static void test_brackets(void **state)
{
    static const char *const brackets[] = { "{ }", "{}", "[ ]", "[]" };
    static const char *const empty[] = { "{ }", "{}", "[ ]", "[]" };
    static const char *const two[] = {
        "{ \"k\": 1, \"k\": 1 }",
        "{\"k\": 1, \"k\": 1}",
        "[ 1, 1 ]",
        "[1, 1]",
    };

    for (int i = 0; i < 4; i++)
        for (int n = 0; n <= 2; n += 2) {
            WRITER(w);

            json_open(&w, NULL, brackets[i]);
            for (int k = 0; k < n; k++)
                json_uint(&w, i < 2 ? "k" : NULL, 1);
            json_close(&w);
            check(&b, n ? two[i] : empty[i]);
        }
}

static void test_nesting(void **state)
{
    WRITER(w);

    json_open(&w, NULL, "[]");
    for (unsigned i = 0; i < JSON_WRITE_DEPTH - 1; i++)
        json_open(&w, NULL, "[]");
    json_close_to(&w, 2);
    assert_int_equal(w.depth, 2);
    json_open(&w, NULL, "{}");
    json_close(&w);
    json_uints(&w, NULL, (uint64_t[]){ 3, 0, 4 }, 3);
    json_uints(&w, NULL, NULL, 0);
    json_close_to(&w, 0);
    check(&b, "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]], {}, [3, 0, 4], []]]");
}

static void test_lines(void **state)
{
    WRITER(w);

    json_open(&w, NULL, "{ }");
    json_line(&w, 2);
    json_bool(&w, "a", true);
    json_bool(&w, "b", true);
    json_line(&w, 2);
    json_open(&w, "c", "[]");
    json_line(&w, 4);
    json_uint(&w, NULL, 1);
    json_uint(&w, NULL, 2);
    json_line(&w, 4);
    json_uint(&w, NULL, 3);
    json_close(&w);
    json_open(&w, "d", "[ ]");
    json_line(&w, 2);
    json_close(&w);
    json_line(&w, 0);
    json_close(&w);
    check(&b, "{\n  \"a\": true, \"b\": true,\n  \"c\": [\n    1, 2,\n    3], \"d\": [\n  ]\n}");
}

/* JSON of several lines, as it is in a file, keeps its own indents below that of its first line. */
static void test_raw_lines(void **state)
{
    WRITER(w);

    json_open(&w, NULL, "{ }");
    json_raw(&w, "before", "{\n}");
    json_line(&w, 4);
    json_raw(&w, "x", "{ \"y\": [\n  1,\n  2 ] }");
    json_raw(&w, "z", "{}");
    json_close(&w);
    check(&b, "{ \"before\": {\n},\n    \"x\": { \"y\": [\n      1,\n      2 ] }, \"z\": {} }");
}

static void test_text_of_builder(void **state)
{
    struct str text = { 0 };
    WRITER(w);

    json_open(&w, NULL, "[]");
    json_str(&w, NULL, &text);
    str_puts(&text, "a\n");
    json_str(&w, NULL, &text);
    assert_null(text.s);
    json_close(&w);
    check(&b, "[\"\", \"a\\n\"]");
}

/* Memory that was short, here or in a text that became part of this one, is seen at the end. */
static void test_memory_failure(void **state)
{
    struct str text = { .failed = true };
    WRITER(w);

    json_open(&w, NULL, "[]");
    json_str(&w, NULL, &text);
    assert_false(text.failed);
    assert_true(b.failed);
    json_stringf(&w, NULL, "%d", 1);
    json_close(&w);
    assert_true(b.failed);
    assert_int_equal(w.depth, 0);
    str_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),          cmocka_unit_test(test_top_level),
        cmocka_unit_test(test_brackets),        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_lines),           cmocka_unit_test(test_raw_lines),
        cmocka_unit_test(test_text_of_builder), cmocka_unit_test(test_memory_failure),
        cmocka_unit_test(test_format),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
