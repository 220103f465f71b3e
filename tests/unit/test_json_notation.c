/* JSON in other notations: what is read as what, what is left alone, and the way back to the
 * text. */
#include "unit.h"

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

        if (e->at_end > e->at) /* a deletion has the place of what follows */
            assert_int_equal(json_notation_source(&n, e->at), e->offset);
        if (i + 1 == n.n || n.edits[i + 1].at > e->at_end)
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

TEST(test_lists)
{
    becomes("{\"a\": {1, 1, 3, 4}}", "{\"a\": [1, 1, 3, 4]}");
    becomes("{\"a\": { -1 }, \"b\": {1,},}", "{\"a\": [ -1 ], \"b\": [1,],}");
    becomes("{\"a\": {\"x\", \"y\"}, \"b\": {\"z\"}}", "{\"a\": [\"x\", \"y\"], \"b\": [\"z\"]}");
    becomes("{\"a\": {{1, 2}, {3, 4}}}", "{\"a\": [[1, 2], [3, 4]]}");
    becomes("{\"a\": {[1], {\"b\": {2}}}}", "{\"a\": [[1], {\"b\": [2]}]}");
    becomes("{\"a\": (1, 2,)}", "{\"a\": [1, 2,]}");
    becomes("{\"a\": /* { */ { // {\n1 }}", "{\"a\": /* { */ [ // {\n1 ]}");
    becomes("[{1}]", "[[1]]");
}

TEST(test_objects)
{
    becomes("{a: 1, \"b\": 2}", "{\"a\": 1, \"b\": 2}");
    becomes("{'a': 'x y', b_2: ''}", "{\"a\": \"x y\", \"b_2\": \"\"}");
    becomes("{\"t\": (Sizes:{1}, DataType:FLOAT32)}",
            "{\"t\": {\"Sizes\":[1], \"DataType\":\"FLOAT32\"}}");
    becomes("{\"t\": (\"Sizes\": [1])}", "{\"t\": {\"Sizes\": [1]}}");
    becomes("{'\xc3\xa9': 1}", "{\"\xc3\xa9\": 1}");
}

TEST(test_words)
{
    becomes("{\"a\": FLOAT32}", "{\"a\": \"FLOAT32\"}");
    becomes("{\"a\": [INT8, DML_TENSOR_DATA_TYPE_INT8]}",
            "{\"a\": [\"INT8\", \"DML_TENSOR_DATA_TYPE_INT8\"]}");
    becomes("{\"DataType\": float32, \"type\": slice1}",
            "{\"DataType\": \"float32\", \"type\": \"slice1\"}");
    becomes("{\"AxisDirection\": Increasing, \"Flags\": none}",
            "{\"AxisDirection\": \"Increasing\", \"Flags\": \"none\"}");
    becomes("{a: true, DataType: false, type: null, \"b\": 1}",
            "{\"a\": true, \"DataType\": false, \"type\": null, \"b\": 1}");
    becomes("{\"a\": True, \"b\": FALSE, \"c\": None, \"d\": NULL, \"e\": nullptr}",
            "{\"a\": true, \"b\": false, \"c\": null, \"d\": null, \"e\": null}");
    becomes(
        "{\"initialValues\": [NaN, nan, Infinity, -Infinity, inf, -inf, -INFINITY]}",
        "{\"initialValues\": [\"nan\", \"nan\", \"inf\", \"-inf\", \"inf\", \"-inf\", \"-inf\"]}");
    becomes("{value: NaN}", "{\"value\": \"nan\"}");
    becomes("{\"Min\": -INFINITY}", "{\"Min\": \"-inf\"}");
    becomes("{\"Max\": FLT_MAX}", "{\"Max\": null}");
}

