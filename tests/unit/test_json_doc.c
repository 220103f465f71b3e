/* The strict scanner, look-ups, duplicate keys, places. */
#include "unit.h"

#include "base/str.h"
#include "json/doc.h"

/* A text in a block of its own length, so that a sanitizer sees a read past its end. */
static char *exact(const char *text, size_t len)
{
    char *copy = malloc(len ? len : 1);

    assert_non_null(copy);
    memcpy(copy, text, len);
    return copy;
}

static void accept_bytes(struct json_doc *doc, const char *text, size_t len)
{
    char *copy = exact(text, len);
    struct json_error err;
    enum json_result result = json_doc_scan(doc, copy, len, &err);

    if (result != JSON_OK)
        fail_msg("%s: refused at %zu: %s", text, err.offset, err.message);
    free(copy);
}

static void accept(struct json_doc *doc, const char *text)
{
    accept_bytes(doc, text, strlen(text));
}

/* Refused at an offset, with a message that holds `part`. */
static void refuse_bytes(const char *text, size_t len, size_t offset, const char *part)
{
    char *copy = exact(text, len);
    struct json_error err = { 0 };
    struct json_doc doc;

    if (json_doc_scan(&doc, copy, len, &err) != JSON_INVALID)
        fail_msg("accepted: %s", text);
    if (err.offset != offset || !strstr(err.message, part))
        fail_msg("%s: at %zu not %zu, '%s' not '%s'", text, err.offset, offset, err.message, part);
    assert_null(doc.clean);
    free(copy);
}

static void refuse(const char *text, size_t offset, const char *part)
{
    refuse_bytes(text, strlen(text), offset, part);
}

TEST(test_nodes)
{
    static const char text[] =
        "{\"a\": [1, {\"b\": null}, \"x\"], \"c\": true, \"d\": {}, \"e\": -1.5e+3}";
    static const struct {
        enum json_type type;
        const char *text;
        uint32_t next, parent, count;
    } want[] = {
        { JSON_OBJECT, text, 9, 0, 4 }, { JSON_ARRAY, "[1, {\"b\": null}, \"x\"]", 6, 0, 3 },
        { JSON_NUMBER, "1", 3, 1, 0 },  { JSON_OBJECT, "{\"b\": null}", 5, 1, 1 },
        { JSON_NULL, "null", 5, 3, 0 }, { JSON_STRING, "\"x\"", 6, 1, 0 },
        { JSON_TRUE, "true", 7, 0, 0 }, { JSON_OBJECT, "{}", 8, 0, 0 },
        { JSON_NUMBER, "-1.5e+3", 9, 0, 0 },
    };
    struct json_doc doc;

    accept(&doc, text);
    assert_int_equal(doc.node_count, ARRAY_LEN(want));
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        const struct json_node *node = &doc.nodes[i];

        assert_int_equal(node->type, want[i].type);
        assert_int_equal(node->end - node->start, strlen(want[i].text));
        assert_memory_equal(text + node->start, want[i].text, strlen(want[i].text));
        assert_int_equal(node->next, want[i].next);
        assert_int_equal(node->parent, want[i].parent);
        assert_int_equal(node->count, want[i].count);
    }
    assert_int_equal(doc.nodes[0].key, JSON_NO_KEY);
    assert_int_equal(doc.nodes[2].key, JSON_NO_KEY);
    assert_memory_equal(text + doc.nodes[6].key, "\"c\":", 4);
    assert_int_equal(json_doc_key_end(&doc, 6), doc.nodes[6].key + 3);
    json_doc_free(&doc);
}

TEST(test_accepted)
{
    static const char *const texts[] = {
        "0", "-0", "-0.0e-0", "1e5", "1E+5", "[]", "{}", "[[]]", "\"\"", "null", " \t\r\n1 ",
        "\"\\u00e9\\n\\/\"",
        "\"\\ud83d\\ude00\"", "\"\x7f\"",
        "\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\"",
        "\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"", "123456789012345678901234567890", "{\"\": 1}",
    };
    struct json_doc doc;

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        accept(&doc, texts[i]);
        assert_string_equal(doc.clean, texts[i]);
        json_doc_free(&doc);
    }
}

