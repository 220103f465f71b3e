/* JSON texts: the scanner against a grammar of its own and against cJSON, numbers against the C
 * library, look-ups by pointer, duplicate keys; other notations than JSON's.
 * Of src: json/lex.c json/doc.c json/doc_scan.c json/notation.c json/notation_lex.c json/decimal.c
 * json/number.c json/number_format.c json/position.c json/power10.c */
#include <cJSON.h>
#include <math.h>

#include "base/str.h"
#include "fuzz.h"
#include "json/doc.h"
#include "json/notation.h"
#include "json/number.h"

/* RFC 8259 by recursion, with JSON_MAX_DEPTH, JSON_MAX_KEY and without \u0000: what the scanner has
 * to take. */
struct grammar {
    const char *at, *end;
    unsigned depth;
};

static bool value(struct grammar *g);

static void blanks(struct grammar *g)
{
    while (g->at < g->end && strchr(" \t\r\n", *g->at) && *g->at)
        g->at++;
}

static bool take(struct grammar *g, char c)
{
    if (g->at == g->end || *g->at != c)
        return false;
    g->at++;
    return true;
}

static bool word(struct grammar *g, const char *s)
{
    for (; *s; s++)
        if (!take(g, *s))
            return false;
    return true;
}

static bool digits(struct grammar *g)
{
    const char *start = g->at;

    while (g->at < g->end && *g->at >= '0' && *g->at <= '9')
        g->at++;
    return g->at > start;
}

static bool number(struct grammar *g)
{
    take(g, '-');
    if (!take(g, '0') && !digits(g))
        return false;
    if (take(g, '.') && !digits(g))
        return false;
    if (take(g, 'e') || take(g, 'E')) {
        if (!take(g, '+'))
            take(g, '-');
        return digits(g);
    }
    return true;
}

/* The code unit after \u, or -1. */
static int code_unit(struct grammar *g)
{
    int unit = 0;

    for (int i = 0; i < 4; i++) {
        static const char hex[] = "0123456789abcdefABCDEF";
        const char *p = g->at < g->end && *g->at ? strchr(hex, *g->at) : NULL;
        int digit = p ? (int)(p - hex) : -1;

        if (digit < 0)
            return -1;
        unit = unit * 16 + (digit < 16 ? digit : digit - 6);
        g->at++;
    }
    return unit;
}

static bool escape(struct grammar *g)
{
    int unit;

    if (g->at == g->end || !*g->at)
        return false;
    if (*g->at != 'u')
        return strchr("\"\\/bfnrt", *g->at++) != NULL;
    g->at++;
    unit = code_unit(g);
    if (unit >= 0xd800 && unit < 0xdc00) {
        unit = word(g, "\\u") ? code_unit(g) : -1;
        return unit >= 0xdc00 && unit < 0xe000;
    }
    return unit > 0 && (unit < 0xd800 || unit >= 0xe000);
}

/* One character of more than one byte, by the ranges of the Unicode standard's table 3-7. */
static bool character(struct grammar *g)
{
    static const uint8_t rows[][9] = {
        { 0xc2, 0xdf, 0x80, 0xbf }, { 0xe0, 0xe0, 0xa0, 0xbf, 0x80, 0xbf },
        { 0xe1, 0xec, 0x80, 0xbf, 0x80, 0xbf }, { 0xed, 0xed, 0x80, 0x9f, 0x80, 0xbf },
        { 0xee, 0xef, 0x80, 0xbf, 0x80, 0xbf }, { 0xf0, 0xf0, 0x90, 0xbf, 0x80, 0xbf, 0x80, 0xbf },
        { 0xf1, 0xf3, 0x80, 0xbf, 0x80, 0xbf, 0x80, 0xbf },
        { 0xf4, 0xf4, 0x80, 0x8f, 0x80, 0xbf, 0x80, 0xbf },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        size_t n = 0;

        while (rows[i][2 * n] && n < (size_t)(g->end - g->at) &&
               (uint8_t)g->at[n] >= rows[i][2 * n] && (uint8_t)g->at[n] <= rows[i][2 * n + 1])
            n++;
        if (n > 0 && !rows[i][2 * n]) {
            g->at += n;
            return true;
        }
    }
    return false;
}

