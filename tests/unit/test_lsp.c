/* lsp/: what the language server answers about a text and a place in it. */
#include "unit.h"

#include <dirent.h>

#include "lsp/work.h"
#include "lsp/cursor.h"
#include "seed.h"

/* The number after `label` in s, which it moves past it. */
static size_t number_after(const char **s, const char *label)
{
    const char *at = strstr(*s, label);

    assert_non_null(at);
    at += strlen(label);
    *s = at + strspn(at, "0123456789");
    return strtoull(at, NULL, 10);
}

/* Ranges as offsets, which tests read more easily: "30-43" in place of each object with a start and
 * an end. */
static void write_offsets(struct str *out, const struct lsp_text *text)
{
    static const char start[] = "{\"start\": {\"line\": ";
    const char *s = out->s ? out->s : "", *at;
    struct str b = { 0 };

    while ((at = strstr(s, start)) != NULL) {
        size_t offset[2];

        str_add(&b, s, (size_t)(at - s));
        s = at;
        for (int i = 0; i < 2; i++) {
            size_t line = number_after(&s, "\"line\": "),
                   character = number_after(&s, "\"character\": ");

            offset[i] = lsp_offset(text, line, character);
        }
        assert_true(offset[0] <= offset[1] && offset[1] <= text->bytes.len);
        assert_true(s[0] == '}' && s[1] == '}');
        s += 2;
        str_printf(&b, "\"%zu-%zu\"", offset[0], offset[1]);
    }
    str_puts(&b, s);
    assert_false(b.failed);
    str_free(out);
    *out = b;
}

enum request { HOVER, COMPLETION, SYMBOLS, DEFINITION, REQUESTS };

static void answer(struct str *out, enum request r, const struct checked *c, size_t offset,
                   bool snippets)
{
    static void (*const answers[REQUESTS])(struct json_writer *, struct lsp_work *) = {
        lsp_answer_hover,
        lsp_answer_completion,
        lsp_answer_symbols,
        lsp_answer_definition,
    };
    char uri[] = "file:///x.json";
    struct lsp_settings settings = { .snippets = snippets };
    struct lsp_doc doc = { .uri = uri };
    struct str *text = &doc.text.bytes;
    struct lsp_work v = {
        .doc = &doc,
        .settings = &settings,
        .start = offset,
        .path = "x.json",
        .checked = c,
        .places = { .text = &doc.text },
    };
    struct json_writer w = { .out = out, .tight = true };
    size_t begin;

    str_add(text, c->document.text, c->document.len);
    json_open(&w, NULL, "{}");
    begin = out->len;
    answers[r](&w, &v);
    if (out->len == begin)
        json_raw(&w, "result", "null");
    json_close(&w);
    assert_int_equal(w.depth, 0);
    assert_false(out->failed || text->failed);
    str_free(text);
}

static struct check_options options(void)
{
    return (struct check_options){ .desc = { .level = LEVEL_NEWEST } };
}

/* A copy of n bytes of exactly that size, so that a sanitizer sees what reads past it. */
static char *copy_of(const char *text, size_t n)
{
    char *copy = malloc(n ? n : 1);

    assert_non_null(copy);
    memcpy(copy, text, n);
    return copy;
}

/* With " for ', as strings of C would have to escape it. */
static char *quoted(const char *text)
{
    char *copy = copy_of(text, strlen(text) + 1);

    for (char *p = copy; (p = strchr(p, '\''));)
        *p = '"';
    return copy;
}

/* The answer where the text has a '|', which is taken out; owned by the caller. */
static char *ask(enum request r, const char *single, bool snippets)
{
    char *marked = quoted(single);
    size_t offset = strcspn(marked, "|"), n = strlen(marked);
    struct check_options opt = options();
    struct checked c;
    struct diag dg = { 0 };
    struct str out = { 0 }, text = { 0 };

    str_add(&text, marked, offset);
    if (offset < n)
        str_puts(&text, marked + offset + 1);
    assert_int_equal(
        checked_text(&c, "x.json", copy_of(text.s ? text.s : "", text.len), text.len, &opt, &dg),
        ST_OK);
    answer(&out, r, &c, offset, snippets);
    write_offsets(&out, &(struct lsp_text){ .bytes = text });
    checked_free(&c);
    str_free(&text);
    free(marked);
    return out.s;
}

