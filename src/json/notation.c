#include "json/notation.h"

#include "base/mem.h"
#include "base/str.h"
#include "json/doc.h"
#include "json/notation_lex.h"
#include "json/number.h"

enum { AT_END = '\0' /* closes what the end of the text closes */ };
#define NONE SIZE_MAX

struct bracket {
    char close;  /* in the text; AT_END: none */
    bool object; /* in JSON */
    size_t edit; /* index of the first edit for it, or NONE */
};

struct translator {
    struct json_lexer lx;
    struct json_notation *n;
    struct bracket open[JSON_MAX_DEPTH];
    size_t depth;
    enum json_expect expect;
    size_t key, key_end; /* the last key, without quotes */
    size_t gap;          /* the end of the token before the last one */
    bool failed;         /* memory is short */
};

/* True if JSON has another bracket. */
static bool is_edited(const struct bracket *b)
{
    return b->close == ')' || (b->close == '}' && !b->object);
}

static bool add(struct translator *r, struct json_edit e)
{
    struct json_notation *n = r->n;

    r->failed = !mem_reserve(&n->edits, n->n, &n->cap, sizeof *n->edits);
    if (r->failed)
        return false;
    e.last = n->n;
    n->edits[n->n++] = e;
    return true;
}

/* Replaces the last token. */
static bool replace(struct translator *r, enum json_notation_kind kind, const char *json)
{
    return add(
        r,
        (struct json_edit){
            .offset = r->lx.start, .end = r->lx.end, .before = json, .after = "", .kind = kind });
}

static bool insert(struct translator *r, enum json_notation_kind kind, size_t at, const char *json)
{
    return add(r, (struct json_edit){
                      .offset = at, .end = at, .before = json, .after = "", .kind = kind });
}

/* Puts quotes around [keep, keep_end) instead of [offset, end). */
static bool quote(struct translator *r, enum json_notation_kind kind, size_t offset, size_t end)
{
    bool front = kind == JSON_QUOTES || kind == JSON_UNCLOSED;
    bool back = kind == JSON_QUOTES || kind == JSON_UNOPENED;

    return add(r, (struct json_edit){ .offset = offset,
                                      .end = end,
                                      .keep = r->lx.start + front,
                                      .keep_end = r->lx.end - back,
                                      .before = "\"",
                                      .after = kind == JSON_FIELD ? "\":" : "\"",
                                      .kind = kind });
}

static void after_value(struct translator *r)
{
    r->expect = r->depth > 0 ? EXPECT_COMMA : EXPECT_END;
}

/* `first` is the index of the first edit for the bracket if it is undone with it. */
static bool open_bracket(struct translator *r, char close, bool object, size_t first)
{
    struct bracket *b = &r->open[r->depth];

    if (r->depth == JSON_MAX_DEPTH)
        return false;
    *b = (struct bracket){ .close = close, .object = object, .edit = first };
    r->depth++;
    r->expect = object ? EXPECT_KEY : EXPECT_ELEMENT;
    if (!is_edited(b))
        return true;
    if (b->edit == NONE)
        b->edit = r->n->n;
    return replace(r, close == ')' ? JSON_PARENTHESES : JSON_BRACES, object ? "{" : "[");
}

/* True if the last token, which is not the end, closes the innermost bracket. */
static bool closes(const struct translator *r)
{
    return r->depth > 0 && r->lx.text[r->lx.start] == r->open[r->depth - 1].close;
}

static bool close_bracket(struct translator *r)
{
    const struct bracket *b = &r->open[--r->depth];
    size_t edit = b->edit;

    after_value(r);
    if (b->close == AT_END)
        return replace(r, JSON_END, " }");
    if (!is_edited(b))
        return true;
    while (r->n->edits[edit].kind == JSON_TYPE)
        edit++;
    r->n->edits[edit].last = r->n->n;
    return replace(r, JSON_CLOSING, b->object ? "}" : "]");
}

