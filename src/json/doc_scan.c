#include "json/doc.h"

#include "base/mem.h"

struct scan {
    struct json_doc *doc;
    struct json_lexer lx;
    enum json_expect expect;
    size_t cap;    /* of doc->nodes */
    size_t depth;  /* containers open */
    uint32_t open; /* index of the innermost one */
    uint32_t key;  /* of the member being read, else JSON_NO_KEY */
    size_t comma;  /* offset of the last token if it was a comma, else len */
};

/* Blanks bytes of the clean text other than line ends, so that line numbers stay. */
static void blank(struct json_doc *doc, size_t from, size_t to)
{
    for (char *p = doc->clean + from; p < doc->clean + to; p++)
        if (*p != '\n' && *p != '\r')
            *p = ' ';
}

static bool in_array(const struct scan *sc)
{
    return sc->depth > 0 && sc->doc->nodes[sc->open].type == JSON_ARRAY;
}

static void expect_next(struct scan *sc) { sc->expect = sc->depth > 0 ? EXPECT_COMMA : EXPECT_END; }

/* Adds the value that the last token begins. */
static enum json_result add_node(struct scan *sc, enum json_type type)
{
    struct json_doc *doc = sc->doc;
    uint32_t index = (uint32_t)doc->node_count;

    if (!mem_reserve(&doc->nodes, doc->node_count, &sc->cap, sizeof *doc->nodes))
        return JSON_NOMEM;
    doc->nodes[doc->node_count++] = (struct json_node){
        .start = (uint32_t)sc->lx.start,
        .end = (uint32_t)sc->lx.end,
        .key = sc->key,
        .next = index + 1,
        .parent = sc->depth > 0 ? sc->open : index,
        .type = (uint8_t)type,
    };
    if (sc->depth > 0)
        doc->nodes[sc->open].count++;
    sc->key = JSON_NO_KEY;
    expect_next(sc);
    return JSON_OK;
}

static enum json_result open_container(struct scan *sc, enum json_type type)
{
    enum json_result result;

    if (sc->depth == JSON_MAX_DEPTH) {
        json_lex_error(&sc->lx, sc->lx.start,
                       "arrays and objects are nested more than %d levels deep", JSON_MAX_DEPTH);
        return JSON_INVALID;
    }
    result = add_node(sc, type);
    sc->open = (uint32_t)(sc->doc->node_count - 1);
    sc->depth++;
    sc->expect = type == JSON_ARRAY ? EXPECT_ELEMENT : EXPECT_KEY;
    return result;
}

static enum json_result close_container(struct scan *sc)
{
    struct json_node *node = &sc->doc->nodes[sc->open];

    if (sc->comma < sc->lx.len)
        blank(sc->doc, sc->comma, sc->comma + 1);
    node->end = (uint32_t)sc->lx.end;
    node->next = (uint32_t)sc->doc->node_count;
    sc->open = node->parent;
    sc->depth--;
    expect_next(sc);
    return JSON_OK;
}

/* Sets the error that names what was expected instead of the last token. */
static enum json_result unexpected(struct scan *sc)
{
    static const char *const expected[] = {
        [EXPECT_VALUE] = "a value",
        [EXPECT_ELEMENT] = "a value or ']'",
        [EXPECT_KEY] = "a key in double quotes, or '}'",
        [EXPECT_COLON] = "':' after a key",
        [EXPECT_COMMA] = "',' or '}' after a member",
        [EXPECT_END] = "nothing more after the top-level value",
    };
    bool array = in_array(sc);
    const char *what = expected[sc->expect];
    char more[96];

    if (sc->expect == EXPECT_COMMA && array)
        what = "',' or ']' after an element";
    if (sc->depth > 0 && sc->lx.token == JSON_TOKEN_END) {
        struct json_position at = { 0, 1, 1 };

        json_position_advance(&at, sc->lx.text, sc->lx.len, sc->doc->nodes[sc->open].start);
        snprintf(more, sizeof more, "%s (the %s begins at line %zu, column %zu)", what,
                 array ? "array" : "object", at.line, at.column);
        what = more;
    }
    json_lex_expected(&sc->lx, what);
    return JSON_INVALID;
}

