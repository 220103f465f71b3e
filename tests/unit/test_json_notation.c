/* JSON in other notations: what is read as what, what is left alone, and the way back to the
 * text. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "json/doc.h"
#include "json/notation.h"

static void becomes(const char *text, const char *want)
{
    struct json_notation n = { 0 }, again = { 0 };

    assert_true(json_notation_read(&n, text, strlen(text)));
    if (n.n == 0 || strcmp(n.json, want) != 0)
        fail_msg("%s\nbecomes  %s\nand not  %s", text, n.json ? n.json : "(nothing)", want);
    assert_int_equal(n.json_len, strlen(want));
    assert_true(json_notation_read(&again, n.json, n.json_len));
    assert_int_equal(again.n, 0);
    for (size_t i = 0; i < n.n; i++) {
        const struct json_edit *e = &n.edits[i];

        assert_int_equal(json_notation_source(&n, e->at), e->offset);
        assert_int_equal(json_notation_source(&n, e->at_end), e->end);
        assert_true(e->last >= i && e->last < n.n);
    }
    assert_int_equal(json_notation_source(&n, n.json_len), strlen(text));
    json_notation_free(&n);
    json_notation_free(&again);
}

static void stays(const char *text)
{
    struct json_notation n = { 0 };

    assert_true(json_notation_read(&n, text, strlen(text)));
    if (n.n > 0 || n.json)
        fail_msg("%s becomes %s", text, n.json);
    assert_int_equal(json_notation_source(&n, 7), 7);
    json_notation_free(&n);
}

static void test_lists(void **state)
{
    (void)state;
    becomes("{\"a\": {1, 1, 3, 4}}", "{\"a\": [1, 1, 3, 4]}");
    becomes("{\"a\": { -1 }, \"b\": {1,},}", "{\"a\": [ -1 ], \"b\": [1,],}");
    becomes("{\"a\": {\"x\", \"y\"}, \"b\": {\"z\"}}", "{\"a\": [\"x\", \"y\"], \"b\": [\"z\"]}");
    becomes("{\"a\": {{1, 2}, {3, 4}}}", "{\"a\": [[1, 2], [3, 4]]}");
    becomes("{\"a\": {[1], {\"b\": {2}}}}", "{\"a\": [[1], {\"b\": [2]}]}");
    becomes("{\"a\": (1, 2,)}", "{\"a\": [1, 2,]}");
    becomes("{\"a\": /* { */ { // {\n1 }}", "{\"a\": /* { */ [ // {\n1 ]}");
    becomes("[{1}]", "[[1]]");
}

static void test_objects(void **state)
{
    (void)state;
    becomes("{a: 1, \"b\": 2}", "{\"a\": 1, \"b\": 2}");
    becomes("{'a': 'x y', b_2: ''}", "{\"a\": \"x y\", \"b_2\": \"\"}");
    becomes("{\"t\": (Sizes:{1}, DataType:FLOAT32)}",
            "{\"t\": {\"Sizes\":[1], \"DataType\":\"FLOAT32\"}}");
    becomes("{\"t\": (\"Sizes\": [1])}", "{\"t\": {\"Sizes\": [1]}}");
    becomes("{'\xc3\xa9': 1}", "{\"\xc3\xa9\": 1}");
}