static bool ends_with(const char *s, size_t n, const char *end)
{
    size_t len = strlen(end);

    return n >= len && memcmp(s + n - len, end, len) == 0;
}

/* The content of an opening brace or parenthesis, judged by the next two tokens. */
enum content { CONTENT_MEMBERS, CONTENT_ELEMENTS, CONTENT_UNKNOWN };

static enum content content_of(const struct json_lexer *at)
{
    struct json_lexer lx = *at;
    enum json_token first = notation_lex(&lx), second;

    if (first == JSON_TOKEN_NUMBER && notation_is(at, '(')) {
        json_lex(&lx);
        return notation_is(&lx, ')') ? CONTENT_UNKNOWN : CONTENT_ELEMENTS; /* (2) is 2 or {2} */
    }
    if (first == JSON_TOKEN_NUMBER || first == JSON_TOKEN_OPEN_ARRAY ||
        first == JSON_TOKEN_OPEN_OBJECT)
        return CONTENT_ELEMENTS;
    if (notation_is_key(&lx))
        return CONTENT_MEMBERS;
    if (first != JSON_TOKEN_STRING && first != JSON_TOKEN_WORD)
        return CONTENT_UNKNOWN;
    if (ends_with(lx.text + lx.start, lx.end - lx.start, "_DESC")) /* DML_TENSOR_DESC{...} */
        return CONTENT_ELEMENTS;
    second = notation_lex(&lx);
    return second == JSON_TOKEN_COMMA || second == JSON_TOKEN_CLOSE_OBJECT ? CONTENT_ELEMENTS
                                                                           : CONTENT_UNKNOWN;
}

/* JSON for words that other languages have. */
static const struct {
    const char *word, *json;
    enum json_notation_kind kind;
} words[] = {
#include "json/words_rows.h"
};

/* True if the last word names a constant, which is a string in JSON: in capitals, or any name as
 * the value of a key for such names. The type of a C struct is none. */
static bool is_name(const struct translator *r)
{
    static const char *const key_ends[] = { "Type", "type", "Direction", "Flags" };
    const char *s = r->lx.text + r->lx.start;
    size_t n = r->lx.end - r->lx.start;
    bool capitals = n > 1 && *s >= 'A' && *s <= 'Z';

    if (*s == '-' || ends_with(s, n, "_DESC") ||
        ((ends_with(s, n, "_MAX") || ends_with(s, n, "_MIN")) && strncmp(s, "DML_", 4) != 0))
        return false;
    for (size_t i = 0; i < n; i++)
        capitals = capitals && !(s[i] >= 'a' && s[i] <= 'z');
    for (size_t i = 0; i < ARRAY_LEN(key_ends) && !capitals; i++)
        capitals = ends_with(r->lx.text + r->key, r->key_end - r->key, key_ends[i]);
    return capitals;
}

/* True if the last key may have NaN and infinities as values: a float, or values of a model. */
static bool takes_special(const struct translator *r)
{
    static const char key_ends[][16] = {
#include "json/special_keys_rows.h"
    };

    for (size_t i = 0; i < ARRAY_LEN(key_ends); i++)
        if (ends_with(r->lx.text + r->key, r->key_end - r->key, key_ends[i]))
            return true;
    return false;
}

/* True if a value can end after the last token. */
static bool ends_value(const struct translator *r)
{
    struct json_lexer lx = r->lx;

    notation_lex(&lx);
    return lx.token == JSON_TOKEN_COMMA || lx.token == JSON_TOKEN_CLOSE_ARRAY ||
           lx.token == JSON_TOKEN_CLOSE_OBJECT || notation_is(&lx, ')') || notation_is(&lx, ';') ||
           lx.token == JSON_TOKEN_END || notation_is_key(&lx);
}