TEST(test_blanked)
{
    static const char *const pairs[][2] = {
        { "\xef\xbb\xbf[1]", "   [1]" },
        { "// one\n1", "      \n1" },
        { "// one\r1", "      \r1" },
        { "1// end", "1      " },
        { "[/* a\n * b */1]", "[    \n       1]" },
        { "[1,]", "[1 ]" },
        { "[1, /**/ ]", "[1       ]" },
        { "{\"a\":1 ,\n}", "{\"a\":1  \n}" },
        { "{\"a\"/**/:/*/*/1,//\n\"b\":[[],],}", "{\"a\"    :     1,  \n\"b\":[[] ] }" },
        { "\"// no, /* not */\"", "\"// no, /* not */\"" },
        { "/*\xc3\xa9*/0", "      0" },
    };
    struct json_doc doc;

    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        accept(&doc, pairs[i][0]);
        assert_string_equal(doc.clean, pairs[i][1]);
        json_doc_free(&doc);
    }
}

TEST(test_refused_structure)
{
    refuse("", 0, "expected a value, found the end of the text");
    refuse(" // only\n", 9, "expected a value, found the end of the text");
    refuse("\xef\xbb\xbf", 3, "expected a value");
    refuse("[1 2]", 3, "expected ',' or ']' after an element, found the number 2");
    refuse("[1}", 2, "expected ',' or ']' after an element, found '}'");
    refuse("{\"a\":1]", 6, "expected ',' or '}' after a member, found ']'");
    refuse("[1,,2]", 3, "expected a value or ']', found ','");
    refuse("[,]", 1, "expected a value or ']', found ','");
    refuse("{,}", 1, "expected a key in double quotes, or '}', found ','");
    refuse("{1:2}", 1, "expected a key in double quotes, or '}', found the number 1");
    refuse("{a:2}", 1, "found 'a'");
    refuse("{'a':2}", 1, "found \"'\"");
    refuse("{\"a\" 2}", 5, "expected ':' after a key, found the number 2");
    refuse("{\"a\",}", 4, "expected ':' after a key, found ','");
    refuse("{\"a\":}", 5, "expected a value, found '}'");
    refuse("{\"a\":,}", 5, "expected a value, found ','");
    refuse("1 2", 2, "expected nothing more after the top-level value, found the number 2");
    refuse("{} // c\n x", 9, "expected nothing more after the top-level value, found 'x'");
    refuse("[1]]", 3, "expected nothing more");
    refuse("1,", 1, "expected nothing more");
    refuse("\n [1,\n2", 7, "(the array begins at line 2, column 2), found the end of the text");
    refuse("{\"a\":[1,2],", 11, "or '}' (the object begins at line 1, column 1)");
    refuse("[nul]", 1, "expected a value or ']', found 'nul'");
    refuse("NaN", 0, "expected a value, found 'NaN'");
    refuse("[-Infinity]", 1, "found '-Infinity'");
    refuse("True", 0, "found 'True'");
    refuse("truefalse", 0, "found 'truefalse'");
    refuse("[1] / 2", 4, "found '/'");
    refuse("/* a", 0, "this comment has no closing */");
    refuse("1 /*/", 2, "this comment has no closing */");
    refuse("[\xc3\xa9]", 1, "found '\xc3\xa9' (U+00E9)");
    refuse("[\xff]", 1, "found byte 0xff, which is not UTF-8");
    refuse_bytes("[1]\0", 4, 3, "found byte 0x00");
    refuse_bytes("\0", 1, 0, "found byte 0x00");
    refuse("\v1", 0, "found byte 0x0b");
}

TEST(test_refused_numbers)
{
    refuse("01", 0, "must not have leading zeros");
    refuse("[-01]", 2, "must not have leading zeros");
    refuse("00", 0, "must not have leading zeros");
    refuse("1.", 2, "expected a digit after '.', found the end of the text");
    refuse("[1.]", 3, "expected a digit after '.', found ']'");
    refuse("1.e5", 2, "expected a digit after '.', found 'e'");
    refuse("+1", 0, "a number must not begin with '+'");
    refuse(".5", 0, "a number must have a digit before the '.'");
    refuse("-.5", 1, "expected a digit after '-', found '.'");
    refuse("-", 1, "expected a digit after '-', found the end of the text");
    refuse("--1", 1, "expected a digit after '-'");
    refuse("1e", 2, "expected a digit in the exponent");
    refuse("1e+", 3, "expected a digit in the exponent");
    refuse("1e1.5", 3, "'.' must not follow a number directly");
    refuse("0x10", 1, "'x' must not follow a number directly");
    refuse("1_000", 1, "'_' must not follow a number directly");
    refuse("1-2", 1, "'-' must not follow a number directly");
    refuse("1.2.3", 3, "'.' must not follow a number directly");
}