/* Whether the answer has the part. */
static void assert_part(enum request r, const char *marked, bool snippets, const char *part,
                        bool there)
{
    char *got = ask(r, marked, snippets), *want = quoted(part);

    if ((strstr(got, want) != NULL) != there)
        fail_msg("%s\n%s %s:\n%s", marked, there ? "lacks" : "has", part, got);
    free(got);
    free(want);
}

static void has(enum request r, const char *marked, const char *part)
{
    assert_part(r, marked, false, part, true);
}

static void completes(const char *marked, const char *part) { has(COMPLETION, marked, part); }
static void hovers(const char *marked, const char *part) { has(HOVER, marked, part); }
static void nothing(enum request r, const char *marked) { has(r, marked, "{'result': null}"); }

static void inserts(const char *marked, const char *part)
{
    assert_part(COMPLETION, marked, true, part, true);
}

static void lacks(const char *marked, const char *part)
{
    assert_part(COMPLETION, marked, false, part, false);
}

#define TENSOR "{ 'DataType': 'FLOAT32', 'Sizes': [2, 3] }"
#define MODEL_HEAD \
    "{ 'resources': { 'abc': { 'sizeInBytes': 24 }, 'b\\'c': {} },\n" \
    "'dispatchables': { 'first': { 'type': 'TOP_K1' } },\n"