static bool string(struct grammar *g)
{
    if (!take(g, '"'))
        return false;
    while (g->at < g->end && *g->at != '"') {
        unsigned char c = (unsigned char)*g->at;

        if (c < ' ')
            return false;
        if (c >= 0x80) {
            if (!character(g))
                return false;
        } else {
            g->at++;
            if (c == '\\' && !escape(g))
                return false;
        }
    }
    return take(g, '"');
}

/* Members or elements up to the closing bracket. */
static bool members(struct grammar *g, bool object)
{
    char close = object ? '}' : ']';

    g->at++;
    if (++g->depth > JSON_MAX_DEPTH)
        return false;
    blanks(g);
    if (!take(g, close)) {
        do {
            blanks(g);
            if (object) {
                const char *key = g->at;

                if (!string(g) || g->at - key > JSON_MAX_KEY)
                    return false;
                blanks(g);
                if (!take(g, ':'))
                    return false;
            }
            if (!value(g))
                return false;
        } while (take(g, ','));
        if (!take(g, close))
            return false;
    }
    g->depth--;
    return true;
}

static bool value(struct grammar *g)
{
    bool good;

    blanks(g);
    if (g->at == g->end)
        return false;
    switch (*g->at) {
    case '{': good = members(g, true); break;
    case '[': good = members(g, false); break;
    case '"': good = string(g); break;
    case 't': good = word(g, "true"); break;
    case 'f': good = word(g, "false"); break;
    case 'n': good = word(g, "null"); break;
    default: good = number(g); break;
    }
    blanks(g);
    return good;
}

static bool is_json(const char *text, size_t len)
{
    struct grammar g = { text, text + len, 0 };

    return value(&g) && g.at == g.end;
}

/* A half is the one nearest to the double, or the text lies next to the middle of two, where the
 * double does. */
static void check_half(const char *text, size_t n, double d)
{
    uint16_t h = 0, want = half_from_double(d);
    char out[NUMBER_TEXT];
    enum number_result r = number_half(text, n, &h);

    if (r == NUMBER_RANGE)
        h = (uint16_t)(text[0] == '-' ? 0xfc00 : 0x7c00);
    if (h != want && fabs(d) != 65520.0 &&
        (double)half_to_float(h) + (double)half_to_float(want) != 2 * d)
        fuzz_fail("half %04x of %.*s", h, (int)n, text);
    if (r == NUMBER_OK &&
        (n = number_format_half(out, h), number_half(out, n, &want) != NUMBER_OK || want != h))
        fuzz_fail("half %04x does not read back from %s", h, out);
}

/* Significant digits of a number text. */
static int significant(const char *s)
{
    int n = 0, zeros = 0;

    for (; *s && *s != 'e'; s++)
        if (*s == '0' && n > 0)
            zeros++;
        else if (*s >= '1' && *s <= '9') {
            n += zeros + 1;
            zeros = 0;
        }
    return n;
}

/* The shortest text reads back, and none of fewer digits does. */
static void check_shortest(double d)
{
    char text[NUMBER_TEXT], fewer[40];
    size_t n = number_format_double(text, d);
    int exponent, p = significant(text);
    double back;

    if (n != strlen(text) || number_double(text, n, &back) != NUMBER_OK ||
        memcmp(&back, &d, sizeof d) != 0)
        fuzz_fail("%a does not read back from %s", d, text);
    if (p < 2 || fabs(frexp(d, &exponent)) == 0.5) /* a power of two has an uneven neighbourhood */
        return;
    snprintf(fewer, sizeof fewer, "%.*e", p - 2, d);
    if (strtod(fewer, NULL) == d)
        fuzz_fail("%s is longer than %s", text, fewer);
}

