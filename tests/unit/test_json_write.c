/* json/write.h: values, nesting, texts that become part of JSON, short memory. Layouts are those of
 * golden texts. */
#include "unit.h"

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

TEST(test_values)
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

TEST(test_nesting)
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

/* JSON of several lines, as it is in a file, keeps its own indents below that of its first line. */
TEST(test_raw_lines)
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

TEST(test_text_of_builder)
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
TEST(test_memory_failure)
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

int main(void) { return RUN_TESTS(NULL, NULL); }