static void test_words(void **state)
{
    (void)state;
    becomes("{\"a\": FLOAT32}", "{\"a\": \"FLOAT32\"}");
    becomes("{\"a\": [INT8, DML_TENSOR_DATA_TYPE_INT8]}",
            "{\"a\": [\"INT8\", \"DML_TENSOR_DATA_TYPE_INT8\"]}");
    becomes("{\"DataType\": float32, \"type\": slice1}",
            "{\"DataType\": \"float32\", \"type\": \"slice1\"}");
    becomes("{\"AxisDirection\": Increasing, \"Flags\": none}",
            "{\"AxisDirection\": \"Increasing\", \"Flags\": \"none\"}");
    becomes("{\"a\": OWNED_BY_DML | NONE}", "{\"a\": \"OWNED_BY_DML | NONE\"}");
    becomes("{a: true, DataType: false, type: null, \"b\": 1}",
            "{\"a\": true, \"DataType\": false, \"type\": null, \"b\": 1}");
    becomes("{\"a\": True, \"b\": FALSE, \"c\": None, \"d\": NULL, \"e\": nullptr}",
            "{\"a\": true, \"b\": false, \"c\": null, \"d\": null, \"e\": null}");
    becomes(
        "{\"initialValues\": [NaN, nan, Infinity, -Infinity, inf, -inf, -INFINITY]}",
        "{\"initialValues\": [\"nan\", \"nan\", \"inf\", \"-inf\", \"inf\", \"-inf\", \"-inf\"]}");
    becomes("{value: NaN}", "{\"value\": \"nan\"}");
}

static void test_left_alone(void **state)
{
    static const char *const texts[] = {
        "", "1", "{}", "{\"a\": {}}", "{\"a\": {\"b\": 1}}", "[1, 2]", "{\"a\": true}", /* JSON */
        "{\"a\": {1, 2]}", "{\"a\": {1, 2", "{\"a\": (1, 2}}", "{\"a\": {1 2}}", "{\"a\": {01}}",
        "{\"a\": sizes}", "{\"a\": FLOAT32 INT8}", "{\"a\": DML_SLICE1_OPERATOR_DESC{1}}",
        "{\"a\": DML_BUFFER_TENSOR_DESC}",
        "{\"a\": A |}", "{a 1}", "{a = 1}", "{\"a\": 'x\"y'}", "{\"a\": 'x\\y'}",
        "{\"a\": 'x\ny'}", "{\"a\": 'x}",
        "{\"a\": '\xff'}", "{\"a\": ()}", "{\"a\": (x)}", "FLOAT32", "INT8 x = {1, 2};", "[NaN]",
        "{\"Strides\": {1, NaN}}", "{\"values\": -inf}", "{.a = 1}", "{1, 2",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        stays(texts[i]);
}

/* What comes before a place that cannot be understood is edited, what is open there is not. */
static void test_cut(void **state)
{
    char deep[400] = "";

    (void)state;
    becomes("{\"a\": {1}, \"b\": 01}", "{\"a\": [1], \"b\": 01}");
    becomes("{a: {1}, b: {2, sizes}}", "{\"a\": [1], \"b\": {2, sizes}}");
    becomes("{\"a\": INT8, \"b\": (c: {1}, d: ?)}", "{\"a\": \"INT8\", \"b\": (c: {1}, d: ?)}");
    becomes("{\"a\": INT8} x", "{\"a\": \"INT8\"} x");
    for (int i = 0; i < JSON_MAX_DEPTH + 1; i++)
        strcat(deep, "{{");
    stays(deep);
}

static void test_source(void **state)
{
    struct json_notation n = { 0 };
    const char *text = "{ab: FLOAT32, \"c\": {1, None}}";

    (void)state;
    assert_true(json_notation_read(&n, text, strlen(text)));
    for (size_t i = 0; i + 1 < n.json_len; i++) /* the same way on, never back */
        assert_true(json_notation_source(&n, i) <= json_notation_source(&n, i + 1));
    assert_int_equal(json_notation_source(&n, (size_t)(strchr(n.json, 'b') - n.json)), 2);
    assert_int_equal(json_notation_source(&n, (size_t)(strchr(n.json, '[') - n.json)),
                     strrchr(text, '{') - text);
    assert_int_equal(json_notation_source(&n, (size_t)(strstr(n.json, "null") - n.json) + 2),
                     strchr(text, 'N') - text);
    assert_int_equal(json_notation_source(&n, (size_t)(strchr(n.json, 'L') - n.json)),
                     strchr(text, 'L') - text);
    json_notation_free(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),      cmocka_unit_test(test_objects),
        cmocka_unit_test(test_words),      cmocka_unit_test(test_cut),
        cmocka_unit_test(test_left_alone), cmocka_unit_test(test_source),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