/* Reads what cannot be a value, up to the end of a value, as null. */
static bool read_unknown(struct translator *r)
{
    const char *text = r->lx.text;
    size_t at = r->lx.start;

    r->lx.end = at;
    while (at < r->lx.len && !strchr(",;:[]{}()\"'\r\n", text[at]) &&
           !(text[at] == '/' && at + 1 < r->lx.len && strchr("/*", text[at + 1]))) {
        size_t n = str_utf8_length(text + at, r->lx.len - at);

        if (n == 0)
            return false;
        at += n;
        if (text[at - 1] != ' ' && text[at - 1] != '\t')
            r->lx.end = at;
    }
    return r->depth > 0 && r->lx.end > r->lx.start && ends_value(r) &&
           replace(r, JSON_UNKNOWN, "null");
}

static bool read_word(struct translator *r)
{
    if (json_lex_is(&r->lx, "true") || json_lex_is(&r->lx, "false") || json_lex_is(&r->lx, "null"))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (json_lex_is(&r->lx, words[i].word))
            return words[i].kind == JSON_SPECIAL && !takes_special(r)
                       ? read_unknown(r)
                       : replace(r, words[i].kind, words[i].json);
    if (r->depth > 0 && is_name(r) && ends_value(r))
        return quote(r, JSON_NAME, r->lx.start, r->lx.end);
    return read_unknown(r);
}

/* Adds an edit for a string that is none in JSON. */
static bool read_quotes(struct translator *r)
{
    char first = r->lx.text[r->lx.start];
    bool front = first == '"' || first == '\'';
    bool back = r->lx.text[r->lx.end - 1] == (first == '\'' ? '\'' : '"');
    enum json_notation_kind kind = !front ? JSON_UNOPENED : back ? JSON_QUOTES : JSON_UNCLOSED;

    return (first == '"' && back) || quote(r, kind, r->lx.start, r->lx.end);
}

static bool read_number(struct translator *r)
{
    int64_t v;

    return number_i64(r->lx.text + r->lx.start, r->lx.end - r->lx.start, &v) != NUMBER_SYNTAX ||
           replace(r, JSON_C_NUMBER, "");
}

/* True if a cast to the type of a word leaves the number at lx as it is. */
static bool keeps_number(const struct json_lexer *type, const struct json_lexer *lx)
{
    static const char floats[] = "FLOAT float double";
    static const char whole[] =
        "UINT INT UINT32 UINT64 INT32 INT64 unsigned int uint32_t uint64_t int32_t int64_t size_t";
    const char *s = type->text + type->start;
    size_t n = type->end - type->start;

    return str_is_word(s, n, floats, false) ||
           (str_is_word(s, n, whole, false) && json_is_digit(lx->text[lx->start]) &&
            !memchr(lx->text + lx->start, '.', lx->end - lx->start));
}

/* Skips a type of C that has no comments before the last token's value: "(UINT[])", "&(TYPE)", and
 * without parentheses before a brace; the value's first token becomes the last one. */
static bool skip_type(struct translator *r)
{
    struct json_lexer lx = r->lx, type = lx;
    size_t count = 0;
    bool number;

    if (notation_is(&lx, '&'))
        json_lex(&lx);
    number = notation_is(&lx, '(');
    if (number)
        json_lex(&lx);
    for (; lx.token == JSON_TOKEN_WORD || (count > 0 && notation_is(&lx, '*')); count++) {
        type = lx;
        json_lex(&lx);
    }
    if (number && lx.token == JSON_TOKEN_OPEN_ARRAY) {
        if (json_lex(&lx) == JSON_TOKEN_NUMBER)
            json_lex(&lx);
        if (lx.token == JSON_TOKEN_CLOSE_ARRAY)
            json_lex(&lx);
    }
    if (number && !notation_is(&lx, ')'))
        return true;
    if (number)
        notation_lex(&lx);
    if (count == 0 || lx.token == JSON_TOKEN_ERROR ||
        json_has_comment(lx.text, r->lx.start, lx.end) ||
        (lx.token != JSON_TOKEN_OPEN_OBJECT &&
         !(number && lx.token == JSON_TOKEN_NUMBER && keeps_number(&type, &lx))))
        return true;
    r->lx.end = lx.start;
    if (!replace(r, JSON_TYPE, ""))
        return false;
    r->lx = lx;
    return true;
}