TEST(test_refused_strings)
{
    refuse("\"a", 0, "this string has no closing quote");
    refuse("\"a\\\"", 0, "this string has no closing quote");
    refuse("\"\\", 1, "found a backslash before the end of the text");
    refuse("\"a\nb\"", 2, "the end of the line in a string");
    refuse("\"\t\"", 1, "byte 0x09 in a string");
    refuse_bytes("\"\0\"", 3, 1, "byte 0x00 in a string");
    refuse("\"\\x\"", 1, "expected one of the escapes");
    refuse("\"\\u12g4\"", 5, "expected 4 hexadecimal digits after \\u, found 'g'");
    refuse("\"\\u12", 5, "found the end of the text");
    refuse("\"a\\u0000\"", 2, "\\u0000 is not allowed");
    refuse("{\"\\u0000\":1}", 2, "\\u0000 is not allowed");
    refuse("\"\\ud800\"", 1, "\\ud800 is half of a surrogate pair");
    refuse("\"\\udc00\"", 1, "\\udc00 is half of a surrogate pair");
    refuse("\"\\ud800x\"", 1, "the other half is missing");
    refuse("\"\\ud800\\n\"", 1, "the other half is missing");
    refuse("\"\\ud800\\u0041\"", 7, "\\u0041 is not the second half");
    refuse("\"\\ud800\\ud800\"", 7, "\\ud800 is not the second half");
    refuse("\"\\ud800\\udbff\"", 7, "\\udbff is not the second half");
    refuse("\"\\ud800\\ue000\"", 7, "\\ue000 is not the second half");
    for (char c = 1; c < 0x20; c++) {
        char text[] = "\"x\"";

        text[1] = c;
        refuse(text, 1, "in a string");
    }
}

/* Bytes that are not UTF-8: stray and missing continuations, overlong, surrogates, beyond
 * U+10FFFF. */
TEST(test_refused_utf8)
{
    static const char *const bad[] = {
        "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", ("\xc2" "a"), "\xe0\x80\x80",
        "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xfe", "\xff",
        "\xf0\x9f\x98",
    };
    char text[32];

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        snprintf(text, sizeof text, "\"ab%s\"", bad[i]);
        refuse(text, 3, "not UTF-8");
        snprintf(text, sizeof text, "/*%s*/ 1", bad[i]);
        refuse(text, 2, "not UTF-8");
        snprintf(text, sizeof text, "{\"%s\":1}", bad[i]);
        refuse(text, 2, "not UTF-8");
    }
}

/* `depth` opening brackets and what closes them. */
static void nested(struct str *b, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        str_puts(b, i % 2 ? "{\"k\":" : "[");
    str_puts(b, depth % 2 ? "" : "1");
    for (size_t i = depth; i-- > 0;)
        str_puts(b, i % 2 ? "}" : "]");
}

TEST(test_depth)
{
    struct str text = { 0 };
    struct json_doc doc;

    nested(&text, JSON_MAX_DEPTH);
    accept(&doc, text.s);
    json_doc_free(&doc);
    text.len = 0;
    nested(&text, JSON_MAX_DEPTH + 1);
    refuse(text.s, 32 * 6, "are nested more than 64 levels deep");
    text.len = 0;
    for (size_t i = 0; i < 1000000; i++)
        str_puts(&text, "[");
    refuse(text.s, 64, "are nested more than 64 levels deep");
    str_free(&text);
}

TEST(test_too_long)
{
    struct json_error err;
    struct json_doc doc;

    /* refused by its length, unread */
    assert_int_equal(json_doc_scan(&doc, "1", JSON_MAX_TEXT + 1, &err), JSON_INVALID);
    assert_non_null(strstr(err.message, "longer than 1 GiB"));
}

