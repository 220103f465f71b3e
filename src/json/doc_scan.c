#include "json/doc.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* The state of a scan. What may come next: */
enum expect {
    EXPECT_VALUE,          /* the top, or after a member's colon */
    EXPECT_ELEMENT,        /* after '[' or a comma in an array: a value or ']' */
    EXPECT_MEMBER,         /* after '{' or a comma in an object: a key or '}' */
    EXPECT_COLON,
    EXPECT_COMMA,          /* after a value in a container: a comma or the closing bracket */
    EXPECT_END,
};

struct scan {
    struct json_doc *doc;
    struct json_lexer lx;
    enum expect expect;
    size_t cap;            /* of doc->nodes */
    size_t depth;          /* containers open */
    uint32_t open;         /* index of the innermost one */
    uint32_t key;          /* of the member being read, else JSON_NO_KEY */
    size_t comma;          /* offset of the comma just read, or len */
};

/* Blanks bytes of the clean text other than line ends, so that lines stay the same. */
static void blank(char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s[i] != '\n' && s[i] != '\r')
            s[i] = ' ';
}

/* What may follow a value. */
static enum expect after_value(const struct scan *sc)
{
    return sc->depth ? EXPECT_COMMA : EXPECT_END;
}

static bool add_node(struct scan *sc, enum json_type type)
{
    struct json_doc *doc = sc->doc;
    uint32_t index = (uint32_t)doc->node_count;

    if (!mem_reserve(&doc->nodes, doc->node_count, &sc->cap, sizeof *doc->nodes))
        return false;
    doc->nodes[index] = (struct json_node){
        .start = (uint32_t)sc->lx.start,
        .end = (uint32_t)sc->lx.end,
        .key = sc->key,
        .next = index + 1,
        .parent = sc->depth ? sc->open : index,
        .type = (uint8_t)type,
    };
    if (sc->depth)
        doc->nodes[sc->open].count++;
    doc->node_count++;
    sc->key = JSON_NO_KEY;
    return true;
}

static enum json_result open_container(struct scan *sc, enum json_type type)
{
    if (sc->depth == JSON_MAX_DEPTH) {
        json_lex_error(&sc->lx, sc->lx.start,
                       "arrays and objects are nested more than %d levels deep", JSON_MAX_DEPTH);
        return JSON_INVALID;
    }
    if (!add_node(sc, type))
        return JSON_NOMEM;
    sc->open = (uint32_t)(sc->doc->node_count - 1);
    sc->depth++;
    sc->expect = type == JSON_ARRAY ? EXPECT_ELEMENT : EXPECT_MEMBER;
    return JSON_OK;
}

static enum json_result close_container(struct scan *sc)
{
    struct json_node *node = &sc->doc->nodes[sc->open];

    if (sc->expect != EXPECT_COMMA && sc->comma < sc->lx.len)
        blank(sc->doc->clean + sc->comma, 1);
    node->end = (uint32_t)sc->lx.end;
    node->next = (uint32_t)sc->doc->node_count;
    sc->open = node->parent;
    sc->depth--;
    sc->expect = after_value(sc);
    return JSON_OK;
}

static enum json_result add_leaf(struct scan *sc, enum json_type type)
{
    if (!add_node(sc, type))
        return JSON_NOMEM;
    sc->expect = after_value(sc);
    return JSON_OK;
}

/* Says what was expected in the place of a token. */
static enum json_result unexpected(struct scan *sc, enum json_token token)
{
    static const char *const expected[] = {
        [EXPECT_VALUE] = "a value",
        [EXPECT_ELEMENT] = "a value or ']'",
        [EXPECT_MEMBER] = "a key in double quotes, or '}'",
        [EXPECT_COLON] = "':' after a key",
        [EXPECT_COMMA] = "',' or '}' after a member",
        [EXPECT_END] = "nothing more after the top-level value",
    };
    bool array = sc->depth && sc->doc->nodes[sc->open].type == JSON_ARRAY;
    const char *what = expected[sc->expect];
    char more[96];

