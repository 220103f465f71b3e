#include "json/notation.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "json/doc.h"
#include "json/lex.h"

enum expect {
    EXPECT_VALUE,
    EXPECT_ELEMENT, /* a value or the closing bracket */
    EXPECT_KEY,     /* a key or the closing bracket */
    EXPECT_COLON,
    EXPECT_COMMA,   /* a comma or the closing bracket */
    EXPECT_END,
};

/* A bracket that is open. */
struct bracket {
    char close;   /* as it is in the text */
    bool object;  /* in JSON */
    bool edited;
    size_t edit;  /* index of its edit */
};

struct reading {
    struct json_lexer lx;
    struct json_notation *n;
    struct bracket open[JSON_MAX_DEPTH];
    size_t depth;
    enum expect expect;
    size_t key, key_end; /* the last key, without quotes */
};

/* What a step of the reading comes to. */
enum step { STEP_ON, STEP_STOP, STEP_NOMEM };

static enum step add_edit(struct reading *r, enum json_notation_kind kind, const char *before,
                          size_t keep, size_t keep_end, const char *after)
{
    struct json_notation *n = r->n;

    if (!mem_reserve(&n->edits, n->n, &n->cap, sizeof *n->edits))
        return STEP_NOMEM;
    n->edits[n->n] = (struct json_edit){ .offset = r->lx.start, .end = r->lx.end, .keep = keep,
                                         .keep_end = keep_end, .before = before, .after = after,
                                         .last = n->n, .kind = kind };
    n->n++;
    return STEP_ON;
}

static enum step replace(struct reading *r, enum json_notation_kind kind, const char *with)
{
    return add_edit(r, kind, with, r->lx.start, r->lx.start, "");
}

static bool is_other(const struct json_lexer *lx, enum json_token token, char c)
{
    return token == JSON_TOKEN_OTHER && lx->text[lx->start] == c;
}

static void after_value(struct reading *r)
{
    r->expect = r->depth > 0 ? EXPECT_COMMA : EXPECT_END;
}

static enum step open_bracket(struct reading *r, char close, bool object, const char *edit)
{
    struct bracket *b = &r->open[r->depth];

    if (r->depth == JSON_MAX_DEPTH)
        return STEP_STOP;
    *b = (struct bracket){ .close = close, .object = object, .edited = edit != NULL,
                           .edit = r->n->n };
    r->depth++;
    r->expect = object ? EXPECT_KEY : EXPECT_ELEMENT;
    return edit ? replace(r, close == ')' ? JSON_PARENTHESES : JSON_BRACES, edit) : STEP_ON;
}

static bool closes(const struct reading *r, enum json_token token)
{
    char c = token == JSON_TOKEN_CLOSE_ARRAY    ? ']'
             : token == JSON_TOKEN_CLOSE_OBJECT ? '}'
             : is_other(&r->lx, token, ')')     ? ')'
                                                : '\0';

    return c && r->depth > 0 && r->open[r->depth - 1].close == c;
}

static enum step close_bracket(struct reading *r)
{
    const struct bracket *b = &r->open[--r->depth];

    after_value(r);
    if (!b->edited)
        return STEP_ON;
    r->n->edits[b->edit].last = r->n->n;
    return replace(r, r->n->edits[b->edit].kind, b->object ? "}" : "]");
}

/* Where the closing quote of 'TEXT' is, of which the lexer gave the first one; 0: there is none, or
 * what is between them would have to be escaped. */
static size_t find_quote(const struct json_lexer *lx)
{
    size_t at = lx->end, n;

    while (at < lx->len && !strchr("'\"\\\r\n", lx->text[at])) {
        n = str_utf8_length(lx->text + at, lx->len - at);
        if (n == 0)
            return 0;
        at += n;
    }
    return at < lx->len && lx->text[at] == '\'' ? at : 0;
}

/* What an opening brace or parenthesis begins, by the tokens after it. */
enum content { CONTENT_MEMBERS, CONTENT_ELEMENTS, CONTENT_UNKNOWN };

static enum content content_of(const struct json_lexer *at)
{
    struct json_lexer lx = *at;
    enum json_token first = json_lex(&lx), second;

    if (is_other(&lx, first, '\'') && find_quote(&lx)) {
        lx.end = find_quote(&lx) + 1;
        first = JSON_TOKEN_STRING;
    }
    if (first == JSON_TOKEN_NUMBER || first == JSON_TOKEN_OPEN_ARRAY ||
        first == JSON_TOKEN_OPEN_OBJECT)
        return CONTENT_ELEMENTS;
    if (first != JSON_TOKEN_STRING && first != JSON_TOKEN_WORD)
        return CONTENT_UNKNOWN;
    second = json_lex(&lx);
    if (second == JSON_TOKEN_COLON)
        return CONTENT_MEMBERS;
    return second == JSON_TOKEN_COMMA || second == JSON_TOKEN_CLOSE_OBJECT ? CONTENT_ELEMENTS
                                                                          : CONTENT_UNKNOWN;
}