static void check_number(const char *text, size_t n)
{
    char *copy = fuzz_alloc(n + 1), out[NUMBER_TEXT];
    double want, d;
    float want_float, f;
    enum number_result r;
    int64_t i;
    uint64_t u;

    memcpy(copy, text, n);
    copy[n] = '\0';
    want = strtod(copy, NULL);
    want_float = strtof(copy, NULL);
    r = number_double(text, n, &d);
    if (r != (isinf(want) ? NUMBER_RANGE : NUMBER_OK) ||
        (r == NUMBER_OK && memcmp(&d, &want, sizeof d) != 0))
        fuzz_fail("double of %s", copy);
    if (r == NUMBER_OK)
        check_shortest(d);
    r = number_float(text, n, &f);
    if (r != (isinf(want_float) ? NUMBER_RANGE : NUMBER_OK) ||
        (r == NUMBER_OK && memcmp(&f, &want_float, sizeof f) != 0))
        fuzz_fail("float of %s", copy);
    if (r == NUMBER_OK && (number_format_float(out, f), strtof(out, NULL) != f))
        fuzz_fail("%a does not read back from %s", (double)f, out);
    check_half(text, n, want);
    if (number_i64(text, n, &i) == NUMBER_OK && (double)i != want)
        fuzz_fail("int64 of %s", copy);
    if (number_u64(text, n, &u) == NUMBER_OK && (double)u != want)
        fuzz_fail("uint64 of %s", copy);
    if (number_int_literal(text, n, &i) == NUMBER_OK &&
        (strtoll(copy, NULL, 10) != i || strcspn(copy, ".eE") != n))
        fuzz_fail("literal %s", copy);
    free(copy);
}

/* The tree that cJSON builds of the cleaned text is the same. */
static void check_tree(const struct json_doc *doc, size_t node, const cJSON *json)
{
    static const int types[] = { cJSON_NULL,   cJSON_False, cJSON_True,  cJSON_Number,
                                 cJSON_String, cJSON_Array, cJSON_Object };
    const struct json_node *n = &doc->nodes[node];
    size_t at = node + 1;

    if ((json->type & 0xff) != types[n->type])
        fuzz_fail("cJSON sees another type at byte %u", n->start);
    if (n->type == JSON_STRING && strcmp(json_doc_text(doc, node), json->valuestring) != 0)
        fuzz_fail("cJSON sees another string at byte %u", n->start);
    for (const cJSON *child = json->child; child; child = child->next, at = doc->nodes[at].next) {
        if (at >= n->next || doc->nodes[at].parent != node)
            fuzz_fail("cJSON sees more members at byte %u", n->start);
        if (n->type == JSON_OBJECT && strcmp(json_doc_key_text(doc, at), child->string) != 0)
            fuzz_fail("cJSON sees another key at byte %u", doc->nodes[at].key);
        check_tree(doc, at, child);
    }
    if (at != n->next)
        fuzz_fail("cJSON sees fewer members at byte %u", n->start);
}

static void check_cjson(const struct json_doc *doc)
{
    const char *end;
    cJSON *json;

    for (size_t i = 0; i < doc->node_count; i++)
        if (doc->nodes[i].type == JSON_NUMBER && doc->nodes[i].end - doc->nodes[i].start > 60)
            return; /* cJSON cuts longer numbers */
    json = cJSON_ParseWithLengthOpts(doc->clean, doc->len + 1, &end, 1);
    if (!json)
        fuzz_fail("cJSON refuses what the scanner takes");
    check_tree(doc, 0, json);
    cJSON_Delete(json);
}

/* Members whose key stands earlier in their object, by comparing all. */
static size_t count_duplicates(const struct json_doc *doc)
{
    size_t found = 0;

    for (size_t i = 0; i < doc->node_count; i++) {
        bool twice = false;

        if (doc->nodes[i].key == JSON_NO_KEY)
            continue;
        for (size_t j = doc->nodes[i].parent + 1; j < i && !twice; j = doc->nodes[j].next)
            twice = strcmp(json_doc_key_text(doc, i), json_doc_key_text(doc, j)) == 0;
        found += twice;
    }
    return found;
}

/* Appends the pointer of a node. */
static void add_pointer(const struct json_doc *doc, size_t node, struct str *b)
{
    uint32_t parent = doc->nodes[node].parent, index = 0;

    if (node == 0)
        return;
    add_pointer(doc, parent, b);
    str_puts(b, "/");
    if (doc->nodes[node].key == JSON_NO_KEY) {
        for (size_t j = parent + 1; j < node; j = doc->nodes[j].next)
            index++;
        str_printf(b, "%u", index);
        return;
    }
    for (const char *p = json_doc_key_text(doc, node); *p; p++)
        if (*p == '~' || *p == '/')
            str_puts(b, *p == '~' ? "~0" : "~1");
        else
            str_add(b, p, 1);
}