TEST(test_left_alone)
{
    static const char *const texts[] = {
        "", "1", "{}", "{\"a\": {}}", "{\"a\": {\"b\": 1}}", "[1, 2]", "{\"a\": true}", /* JSON */
        "{\"a\": {1, 2]}", "{\"a\": {1, 2", "{\"a\": (1, 2}}", "{\"a\": {011}}",
        "{\"a\": DML_SLICE1_OPERATOR_DESC{&x, 1}}",
        "{a 1}", "{\"a\": 'x\"y'}", "{\"a\": 'x\\y'}",
        "{\"a\": '\xff'}", "{\"a\": ()}", "{\"a\": (x)}", "FLOAT32",
        "INT8 x = {1, 2};", "UINT a[] = {1, 2};", "{.a}", "{1, 2",
        "DML_OPERATOR_DESC d = {X1, &y};",
        "{\"type\" \"desc\": 1}", "{\"a\": \"x\" \"y\"}", "{\"a\": \"x y}",
        "{\"a\": \"x y, \"b\": 1}",
        "{\"a\"\":{\"b\": 1}}", "{\"a\"\"{\"b\": 1}}",
        "{\"a\": 1 2}", "\"a\" \"b\"", "{\"a\": 1}; x",
        /* expressions and numbers of C, and what is not certain */
        "[2, 1+1]", "[1, 1 +2]", "[2, 1-2]", "[1'024]", "[(1), 2]", "{\"a\": (2)}",
        "{\"a\":{{\"b\":{}, \"c\":[1]}}", "{\"a\": (INT[]){1}, \"b\":{{}",
        "[(int)2.7]", "[(UINT)-1]", "[(scale)1]", "[1;, 2]",
        /* comments where an edit would take them away */
        "DML_CAST_OPERATOR_DESC d = // c\n{}", "const /**/ DML_CAST_OPERATOR_DESC d = {}",
        "{. /**/ a = 1}", ". /**/ a = 1", "{\"a\": & /**/ (T){}}", "{\"a\": (INT[]) // c\n{1}}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        stays(texts[i]);
}

TEST(test_numbers)
{
    becomes("(DML_GEMM_OPERATOR_DESC){ .Alpha = 1 }",
            "{ \"type\": \"DML_OPERATOR_GEMM\", \"desc\": { \"Alpha\": 1 } }");
    becomes("[0x40, 0XFFu, -0x1, 4u, 4UL, -4ll, 0b101, 0o17]", "[64, 255, -1, 4, 4, -4, 5, 15]");
    becomes("[1.0f, 1.F, .5, -.5, +1, 1., 1.e3, 1e3f, 1_000]",
            "[1.0, 1, 0.5, -0.5, 1, 1, 1e3, 1e3, 1000]");
    becomes("[0xffffffffffffffff, 0x1p-3, 0x1.8p3f]", "[18446744073709551615, 0.125, 12]");
    becomes("{\"a\": {0x4, 2u}}", "{\"a\": [4, 2]}");
    becomes("[(UINT)4, (float)-1.5f]", "[4, -1.5]");
    becomes("0x40", "64");
    becomes("[02, 00, -07, 08, 00.5, 09e1]", "[2, 0, -7, 8, 0.5, 9e1]");
}

TEST(test_unknown)
{
    becomes("[017, 1,000, 0x, 4q, 1.2.3, 0x10000000000000000, 1e, .]",
            "[null, 1,null, null, null, null, null, null, null]");
    becomes("{\"a\": sizes, \"b\": ?, \"c\": &x}", "{\"a\": null, \"b\": null, \"c\": null}");
    becomes("{\"a\": {n, 2}}", "{\"a\": [null, 2]}");
    becomes("[NaN, 1.#INF]", "[null, null]");
    becomes("{\"Strides\": {1, NaN}}", "{\"Strides\": [1, null]}");
    becomes("{\"values\": -inf}", "{\"values\": null}");
    becomes("{\"a\": DML_BUFFER_TENSOR_DESC}", "{\"a\": null}");
    becomes("{\"a\": \xc3\xa9 }", "{\"a\": null }");
    becomes("{\"a\": FLOAT32 INT8, \"b\": A | B}", "{\"a\": null, \"b\": null}");
}

TEST(test_missing)
{
    becomes("{\"a\": 1 \"b\": [1 2]\n\"c\": 3}", "{\"a\": 1, \"b\": [1, 2],\n\"c\": 3}");
    becomes("[{} {} [] \"x\" -1]", "[{}, {}, [], \"x\", -1]");
    becomes("{\"a\": 1 // one\n b: 2}", "{\"a\": 1, // one\n \"b\": 2}");
    becomes("{\"a\": INT8 \"b\": {1 2}b: 3}", "{\"a\": \"INT8\", \"b\": [1, 2],\"b\": 3}");
    becomes("{\"a\" 1, \"b\"[1], \"c\" \"d\"}", "{\"a\": 1, \"b\":[1], \"c\": \"d\"}");
    becomes("{\"a\" = 1; \"b\": 2; \"c\" =>3, \"d\"== 4}",
            "{\"a\" : 1, \"b\": 2, \"c\" :3, \"d\": 4}");
    becomes("{\"a: 1, \"b\": 2, \"c: \"d\"}", "{\"a\": 1, \"b\": 2, \"c\": \"d\"}");
    becomes("{\"a\": \"x.npy, \"b\": y\", \"c\": \"z\n}",
            "{\"a\": \"x.npy\", \"b\": \"y\", \"c\": \"z\"\n}");
    becomes("{\"a\": 'x}", "{\"a\": \"x\"}");
    becomes("{\"a\": 'x\n}", "{\"a\": \"x\"\n}");
}

TEST(test_initializers)
{
    becomes("{.a = 1, .b= {2}, c => 3, .d /**/ = 4}",
            "{\"a\": 1, \"b\": [2], \"c\": 3, \"d\" /**/ : 4}");
    becomes("{.a = (UINT[]){1, 2}, .b = &(DML_TENSOR_DESC){.c = XY}, .d = (const INT *){3}}",
            "{\"a\": [1, 2], \"b\": {\"c\": \"XY\"}, \"d\": [3]}");
    becomes("{\"a\": {DML_BUFFER_TENSOR_DESC{.b = 1}}}", "{\"a\": [{\"b\": 1}]}");
    becomes("// c\n.type = SLICE1, .desc = {.a = 1},\n",
            "// c\n{ \"type\": \"SLICE1\", \"desc\": {\"a\": 1}, }\n");
    becomes(".type = SLICE1, .desc = {};", "{ \"type\": \"SLICE1\", \"desc\": {} }");
    becomes("static const DML_TOP_K1_OPERATOR_DESC d = { .K = 2 };\n",
            "{ \"type\": \"DML_OPERATOR_TOP_K1\", \"desc\": { \"K\": 2 } }\n");
    becomes("DML_CAST_OPERATOR_DESC d{}", "{ \"type\": \"DML_OPERATOR_CAST\", \"desc\": {} }");
    becomes("DML_OPERATOR_DESC d = { .Type = X };", "{ \"Type\": \"X\" }");
}

/* What comes before a place that cannot be understood is edited, what is open there is not. */
TEST(test_cut)
{
    char deep[400] = "";

    becomes("{\"a\": {1}, \"b\": 1 2}", "{\"a\": [1], \"b\": 1 2}");
    becomes("{a: {1}, b: {2, 'x\\'}}", "{\"a\": [1], \"b\": {2, 'x\\'}}");
    becomes("{\"a\": INT8, \"b\": (c: {1}, d: :)}", "{\"a\": \"INT8\", \"b\": (c: {1}, d: :)}");
    becomes("{\"a\": INT8} x", "{\"a\": \"INT8\"} x");
    for (int i = 0; i < JSON_MAX_DEPTH + 1; i++)
        strcat(deep, "{{");
    stays(deep);
}

TEST(test_source)
{
    struct json_notation n = { 0 };
    const char *text = "{ab: FLOAT32, \"c\": {1, None}}";

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

int main(void) { return RUN_TESTS(NULL, NULL); }