/* JSON for words that other languages have. */
static const struct {
    const char *word, *json;
    enum json_notation_kind kind;
} words[] = {
    { "True", "true", JSON_CONSTANT },         { "TRUE", "true", JSON_CONSTANT },
    { "False", "false", JSON_CONSTANT },       { "FALSE", "false", JSON_CONSTANT },
    { "None", "null", JSON_CONSTANT },         { "NULL", "null", JSON_CONSTANT },
    { "nullptr", "null", JSON_CONSTANT },      { "NaN", "\"nan\"", JSON_SPECIAL },
    { "nan", "\"nan\"", JSON_SPECIAL },        { "NAN", "\"nan\"", JSON_SPECIAL },
    { "Infinity", "\"inf\"", JSON_SPECIAL },   { "-Infinity", "\"-inf\"", JSON_SPECIAL },
    { "inf", "\"inf\"", JSON_SPECIAL },        { "-inf", "\"-inf\"", JSON_SPECIAL },
    { "Inf", "\"inf\"", JSON_SPECIAL },        { "-Inf", "\"-inf\"", JSON_SPECIAL },
    { "INFINITY", "\"inf\"", JSON_SPECIAL },   { "-INFINITY", "\"-inf\"", JSON_SPECIAL },
};

static bool ends_with(const char *s, size_t n, const char *end)
{
    size_t len = strlen(end);

    return n >= len && memcmp(s + n - len, end, len) == 0;
}

/* Whether the last word is the name of a constant, which is a string in JSON: in capitals, or any
 * name as the value of a key for such names. A C struct's type is not one. */
static bool is_name(const struct reading *r)
{
    const char *s = r->lx.text + r->lx.start, *key = r->lx.text + r->key;
    size_t n = r->lx.end - r->lx.start, key_n = r->key_end - r->key;
    bool capitals = n > 1 && *s >= 'A' && *s <= 'Z';

    if (*s == '-' || ends_with(s, n, "_DESC"))
        return false;
    for (size_t i = 0; i < n; i++)
        capitals = capitals && !(s[i] >= 'a' && s[i] <= 'z');
    return capitals || ends_with(key, key_n, "Type") || ends_with(key, key_n, "type") ||
           ends_with(key, key_n, "Direction") || ends_with(key, key_n, "Flags");
}

/* Whether the last key is one whose values may be NaN and infinities, in a model file. */
static bool takes_special(const struct reading *r)
{
    static const char *const keys[] = { "initialValues", "value", "valueStart", "valueDelta" };
    const char *key = r->lx.text + r->key;
    size_t n = r->key_end - r->key;

    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (strlen(keys[i]) == n && memcmp(keys[i], key, n) == 0)
            return true;
    return false;
}

/* Whether a value that ends here ends for good; "A | B", flags in C, is one name, to whose end the
 * lexer is moved. */
static bool name_ends(struct reading *r)
{
    for (struct json_lexer ahead = r->lx;;) {
        enum json_token token = json_lex(&ahead);

        if (!is_other(&ahead, token, '|'))
            return token == JSON_TOKEN_COMMA || token == JSON_TOKEN_CLOSE_ARRAY ||
                   token == JSON_TOKEN_CLOSE_OBJECT || is_other(&ahead, token, ')');
        if (json_lex(&ahead) != JSON_TOKEN_WORD)
            return false;
        r->lx.end = ahead.end;
    }
}

static enum step read_word(struct reading *r)
{
    after_value(r);
    if (json_lex_is(&r->lx, "true") || json_lex_is(&r->lx, "false") || json_lex_is(&r->lx, "null"))
        return STEP_ON;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (json_lex_is(&r->lx, words[i].word))
            return words[i].kind == JSON_SPECIAL && !takes_special(r)
                       ? STEP_STOP
                       : replace(r, words[i].kind, words[i].json);
    if (r->depth == 0 || !is_name(r) || !name_ends(r))
        return STEP_STOP;
    return add_edit(r, JSON_NAME, "\"", r->lx.start, r->lx.end, "\"");
}

/* Reads 'TEXT', of which the lexer gave the quote. */
static enum step read_quotes(struct reading *r)
{
    size_t at = find_quote(&r->lx);

    if (at == 0)
        return STEP_STOP;
    r->lx.end = at + 1;
    return add_edit(r, JSON_QUOTES, "\"", r->lx.start + 1, at, "\"");
}

static enum step read_value(struct reading *r, enum json_token token)
{
    enum content content;