TEST(test_strings)
{
    static const char text[] =
        "{\"k\\u0065y\\/\":"
        " \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20AC\\ud83d\\uDE00\\u0041\xc3\xa9\"}";
    struct json_doc doc;

    accept(&doc, text);
    assert_string_equal(json_doc_key_text(&doc, 1), "key/");
    assert_string_equal(json_doc_text(&doc, 1),
                        "\"\\/\b\f\n\r\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" "A\xc3\xa9");
    json_doc_free(&doc);
}

/* The index of each element, of an array with and without containers. */
TEST(test_places)
{
    struct json_doc doc;

    accept(&doc, "[[5, 6, 7], {\"a\": [8, [], 9]}, [], 10]");
    for (size_t i = 1; i < doc.node_count; i++) {
        size_t array = doc.nodes[i].parent, n = 0;

        if (doc.nodes[array].type != JSON_ARRAY)
            continue;
        for (size_t at = array + 1; at < i; at = doc.nodes[at].next)
            n++;
        assert_int_equal(json_doc_element_index(&doc, i), n);
    }
    json_doc_free(&doc);
}

/* Characters at the ends of each length of UTF-8, as escapes. */
TEST(test_escapes)
{
    static const char *const rows[][2] = {
        { "\"\\u0001\"", "\x01" }, { "\"\\u007f\"", "\x7f" }, { "\"\\u0080\"", "\xc2\x80" },
        { "\"\\u03ff\"", "\xcf\xbf" }, { "\"\\u0400\"", "\xd0\x80" }, { "\"\\u07ff\"", "\xdf\xbf" },
        { "\"\\u0800\"", "\xe0\xa0\x80" }, { "\"\\ud7ff\"", "\xed\x9f\xbf" },
        { "\"\\ue000\"", "\xee\x80\x80" }, { "\"\\uffff\"", "\xef\xbf\xbf" },
        { "\"\\ud800\\udc00\"", "\xf0\x90\x80\x80" }, { "\"\\udbff\\udfff\"", "\xf4\x8f\xbf\xbf" },
    };
    struct json_doc doc;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        accept(&doc, rows[i][0]);
        assert_string_equal(json_doc_text(&doc, 0), rows[i][1]);
        json_doc_free(&doc);
    }
}

TEST(test_find)
{
    static const char text[] =
        "{\"a/b\": [10, [20, {\"x\": 30}], 40], \"m~n\": {\"\": 50}, \"\\u0041\": [1, 2, 3,],"
        " \"dup\": 1, \"dup\": 2, \"~1\": 60}";
    static const struct {
        const char *pointer, *value;
    } want[] = {
        { "", text },       { "/a~1b/0", "10" },   { "/a~1b/1/0", "20" }, { "/a~1b/1/1/x", "30" },
        { "/a~1b/2", "40" }, { "/m~0n/", "50" },    { "/A/0", "1" },       { "/A/2", "3" },
        { "/dup", "1" },    { "/~01", "60" },
    };
    static const char *const absent[] = {
        "a", "/", "/a", "/a~1b/3", "/a~1b/00", "/a~1b/01", "/a~1b/-1", "/a~1b/", "/a~1b/x",
        "/A/3", "/A/0/0", "/dup/0",
        "/a~1b/1/1/y", "/A/18446744073709551616", "/a~1b/1/1/x/",
    };
    struct json_doc doc;

    accept(&doc, text);
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        ptrdiff_t node = json_doc_find(&doc, want[i].pointer);

        if (node < 0)
            fail_msg("%s is not found", want[i].pointer);
        assert_memory_equal(text + doc.nodes[node].start, want[i].value, strlen(want[i].value));
        assert_int_equal(doc.nodes[node].end - doc.nodes[node].start, strlen(want[i].value));
    }
    for (size_t i = 0; i < ARRAY_LEN(absent); i++)
        if (json_doc_find(&doc, absent[i]) >= 0)
            fail_msg("%s is found", absent[i]);
    json_doc_free(&doc);
}

struct pairs {
    size_t n, v[8][2];
};

static void note_pairs(const struct json_doc *doc, struct pairs *p)
{
    for (size_t i = 0; i < doc->node_count; i++) {
        if (!doc->nodes[i].repeated)
            continue;
        if (p->n < ARRAY_LEN(p->v)) {
            p->v[p->n][0] = i;
            p->v[p->n][1] = doc->nodes[i].repeated;
        }
        p->n++;
    }
}