static bool read_value(struct translator *r)
{
    size_t first = r->n->n;
    bool good = skip_type(r), brace = r->lx.token == JSON_TOKEN_OPEN_OBJECT;
    enum content content = CONTENT_UNKNOWN;

    if (!good)
        return false;
    first = r->n->n > first ? first : NONE;
    if (r->lx.token == JSON_TOKEN_OPEN_ARRAY)
        return open_bracket(r, ']', false, first);
    if (brace || notation_is(&r->lx, '('))
        content = content_of(&r->lx);
    if (brace)
        return open_bracket(r, '}', content != CONTENT_ELEMENTS, first);
    if (content != CONTENT_UNKNOWN)
        return open_bracket(r, ')', content == CONTENT_MEMBERS, first);
    after_value(r);
    switch (r->lx.token) {
    case JSON_TOKEN_WORD: return read_word(r);
    case JSON_TOKEN_STRING: return read_quotes(r);
    case JSON_TOKEN_NUMBER: return read_number(r);
    default: return read_unknown(r);
    }
}

/* Reads a key, and with a key of C the '=' that follows. */
static bool read_key(struct translator *r)
{
    size_t start = r->lx.start;
    bool dot = notation_is(&r->lx, '.'), front, back;
    struct json_lexer ahead;

    if (r->lx.token != JSON_TOKEN_STRING && !notation_is_key(&r->lx))
        return false;
    r->expect = EXPECT_COLON;
    if (dot)
        json_lex(&r->lx);
    front = strchr("'\"", r->lx.text[r->lx.start]);
    back = strchr("'\"", r->lx.text[r->lx.end - 1]);
    r->key = r->lx.start + front;
    r->key_end = r->lx.end - back;
    if (r->lx.token == JSON_TOKEN_STRING)
        return read_quotes(r);
    ahead = r->lx;
    notation_lex(&ahead);
    if (!notation_is(&ahead, '=') || ahead.comments)
        return quote(r, JSON_KEY, start, r->lx.end);
    r->expect = EXPECT_VALUE;
    if (!quote(r, JSON_FIELD, start, ahead.end))
        return false;
    r->lx = ahead;
    return true;
}

/* True if a comma or colon may be missing before the last token: not between a quote and a name
 * that follows directly, of which the quote may be the first one. */
static bool may_insert(const struct translator *r)
{
    const char *text = r->lx.text;

    return r->gap < r->lx.start || text[r->gap - 1] != '"' || strchr("[{\"", text[r->gap]);
}

static bool begins_value(const struct json_lexer *lx)
{
    return (lx->token >= JSON_TOKEN_STRING && lx->token <= JSON_TOKEN_WORD) ||
           lx->token == JSON_TOKEN_OPEN_ARRAY || lx->token == JSON_TOKEN_OPEN_OBJECT;
}

/* Reads what is between a key and its value, or inserts it; but not in "a"": 1. */
static bool read_colon(struct translator *r)
{
    r->expect = EXPECT_VALUE;
    if (r->lx.token == JSON_TOKEN_COLON)
        return true;
    if (notation_is(&r->lx, '='))
        return replace(r, JSON_EQUALS, ":");
    return (r->gap < r->lx.start || r->lx.token != JSON_TOKEN_STRING) && may_insert(r) &&
           begins_value(&r->lx) && !notation_is_key(&r->lx) && insert(r, JSON_COLON, r->gap, ":") &&
           read_value(r);
}