static void check_lookups(const struct json_doc *doc)
{
    size_t found = 0;

    for (size_t i = 0; i < doc->node_count; i++)
        found += doc->nodes[i].repeated != 0;
    if (found != count_duplicates(doc))
        fuzz_fail("%zu duplicate keys were found", found);
    for (size_t i = 0; i < doc->node_count && found == 0; i++) {
        struct str pointer = { 0 };

        add_pointer(doc, i, &pointer);
        if (json_doc_find(doc, pointer.s ? pointer.s : "") != (ptrdiff_t)i)
            fuzz_fail("nothing, or another value, is at %s", pointer.s);
        str_free(&pointer);
    }
}

/* Nodes lie within their parents, in the order of the text. */
static void check_nodes(const struct json_doc *doc)
{
    for (size_t i = 0; i < doc->node_count; i++) {
        const struct json_node *n = &doc->nodes[i], *parent = &doc->nodes[n->parent];

        if (n->start >= n->end || n->end > doc->len || n->next <= i || n->next > doc->node_count ||
            n->next > parent->next ||
            (i > 0 && (n->parent >= i || n->start <= parent->start || n->end >= parent->end)))
            fuzz_fail("node %zu is out of place", i);
        if (n->type == JSON_NUMBER)
            check_number(doc->clean + n->start, n->end - n->start);
    }
}

/* What is read as JSON: edits in order, the text between them as it was, the way back, and nothing
 * more to edit. */
static void check_notation(const char *text, size_t size, bool valid)
{
    struct json_notation n = { 0 }, again = { 0 };
    size_t at = 0, to = 0;

    if (!json_notation_read(&n, text, size))
        fuzz_fail("the reader of notations gave up");
    if (valid && n.n > 0)
        fuzz_fail("JSON is edited at byte %zu", n.edits[0].offset);
    for (size_t i = 0; i < n.n; i++) {
        const struct json_edit *e = &n.edits[i];

        if (e->offset < at || e->end < e->offset || (e->end == e->offset && e->at == e->at_end) ||
            e->end > size || e->last < i || e->last >= n.n || e->at - to != e->offset - at ||
            memcmp(n.json + to, text + at, e->offset - at) != 0)
            fuzz_fail("edit %zu is out of place", i);
        if ((e->at < e->at_end && json_notation_source(&n, e->at) != e->offset) ||
            ((i + 1 == n.n || n.edits[i + 1].at > e->at_end) &&
             json_notation_source(&n, e->at_end) != e->end))
            fuzz_fail("edit %zu does not lead back", i);
        at = e->end;
        to = e->at_end;
    }
    if (n.n > 0 && (n.json_len - to != size - at || memcmp(n.json + to, text + at, size - at) != 0))
        fuzz_fail("the text after byte %zu is another", at);
    for (size_t i = 0; i < n.json_len; i++)
        if (json_notation_source(&n, i) > json_notation_source(&n, i + 1))
            fuzz_fail("the way back turns at byte %zu", i);
    if (n.n > 0 && (!json_notation_read(&again, n.json, n.json_len) || again.n > 0))
        fuzz_fail("it is edited again at byte %zu", again.n > 0 ? again.edits[0].offset : 0);
    json_notation_free(&again);
    json_notation_free(&n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct json_error err = { .offset = SIZE_MAX };
    struct json_doc doc = { 0 };
    enum json_result result = json_doc_scan(&doc, text, size, &err);
    struct json_position at = { 0, 1, 1 };

    if (result == JSON_NOMEM)
        fuzz_fail("the scanner gave up");
    check_notation(text, size, result == JSON_OK);
    if (result == JSON_INVALID) {
        if (err.offset > size || !err.message[0] || !memchr(err.message, '\0', sizeof err.message))
            fuzz_fail("an error at byte %zu of %zu", err.offset, size);
        json_position_advance(&at, text, size, err.offset);
        if (at.line < 1 || at.column < 1 || at.line > size + 1 || at.column > size + 1)
            fuzz_fail("an error at line %zu, column %zu", at.line, at.column);
        if (is_json(text, size))
            fuzz_fail("the scanner refuses JSON: %s", err.message);
        return 0;
    }
    if (doc.len != size || doc.clean[size] != '\0' || !is_json(doc.clean, size))
        fuzz_fail("the cleaned text is no JSON");
    check_nodes(&doc);
    if (doc.node_count < 500) {
        check_cjson(&doc);
        check_lookups(&doc);
    }
    json_doc_free(&doc);
    return 0;
}