    if (sc->expect == EXPECT_COMMA && array)
        what = "',' or ']' after an element";
    if (sc->depth && token == JSON_TOKEN_END) {
        size_t line, column;

        json_locate(sc->lx.text, sc->lx.len, sc->doc->nodes[sc->open].start, &line, &column);
        snprintf(more, sizeof more, "%s (the %s begins at line %zu, column %zu)", what,
                 array ? "array" : "object", line, column);
        what = more;
    }
    json_lex_expected(&sc->lx, token, what);
    return JSON_INVALID;
}

static enum json_result scan_value(struct scan *sc, enum json_token token)
{
    switch (token) {
    case JSON_TOKEN_OPEN_ARRAY:  return open_container(sc, JSON_ARRAY);
    case JSON_TOKEN_OPEN_OBJECT: return open_container(sc, JSON_OBJECT);
    case JSON_TOKEN_STRING:      return add_leaf(sc, JSON_STRING);
    case JSON_TOKEN_NUMBER:      return add_leaf(sc, JSON_NUMBER);
    case JSON_TOKEN_WORD:
        if (json_lex_is(&sc->lx, "true"))
            return add_leaf(sc, JSON_TRUE);
        if (json_lex_is(&sc->lx, "false"))
            return add_leaf(sc, JSON_FALSE);
        if (json_lex_is(&sc->lx, "null"))
            return add_leaf(sc, JSON_NULL);
        return unexpected(sc, token);
    default:
        return unexpected(sc, token);
    }
}

/* Scans one token. */
static enum json_result scan_token(struct scan *sc, enum json_token token)
{
    bool array = sc->depth && sc->doc->nodes[sc->open].type == JSON_ARRAY;
    bool closing = token == (array ? JSON_TOKEN_CLOSE_ARRAY : JSON_TOKEN_CLOSE_OBJECT);

    switch (sc->expect) {
    case EXPECT_VALUE:
        return scan_value(sc, token);
    case EXPECT_ELEMENT:
        return closing ? close_container(sc) : scan_value(sc, token);
    case EXPECT_MEMBER:
        if (closing)
            return close_container(sc);
        if (token != JSON_TOKEN_STRING)
            break;
        sc->key = (uint32_t)sc->lx.start;
        sc->expect = EXPECT_COLON;
        return JSON_OK;
    case EXPECT_COLON:
        if (token != JSON_TOKEN_COLON)
            break;
        sc->expect = EXPECT_VALUE;
        return JSON_OK;
    case EXPECT_COMMA:
        if (closing)
            return close_container(sc);
        if (token != JSON_TOKEN_COMMA)
            break;
        sc->comma = sc->lx.start;
        sc->expect = array ? EXPECT_ELEMENT : EXPECT_MEMBER;
        return JSON_OK;
    case EXPECT_END:
        break;
    }
    return unexpected(sc, token);
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
            blank(sc->doc->clean + gap, sc->lx.start - gap);
        if (token == JSON_TOKEN_END && sc->expect == EXPECT_END)
            return JSON_OK;
        result = scan_token(sc, token);
        if (result != JSON_OK)
            return result;
        if (token != JSON_TOKEN_COMMA)
            sc->comma = sc->lx.len;
    }
}

enum json_result json_doc_scan(struct json_doc *doc, const char *text, size_t len,
                               struct json_error *err)
{
    struct scan sc = { .doc = doc,
                       .lx = { .text = text, .len = len },
                       .key = JSON_NO_KEY,
                       .comma = len };
    enum json_result result = JSON_NOMEM;

    *doc = (struct json_doc){ .len = len };
    if (len > JSON_MAX_TEXT) {
        json_lex_error(&sc.lx, JSON_MAX_TEXT, "the text is longer than %zu GiB",
                       JSON_MAX_TEXT >> 30);
        result = JSON_INVALID;
        goto done;
    }
    doc->clean = mem_alloc((uint64_t)len + 1, 1);
    if (!doc->clean)
        goto done;
    memcpy(doc->clean, text, len);
    doc->clean[len] = '\0';
    result = scan_text(&sc);
    if (result == JSON_OK && !json_doc_index(doc))
        result = JSON_NOMEM;
done:
    if (result != JSON_OK)
        json_doc_free(doc);
    if (result == JSON_INVALID)
        *err = sc.lx.err;
    return result;
}