/* Reads what is between two values, or inserts it. */
static bool read_comma(struct translator *r)
{
    bool object = r->open[r->depth - 1].object;

    r->expect = object ? EXPECT_KEY : EXPECT_ELEMENT;
    if (r->lx.token == JSON_TOKEN_COMMA)
        return true;
    if (notation_is(&r->lx, ';'))
        return (r->lx.end == r->lx.len || r->lx.text[r->lx.end] != ',') &&
               replace(r, JSON_SEMICOLON, ",");
    if (!may_insert(r) || (object ? !notation_is_key(&r->lx) : !begins_value(&r->lx)))
        return false;
    if (r->lx.text[r->lx.start] == '+' ||
        (r->gap == r->lx.start && strchr("-'", r->lx.text[r->lx.start])))
        return false; /* 1+1, 1'000 */
    return insert(r, JSON_COMMA, r->gap, ",") && (object ? read_key(r) : read_value(r));
}

/* True if the last token is a ';' that ends the text. */
static bool is_last(const struct translator *r)
{
    struct json_lexer ahead = r->lx;

    return notation_is(&r->lx, ';') && json_lex(&ahead) == JSON_TOKEN_END;
}

static bool read_token(struct translator *r)
{
    bool bare = r->depth == 1 && r->open[0].close == AT_END && r->expect != EXPECT_VALUE;

    if (bare && r->expect == EXPECT_COMMA && is_last(r))
        return close_bracket(r);
    if (r->expect != EXPECT_VALUE && r->expect != EXPECT_COLON && closes(r))
        return close_bracket(r);
    switch (r->expect) {
    case EXPECT_VALUE:
    case EXPECT_ELEMENT: return read_value(r);
    case EXPECT_KEY: return read_key(r);
    case EXPECT_COLON: return read_colon(r);
    case EXPECT_COMMA: return read_comma(r);
    default: return is_last(r) && replace(r, JSON_LAST, "");
    }
}

/* Reads the type before an initializer, with the name of a variable or in parentheses,
 * "DML_TOP_K1_OPERATOR_DESC d =": the type of an object, or nothing for DML_OPERATOR_DESC. */
static bool read_declaration(struct translator *r)
{
    static const char desc[] = "_OPERATOR_DESC", dml[] = "DML_";
    struct json_lexer lx = r->lx, type;
    bool literal = notation_is(&lx, '(');

    if (literal)
        json_lex(&lx);
    while (lx.token == JSON_TOKEN_WORD && str_is_word(lx.text + lx.start, lx.end - lx.start,
                                                      "const static constexpr struct", false))
        json_lex(&lx);
    type = lx;
    if (type.token != JSON_TOKEN_WORD ||
        !ends_with(type.text + type.start, type.end - type.start, desc) ||
        memcmp(type.text + type.start, dml, strlen(dml)) != 0)
        return true;
    json_lex(&lx);
    if (literal ? notation_is(&lx, ')') : lx.token == JSON_TOKEN_WORD)
        json_lex(&lx);
    else if (literal)
        return true;
    if (notation_is(&lx, '='))
        json_lex(&lx);
    if (lx.token != JSON_TOKEN_OPEN_OBJECT || content_of(&lx) == CONTENT_ELEMENTS ||
        json_has_comment(lx.text, r->lx.start, lx.end))
        return true;
    r->lx.end = lx.start;
    if (json_lex_is(&type, "DML_OPERATOR_DESC")) {
        if (!replace(r, JSON_TYPE, ""))
            return false;
    } else {
        r->open[r->depth++] = (struct bracket){ AT_END, true, r->n->n };
        r->expect = EXPECT_VALUE;
        if (!add(r, (struct json_edit){ .offset = r->lx.start,
                                        .end = lx.start,
                                        .keep = type.start + strlen(dml),
                                        .keep_end = type.end - strlen(desc),
                                        .before = "{ \"type\": \"DML_OPERATOR_",
                                        .after = "\", \"desc\": ",
                                        .kind = JSON_DECLARATION }))
            return false;
    }
    r->lx = lx;
    return true;
}

/* Reads the first token, and what C has before an initializer or has not around members. */
static bool read_first(struct translator *r)
{
    if (notation_lex(&r->lx) == JSON_TOKEN_ERROR || r->lx.token == JSON_TOKEN_END)
        return true;
    if (notation_is(&r->lx, '.') && notation_is_key(&r->lx)) {
        r->open[r->depth++] = (struct bracket){ AT_END, true, r->n->n };
        r->expect = EXPECT_KEY;
        return replace(r, JSON_MEMBERS, "{ ") && json_lex(&r->lx) == JSON_TOKEN_WORD;
    }
    return read_declaration(r);
}