TEST(test_duplicates)
{
    struct pairs p = { 0 };
    struct json_doc doc;

    /* nodes: 0 {, 1 b, 2 a{, 3 a, 4 \u0062, 5 b, 6 c[, 7 {, 8 b, 9 {, 10 b, 11 b */
    accept(&doc,
           "{\"b\":1,\"a\":{\"a\":1},\"\\u0062\":2,\"b\":3,\"c\":[{\"b\":1},{\"b\":1,\"b\":2}]}");
    note_pairs(&doc, &p);
    assert_int_equal(p.n, 3);
    assert_int_equal(p.v[0][0], 4);
    assert_int_equal(p.v[0][1], 1);
    assert_int_equal(p.v[1][0], 5);
    assert_int_equal(p.v[1][1], 1);
    assert_int_equal(p.v[2][0], 11);
    assert_int_equal(p.v[2][1], 10);
    json_doc_free(&doc);
    p.n = 0;
    accept(&doc, "{\"a\":1,\"A\":1,\"\":1,\"aa\":1,\"b\":[1,2,[1,1]]}");
    note_pairs(&doc, &p);
    assert_int_equal(p.n, 0);
    json_doc_free(&doc);
}

/* A million keys and look-ups: a quadratic way would take hours. */
TEST(test_many_keys)
{
    enum { MANY = 300000 };
    struct str text = { 0 };
    struct pairs p = { 0 };
    struct json_doc doc;
    char pointer[32];

    str_puts(&text, "{\"all\":{");
    for (unsigned i = 0; i < MANY; i++)
        str_printf(&text, "\"k%u\":0,", i);
    str_puts(&text, "\"\\u006b77\":1},\"list\":[");
    for (unsigned i = 0; i < MANY / 4; i++)
        str_puts(&text, "[0],");
    str_puts(&text, "0]}");
    accept_bytes(&doc, text.s, text.len);
    note_pairs(&doc, &p);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.v[0][0], MANY + 2);
    assert_int_equal(p.v[0][1], 79);
    for (unsigned i = 0; i < MANY; i += 7) {
        snprintf(pointer, sizeof pointer, "/all/k%u", i);
        assert_int_equal(json_doc_find(&doc, pointer), i + 2);
        snprintf(pointer, sizeof pointer, "/list/%u/0", i / 4);
        assert_int_equal(json_doc_find(&doc, pointer), MANY + 5 + i / 4 * 2);
    }
    json_doc_free(&doc);
    str_free(&text);
}

static void locate(const char *text, size_t len, size_t offset, size_t *line, size_t *column)
{
    struct json_position at = { 0, 1, 1 };

    json_position_advance(&at, text, len, offset);
    *line = at.line;
    *column = at.column;
}

TEST(test_locate)
{
    static const char text[] = "ab\n\tc\r\nd\re\xc3\xa9\xf0\x9f\x98\x80z\n";
    static const struct {
        size_t offset, line, column;
    } want[] = {
        { 0, 1, 1 }, { 2, 1, 3 }, { 3, 2, 1 }, { 4, 2, 2 },  { 5, 2, 3 },  { 7, 3, 1 },
        { 8, 3, 2 }, { 9, 4, 1 }, { 10, 4, 2 }, { 12, 4, 3 }, { 16, 4, 4 }, { 18, 5, 1 },
    };
    size_t line, column;
    struct json_position place = { 0, 1, 1 };

    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        locate(text, sizeof text - 1, want[i].offset, &line, &column);
        assert_int_equal(line, want[i].line);
        assert_int_equal(column, want[i].column);
        json_position_advance(&place, text, sizeof text - 1, want[i].offset);
        assert_int_equal(place.line, want[i].line);
        assert_int_equal(place.column, want[i].column);
    }
    /* Long lines are counted by words. */
    locate("12345678\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
           "1234567\xf0\x9f\x98\x80"
           "1234x",
           32, 31, &line, &column);
    assert_int_equal(line, 1);
    assert_int_equal(column, 8 + 4 + 7 + 1 + 4 + 1);
    locate("\xef\xbb\xbf[", 4, 3, &line, &column);
    assert_int_equal(column, 1);
    locate("\xef\xbb\xbf\n[", 5, 4, &line, &column);
    assert_int_equal(line, 2);
    assert_int_equal(column, 1);
}

int main(void) { return RUN_TESTS(NULL, NULL); }