TEST(test_cursor)
{
    static const struct {
        const char *text;
        enum lsp_at at;
        size_t depth;
        const char *word;
    } cases[] = {
        { "|", CURSOR_VALUE, 0, "" },
        { "{|", CURSOR_KEY, 1, "" },
        { "{ \"ab|", CURSOR_KEY, 1, "\"ab" },
        { "{ \"ab|c\" }", CURSOR_KEY, 1, "\"abc\"" },
        { "{ \"ab|c }", CURSOR_KEY, 1, "\"ab" },
        { "{ \"a\" |", CURSOR_NOTHING, 1, "" },
        { "{ \"a\": |", CURSOR_VALUE, 1, "" },
        { "{ \"a\": x|y }", CURSOR_VALUE, 1, "xy" },
        { "{ \"a\": [1, 2|3", CURSOR_VALUE, 2, "23" },
        { "{ \"a\": [1, }, |", CURSOR_NOTHING, 0, "" },
        { "{ \"a\": [1 | }", CURSOR_VALUE, 2, "" },
        { "{ \"a\": { \"b\n\"c\": 1, |", CURSOR_KEY, 2, "" },
        { "// { |\n", CURSOR_NOTHING, 0, "" },
        { "/* { |", CURSOR_NOTHING, 0, "" },
        { "/* { */ [|", CURSOR_VALUE, 1, "" },
        { "{} |", CURSOR_NOTHING, 0, "" },
        { "[\"a\\\"|b\"]", CURSOR_VALUE, 1, "\"a\\\"b\"" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        size_t offset = strcspn(cases[i].text, "|"), n = strlen(cases[i].text) - 1;
        char *text = copy_of(cases[i].text, n);
        struct lsp_cursor c;

        memcpy(text + offset, cases[i].text + offset + 1, n - offset);
        lsp_cursor_find(&c, text, n, offset);
        assert_int_equal(c.at, cases[i].at);
        assert_int_equal(c.depth, cases[i].depth);
        assert_int_equal(c.word.end - c.word.start, strlen(cases[i].word));
        assert_memory_equal(text + c.word.start, cases[i].word, strlen(cases[i].word));
        free(text);
    }
}

TEST(test_keys)
{
    inserts("{ 'type': 'TOP_K1', 'desc': { 'Axis': 1, | } }",
            "'newText': '\\'InputTensor\\': { \\'DataType\\': \\'${1}\\', \\'Sizes\\': [${2}] }'");
    lacks("{ 'type': 'TOP_K1', 'desc': { 'Axis': 1, | } }", "'label': 'Axis'");
    lacks("{ 'type': 'TOP_K1', 'desc': { 'Axis': 1, | } }", "Offsets");
    lacks("{ 'type': 'TOP_K1', | }", "'label': 'Type'");
    /* Before what follows a comma is needed, and after what came before. */
    completes("{ 'type': 'TOP_K1', | 'K': 1 }", "\\'AxisDirection\\': \\'\\','");
    completes("{ 'type': 'TOP_K1' | }",
              "'additionalTextEdits': [{'range': '18-18', 'newText': ','}]");
    /* What is typed is replaced, quotes included; a key that has a value stays one. */
    inserts(
        "{ 'type': 'SLICE', 'InputTensor': { 'Da|': 1 } }",
        "{'label': 'DataType', 'kind': 10, 'documentation': 'The data type of the elements, with "
        "or without DML_TENSOR_DATA_TYPE_.', 'sortText': '000', 'filterText': '\\'DataType\\'', "
        "'insertTextFormat': 1, 'textEdit': {'range': '36-40', 'newText': '\\'DataType\\''}}");
    completes("{ 'type': 'SLICE', 'InputTensor': { 'Da|\n", "'range': '36-39'");
    completes("{ 'resources': { 'a': { | } } }", "'label': 'initialValuesDataType'");
    completes("{ 'resources': { 'a': { 'initialValues': { 'valueStart': 1, | } } } }",
              "'label': 'valueDelta'");
    lacks("{ 'resources': { 'a': { 'initialValues': { 'valueStart': 1, | } } } }",
          "'label': 'value'");
    completes(MODEL_HEAD "'commands': [ { 'type': 'print', | } ] }", "'label': 'resource'");
    lacks(MODEL_HEAD "'commands': [ { 'type': 'print', | } ] }", "targetPath");
    completes(MODEL_HEAD
              "'commands': [ { 'type': 'dispatch', 'dispatchable': 'first', 'bindings': { |",
              "'label': 'OutputIndexTensor'");
}

TEST(test_values)
{
    completes("{ 'type': '|", "'newText': '\\'DML_OPERATOR_SLICE1\\''");
    completes("{ 'type': 'SLICE1|', 'K': 1 }", "'label': 'TOP_K1'");
    completes(MODEL_HEAD "'commands': [ { 'type': 'print|' } ] }", "'label': 'dispatch'");
    completes("{ 'type': S|", "'range': '10-11', 'newText': '\\'SLICE1\\''");
    completes("{ 'type': 'TOP_K1', 'AxisDirection': '|' }", "'label': 'INCREASING'");
    completes("{ 'type': 'TOP_K1', 'InputTensor': { 'DataType': | 'Sizes': [1] } }",
              "'newText': '\\'FLOAT16\\','");
    lacks("{ 'type': 'TOP_K1', 'InputTensor': { 'DataType': |", "FLOAT64");
    completes("{ 'type': 'TOP_K1', 'InputTensor': { 'Flags': '|' } }", "OWNED_BY_DML");
    lacks("{ 'type': 'TOP_K1', 'OutputValueTensor': { 'Flags': '|' } }", "OWNED_BY_DML");
    completes(MODEL_HEAD "'commands': [ { 'type': 'print', 'resource': '|' } ] }",
              "'newText': '\\'b\\\\\\'c\\''");
    completes(MODEL_HEAD "'commands': [ { 'type': 'print', 'resource': 'A|' } ] }", "'abc'");
    nothing(COMPLETION, MODEL_HEAD "'commands': [ { 'type': 'print', 'resource': 'x|' } ] }");
    completes(MODEL_HEAD "'commands': [ { 'dispatchable': |", "'label': 'first'");
    inserts(MODEL_HEAD "'commands': [ |",
            "{ \\'type\\': \\'dispatch\\', \\'dispatchable\\': \\'${1}\\' }");
    inserts(MODEL_HEAD "'commands': [ { 'type': 'dispatch', | } ] }",
            "'newText': '\\'bindings\\': { ${1} }'");
    nothing(COMPLETION, "// |");
    nothing(COMPLETION, "{ 'unknown': { 'a': | } }");
}

TEST(test_documents)
{
    inserts("|", "'label': 'slice1'");
    inserts("|", "\\'DataType\\': \\'${1:FLOAT32}\\', \\'Sizes\\': [${2:1, 1, 4, 4}]");
    completes("|", "\\'Sizes\\': [1, 1, 4, 4]");
    completes("{ |\n}", "'additionalTextEdits': [{'range': '0-2', 'newText': ''}, {'range': '2-4', "
                        "'newText': ''}]");
    completes("{ |\n}", "'label': 'resources'");
    completes(MODEL_HEAD "'commands': [], 'dispatchables': { 'a': |", "'label': 'qmatmul'");
}

#define SLICE "{ 'type': 'SLICE1', 'desc': { 'InputTensor': " TENSOR ","
TEST(test_hover)
{
    hovers("{ 'type': 'SLICE1', 'desc': { 'Input|Tensor': " TENSOR " } }",
           "FLOAT32 [2, 3]: 6 elements, TotalTensorSizeInBytes 24, strides [3, 1] (packed), "
           "flags NONE.");
    hovers("{ 'type': 'SLICE1', 'desc': { 'Input|Tensor': " TENSOR " } }", "'range': '30-43'");
    hovers(SLICE " 'InputWindow|Strides': [1, 1] } }", "not 0. A negative step starts");
    hovers(SLICE " 'InputWindowStrides': [1, |1] } }", "`InputWindowStrides`[1]: Steps");
    hovers("{ 'type': 'TOP_K1', 'OutputIndexTensor': { 'DataType': '|UINT64' } }",
           "UINT64 here: feature level 5_0.");
    hovers("{ 'type': 'TOP_K1', 'K|': 0 }", "UINT, required.");
    hovers("{ 'type': 'TOP_K1', 'K': |'0' }", "**desc.field-type** (error)");
    hovers("{ 'type': 'SLI|CE1', 'desc': {", "The name of the operator");
    hovers("|{ }", "**desc.operator-missing** (error)");
    hovers(MODEL_HEAD "'commands': [ { 'type': 'pr|int', 'resource': 'abc' } ] }",
           "Prints the resource.");
    hovers(MODEL_HEAD "'commands': [ { 'type': 'print', 'resource': 'a|bc' } ] }",
           "Resource `abc`: 24 bytes, all zero.");
    hovers(MODEL_HEAD "'commands': [ { 'dispatchable': 'fir|st' } ] }", "DML_OPERATOR_TOP_K1");
    hovers("|", "**json.syntax** (error)");
    nothing(HOVER, "{ 'type': 'TOP_K1', // |\n }");
}

TEST(test_symbols)
{
    has(SYMBOLS, SLICE " 'K': 1 } }",
        "[{'name': 'SLICE1', 'kind': 12, 'range': '0-99', 'selectionRange': '0-99', "
        "'children': [{'name': 'InputTensor', 'detail': 'FLOAT32 [2, 3]', 'kind': 18, "
        "'range': '30-87', 'selectionRange': '30-43'}]}]");
    has(SYMBOLS, MODEL_HEAD "'commands': [ { 'type': 'print', 'resource': 'abc' } ] }",
        "{'name': 'print', 'detail': 'abc', 'kind': 24,");
    has(SYMBOLS, MODEL_HEAD "'commands': [ 1, {} ] }", "'name': 'command'");
    nothing(SYMBOLS, "{ 'type': ");
    nothing(SYMBOLS, "[ 1 ]");
}

TEST(test_definition)
{
    has(DEFINITION, MODEL_HEAD "'commands': [ { 'type': 'print', 'resource': 'a|bc' } ] }",
        "{'uri': 'file:///x.json', 'range': '17-22'}");
    has(DEFINITION, MODEL_HEAD "'commands': [ { 'bindings': { 'X': { 'name': 'a|bc' } } } ] }",
        "17-22");
    has(DEFINITION, MODEL_HEAD "'commands': [ { 'bindings': { 'X': [ 'b\\u0022|c' ] } } ] }",
        "'range'");
    has(DEFINITION, MODEL_HEAD "'commands': [ { 'dispatchable': 'first|' } ] }", "'range'");
    has(DEFINITION, "{ 'resources': { 'a|bc': 1 } }", "17-22");
    nothing(DEFINITION, MODEL_HEAD "'commands': [ { 'resource': 'x|yz' } ] }");
    nothing(DEFINITION, MODEL_HEAD "'commands': [ { 'type': 'a|bc' } ] }");
    nothing(DEFINITION, "{ 'type': 'abc|' }");
}

/* Every answer is JSON, at every step-th byte of a text from `first` on, whole and cut there.
 * Returns the first byte to ask at in the next text. */
static size_t check_everywhere(const char *text, size_t len, size_t first, size_t step)
{
    struct check_options opt = options();
    size_t at = first;

    for (; at <= len; at += step)
        for (int cut = 0; cut < 2; cut++) {
            struct checked c;
            struct diag dg = { 0 };
            size_t n = cut ? at : len;

            assert_int_equal(checked_text(&c, "x.json", copy_of(text, n), n, &opt, &dg), ST_OK);
            for (int r = 0; r < REQUESTS; r++) {
                struct str out = { 0 };
                struct json_doc doc = { 0 };
                struct json_error err;

                if (r == SYMBOLS && at > first)
                    continue;
                answer(&out, (enum request)r, &c, at, cut);
                assert_int_equal(json_doc_scan(&doc, out.s, out.len, &err), JSON_OK);
                json_doc_free(&doc);
                str_free(&out);
            }
            checked_free(&c);
        }
    return at - len - 1;
}

static void check_folder(const char *folder, size_t step)
{
    DIR *dir = opendir(folder);
    size_t first = 0;

    if (!dir) /* the test runs elsewhere */
        return;
    for (struct dirent *e; (e = readdir(dir));) {
        static char text[1 << 16];
        char path[512];
        FILE *f;

        if (!strstr(e->d_name, ".json"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        f = fopen(path, "rb");
        assert_non_null(f);
        first = check_everywhere(text, fread(text, 1, sizeof text, f), first, step);
        fclose(f);
    }
    closedir(dir);
}

/* LSP_STEP=1 asks at every byte, which takes ten minutes. */
TEST(test_everywhere)
{
    const char *step = getenv("LSP_STEP");

    check_folder("samples", step ? strtoul(step, NULL, 10) : 331);
    check_folder("src/check/examples", step ? strtoul(step, NULL, 10) : 331);
    check_everywhere("{\"a\": \"\\\n[[{{\"}]\0:,,\"x\":\"\\u00\", /* ", 34, 0, 1);
}

/* Ranges in any order are those that each has by itself. */
TEST(test_ranges)
{
    char text[] = "a\n{ \xc3\xa9 }\r\n\n[1, 2]\r\xf0\x9f\x98\x80x\n";
    struct lsp_text of = { .bytes = { .s = text, .len = sizeof text - 1 } };
    struct lsp_places any = { .text = &of };

    for (size_t i = 0; i < 40; i++) {
        size_t start = i * 7 % (sizeof text - 1), end = start + i % 4;
        struct lsp_places fresh = { .text = &of };
        struct str got = { 0 }, want = { 0 };

        lsp_write_range(&(struct json_writer){ .out = &got }, NULL, &any, start, end);
        lsp_write_range(&(struct json_writer){ .out = &want }, NULL, &fresh, start, end);
        assert_string_equal(got.s, want.s);
        str_free(&got);
        str_free(&want);
    }
}

/* A text of some pieces, with line ends and characters of all kinds. */
static char *some_text(size_t pieces)
{
    static const char *const kinds[] = { "a", "\xc3\xa9", "\xf0\x9f\x98\x80", "\n", "\r", "\r\n" };
    size_t most = random64() % 2 ? ARRAY_LEN(kinds) : 3; /* some have long lines */
    struct str b = { 0 };

    str_puts(&b, "");
    for (size_t n = random64() % pieces; n > 0; n--)
        str_puts(&b, kinds[random64() % most]);
    assert_false(b.failed);
    return b.s;
}

/* The index is that of the text: it finds what reading all of the text finds. */
static void check_index(const struct lsp_text *t)
{
    struct lsp_text plain = { .bytes = t->bytes, .encoding = t->encoding };
    size_t sum = 0;

    for (size_t i = 0; i < t->n; i++) {
        assert_between(t->blocks[i].offset, 1, 2048);
        sum += t->blocks[i].offset;
    }
    assert_int_equal(sum, t->bytes.len);
    for (int i = 0; i < 8; i++) {
        size_t line = random64() % (random64() % 2 ? 3 : 3000), character = random64() % 9000;

        assert_int_equal(lsp_offset(t, line, character), lsp_offset(&plain, line, character));
    }
}

/* An offset that is not inside a character or \r\n. */
static size_t whole(const struct str *b, size_t at)
{
    while (at > 0 && at < b->len &&
           (((unsigned char)b->s[at] & 0xc0) == 0x80 || (b->s[at] == '\n' && b->s[at - 1] == '\r')))
        at--;
    return at;
}

/* Changes some bytes by a message. */
static void change_some(struct lsp_text *t)
{
    struct str want = { 0 }, message = { 0 }, old = t->bytes;
    size_t start = random64() % (old.len + 1), end = start + random64() % 5000;
    struct json_writer w = { .out = &message, .tight = true };
    struct json_doc json = { 0 };
    struct json_error err;
    char *s = some_text(random64() % 3 ? 4 : 5000);

    start = whole(&old, start);
    end = random64() % 3 || end > old.len ? start : whole(&old, end);
    str_add(&want, old.s, start);
    str_puts(&want, s);
    str_add(&want, old.s + end, old.len - end);
    json_open(&w, NULL, "{}");
    json_open(&w, "params", "{}");
    json_open(&w, "contentChanges", "[]");
    json_open(&w, NULL, "{}");
    lsp_write_range(&w, "range", &(struct lsp_places){ .text = t }, start, end);
    json_string(&w, "text", s);
    json_close_to(&w, 0);
    assert_false(message.failed || want.failed);
    assert_int_equal(json_doc_scan(&json, message.s, message.len, &err), JSON_OK);
    assert_null(lsp_docs_change(t, &json));
    assert_false(t->bytes.failed);
    assert_string_equal(t->bytes.s, want.s);
    json_doc_free(&json);
    str_free(&message);
    str_free(&want);
    free(s);
}

/* After many changes of all kinds. */
TEST(test_index)
{
    seed_start();
    for (int i = 0; i < 30; i++) {
        struct lsp_docs docs = { .n = 0 };
        char *text = some_text(10000);
        struct lsp_doc *doc = lsp_docs_open(&docs, "x", text, 1, i % 2 ? LSP_UTF8 : LSP_UTF16);

        free(text);
        assert_non_null(doc);
        for (int k = 0; k < 30; k++) {
            check_index(&doc->text);
            change_some(&doc->text);
        }
        lsp_docs_free(&docs);
    }
}

/* Lines are read once: after a change and for a position only what is near it is read again. So
 * text that changes elsewhere behind the index's back is not noticed. */
TEST(test_read_once)
{
    enum { LEN = 1 << 20, FAR = 1 << 14 };
    char *s = test_malloc(LEN + 1);
    struct lsp_text t = { .bytes = { .s = s, .len = LEN } };

    memset(s, 'x', LEN);
    s[LEN] = '\0';
    lsp_text_index(&t, 0, 0, LEN);
    memset(s, '\n', LEN / 2 - FAR);
    memset(s + LEN / 2 + FAR, '\n', LEN / 2 - FAR);
    for (size_t at = LEN / 2; at < LEN / 2 + 4000; at++) {
        lsp_text_index(&t, at, at + 1, 1);
        assert_int_equal(lsp_offset(&t, 0, at), at);
    }
    assert_int_equal(lsp_offset(&t, 1, 0), LEN);
    free(t.blocks);
    test_free(s);
}

int main(void) { return RUN_TESTS(NULL, NULL); }