static enum json_result scan_value(struct scan *sc)
{
    static const char *const words[] = { "null", "false", "true" };

    switch (sc->lx.token) {
    case JSON_TOKEN_OPEN_ARRAY: return open_container(sc, JSON_ARRAY);
    case JSON_TOKEN_OPEN_OBJECT: return open_container(sc, JSON_OBJECT);
    case JSON_TOKEN_STRING: return add_node(sc, JSON_STRING);
    case JSON_TOKEN_NUMBER: return add_node(sc, JSON_NUMBER);
    case JSON_TOKEN_WORD:
        for (enum json_type type = JSON_NULL; type <= JSON_TRUE; type++)
            if (json_lex_is(&sc->lx, words[type]))
                return add_node(sc, type);
        return unexpected(sc);
    default: return unexpected(sc);
    }
}

static enum json_result scan_token(struct scan *sc)
{
    enum json_token token = sc->lx.token;
    bool array = in_array(sc);

    if (sc->expect != EXPECT_VALUE && sc->expect != EXPECT_COLON && sc->depth > 0 &&
        token == (array ? JSON_TOKEN_CLOSE_ARRAY : JSON_TOKEN_CLOSE_OBJECT))
        return close_container(sc);
    if (sc->expect == EXPECT_VALUE || sc->expect == EXPECT_ELEMENT)
        return scan_value(sc);
    if (sc->expect == EXPECT_KEY && token == JSON_TOKEN_STRING) {
        if (sc->lx.end - sc->lx.start > JSON_MAX_KEY) {
            json_lex_error(&sc->lx, sc->lx.start, "a key is longer than %d bytes", JSON_MAX_KEY);
            return JSON_INVALID;
        }
        sc->key = (uint32_t)sc->lx.start;
        sc->expect = EXPECT_COLON;
    } else if (sc->expect == EXPECT_COLON && token == JSON_TOKEN_COLON)
        sc->expect = EXPECT_VALUE;
    else if (sc->expect == EXPECT_COMMA && token == JSON_TOKEN_COMMA)
        sc->expect = array ? EXPECT_ELEMENT : EXPECT_KEY;
    else
        return unexpected(sc);
    return JSON_OK;
}

static enum json_result scan_text(struct scan *sc)
{
    for (;;) {
        size_t gap = sc->lx.end;
        enum json_token token = json_lex(&sc->lx);
        enum json_result result;

        if (token == JSON_TOKEN_ERROR)
            return JSON_INVALID;
        if (sc->lx.comments)
            blank(sc->doc, gap, sc->lx.start);
        if (token == JSON_TOKEN_END && sc->expect == EXPECT_END)
            return JSON_OK;
        result = scan_token(sc);
        if (result != JSON_OK)
            return result;
        sc->comma = token == JSON_TOKEN_COMMA ? sc->lx.start : sc->lx.len;
    }
}

enum json_result json_doc_scan(struct json_doc *doc, const char *text, size_t len,
                               struct json_error *err)
{
    struct scan sc = {
        .doc = doc, .lx = { .text = text, .len = len }, .key = JSON_NO_KEY, .comma = len
    };
    enum json_result result = JSON_NOMEM;

    *doc = (struct json_doc){ .len = len };
    if (len > JSON_MAX_TEXT) {
        json_lex_error(&sc.lx, JSON_MAX_TEXT, "the text is longer than %zu GiB",
                       JSON_MAX_TEXT >> 30);
        result = JSON_INVALID;
    } else if ((doc->clean = mem_alloc((uint64_t)len + 1, 1))) {
        memcpy(doc->clean, text, len);
        doc->clean[len] = '\0';
        result = scan_text(&sc);
    }
    if (result == JSON_OK && !json_doc_index(doc))
        result = JSON_NOMEM;
    if (result != JSON_OK)
        json_doc_free(doc);
    if (result == JSON_INVALID)
        *err = sc.lx.err;
    return result;
}