    switch (token) {
    case JSON_TOKEN_OPEN_ARRAY:
        return open_bracket(r, ']', false, NULL);
    case JSON_TOKEN_OPEN_OBJECT:
        if (content_of(&r->lx) == CONTENT_ELEMENTS)
            return open_bracket(r, '}', false, "[");
        return open_bracket(r, '}', true, NULL);
    case JSON_TOKEN_WORD:
        return read_word(r);
    case JSON_TOKEN_STRING:
    case JSON_TOKEN_NUMBER:
        after_value(r);
        return STEP_ON;
    default:
        if (is_other(&r->lx, token, '\'')) {
            after_value(r);
            return read_quotes(r);
        }
        content = is_other(&r->lx, token, '(') ? content_of(&r->lx) : CONTENT_UNKNOWN;
        if (content == CONTENT_UNKNOWN)
            return STEP_STOP;
        return open_bracket(r, ')', content == CONTENT_MEMBERS,
                            content == CONTENT_MEMBERS ? "{" : "[");
    }
}

static enum step read_key(struct reading *r, enum json_token token)
{
    struct json_lexer ahead = r->lx;
    enum step step = STEP_ON;
    bool bare = token == JSON_TOKEN_WORD;

    if (is_other(&r->lx, token, '\''))
        step = read_quotes(r);
    else if (token != JSON_TOKEN_STRING && !(bare && json_lex(&ahead) == JSON_TOKEN_COLON))
        return STEP_STOP;
    r->expect = EXPECT_COLON;
    r->key = r->lx.start + !bare;
    r->key_end = r->lx.end - !bare;
    return bare ? add_edit(r, JSON_KEY, "\"", r->key, r->key_end, "\"") : step;
}

static enum step read_token(struct reading *r, enum json_token token)
{
    if ((r->expect == EXPECT_ELEMENT || r->expect == EXPECT_KEY || r->expect == EXPECT_COMMA) &&
        closes(r, token))
        return close_bracket(r);
    switch (r->expect) {
    case EXPECT_VALUE:
    case EXPECT_ELEMENT:
        return read_value(r, token);
    case EXPECT_KEY:
        return read_key(r, token);
    case EXPECT_COLON:
        r->expect = EXPECT_VALUE;
        return token == JSON_TOKEN_COLON ? STEP_ON : STEP_STOP;
    case EXPECT_COMMA:
        r->expect = r->open[r->depth - 1].object ? EXPECT_KEY : EXPECT_ELEMENT;
        return token == JSON_TOKEN_COMMA ? STEP_ON : STEP_STOP;
    default:
        return STEP_STOP;
    }
}

/* Leaves out what belongs to a bracket that was not closed as it was opened. */
static void drop_open(struct reading *r)
{
    for (size_t i = 0; i < r->depth; i++)
        if (r->open[i].edited) {
            r->n->n = r->open[i].edit;
            return;
        }
}

/* Makes the edits. */
static bool write_json(struct json_notation *n, const char *text, size_t len)
{
    struct str b = { 0 };
    size_t at = 0;

    for (size_t i = 0; i < n->n; i++) {
        struct json_edit *e = &n->edits[i];

        str_add(&b, text + at, e->offset - at);
        e->at = b.len;
        str_puts(&b, e->before);
        str_add(&b, text + e->keep, e->keep_end - e->keep);
        str_puts(&b, e->after);
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
    struct reading r = { .lx = { .text = text, .len = len }, .n = n };
    enum step step = STEP_ON;

    *n = (struct json_notation){ 0 };
    while (step == STEP_ON && len <= JSON_NOTATION_MAX) {
        enum json_token token = json_lex(&r.lx);

        step = token == JSON_TOKEN_ERROR || token == JSON_TOKEN_END ? STEP_STOP
                                                                    : read_token(&r, token);
    }
    drop_open(&r);
    if (step == STEP_NOMEM || (n->n > 0 && !write_json(n, text, len))) {
        json_notation_free(n);
        return false;
    }
    return true;
}

size_t json_notation_source(const struct json_notation *n, size_t at)
{
    size_t low = 0, high = n->n; /* the edits that begin at `at` or before are [0, low) */
    const struct json_edit *e;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (n->edits[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return at;
    e = &n->edits[low - 1];
    if (at >= e->at_end)
        return e->end + (at - e->at_end);
    at -= e->at;
    if (at == 0 || e->keep == e->keep_end)
        return e->offset;
    at -= strlen(e->before);
    return e->keep + (at < e->keep_end - e->keep ? at : e->keep_end - e->keep);
}

void json_notation_free(struct json_notation *n)
{
    free(n->edits);
    free(n->json);
    *n = (struct json_notation){ 0 };
}