static bool read_text(struct translator *r)
{
    bool good = read_first(r);

    while (good && r->lx.token != JSON_TOKEN_END) {
        good = read_token(r);
        r->gap = r->lx.end;
        if (good && notation_lex(&r->lx) == JSON_TOKEN_ERROR && r->lx.end > r->lx.start)
            good = false;
    }
    if (good && r->depth == 1 && r->open[0].close == AT_END &&
        (r->expect == EXPECT_COMMA || r->expect == EXPECT_KEY)) {
        r->lx.start = r->lx.end = r->gap;
        good = close_bracket(r);
    }
    return good;
}

/* Drops the edits from the first edited bracket on that is not closed or, if the text ends too
 * early, may have got the end of another one. */
static void drop_open(struct translator *r)
{
    struct json_notation *n = r->n;

    for (size_t i = r->depth; i-- > 0;)
        if (r->open[i].edit != NONE)
            n->n = r->open[i].edit;
    for (size_t i = 0; r->depth > 0 && r->lx.token == JSON_TOKEN_END && i < n->n; i++)
        if (n->edits[i].last > i || n->edits[i].kind == JSON_TYPE)
            n->n = i;
}

static bool write_json(struct json_notation *n, const char *text, size_t len)
{
    char number[NOTATION_NUMBER];
    struct str b = { 0 };
    size_t at = 0;

    for (size_t i = 0; i < n->n; i++) {
        struct json_edit *e = &n->edits[i];

        str_add(&b, text + at, e->offset - at);
        e->at = b.len;
        str_puts(&b, e->before);
        str_add(&b, text + e->keep, e->keep_end - e->keep);
        str_puts(&b, e->after);
        if (e->kind == JSON_C_NUMBER &&
            notation_number(text + e->offset, e->end - e->offset, number) > 0)
            str_puts(&b, number);
        e->at_end = b.len;
        at = e->end;
    }
    str_add(&b, text + at, len - at);
    n->json_len = b.len;
    n->json = str_detach(&b);
    return n->json != NULL;
}

bool json_notation_read(struct json_notation *n, const char *text, size_t len)
{
    struct translator r = { .lx = { .text = text, .len = len }, .n = n };

    *n = (struct json_notation){ 0 };
    if (len > JSON_NOTATION_MAX)
        return true;
    read_text(&r);
    drop_open(&r);
    if (r.failed || (n->n > 0 && !write_json(n, text, len))) {
        json_notation_free(n);
        return false;
    }
    return true;
}

/* The number of edits that begin at `at` or before, in the JSON or in the text. */
static size_t edits_before(const struct json_notation *n, size_t at, bool in_json)
{
    size_t low = 0, high = n->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if ((in_json ? n->edits[middle].at : n->edits[middle].offset) <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t json_notation_source(const struct json_notation *n, size_t at)
{
    size_t i = edits_before(n, at, true), kept;
    const struct json_edit *e;

    if (i == 0)
        return at;
    e = &n->edits[i - 1];
    kept = e->keep_end - e->keep;
    if (at >= e->at_end)
        return e->end + (at - e->at_end);
    at -= e->at;
    if (at == 0 || kept == 0)
        return e->offset;
    at -= at < strlen(e->before) ? at : strlen(e->before);
    return e->keep + (at < kept ? at : kept);
}

bool json_notation_is_unknown(const struct json_notation *n, size_t offset)
{
    size_t i = edits_before(n, offset, false);

    return i > 0 && n->edits[i - 1].kind == JSON_UNKNOWN && offset < n->edits[i - 1].end;
}

void json_notation_free(struct json_notation *n)
{
    free(n->edits);
    free(n->json);
    *n = (struct json_notation){ 0 };
}
