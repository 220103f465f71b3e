#include "json/notation.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "json/doc.h"
#include "json/lex.h"

/* An open bracket. */
struct bracket {
    char close;  /* in the text */
    bool object; /* in JSON */
    size_t edit; /* index of its edit, if it is edited */
};

struct reading {
    struct json_lexer lx;
    struct json_notation *n;
    struct bracket open[JSON_MAX_DEPTH];
    size_t depth;
    enum json_expect expect;
    size_t key, key_end; /* the last key, without quotes */
    bool failed;         /* memory is short */
};

/* True if JSON has another bracket. */
static bool is_edited(const struct bracket *b)
{
    return b->close == ')' || (b->close == '}' && !b->object);
}

static bool add_edit(struct reading *r, enum json_notation_kind kind, const char *before)
{
    struct json_notation *n = r->n;

    r->failed = !mem_reserve(&n->edits, n->n, &n->cap, sizeof *n->edits);
    if (r->failed)
        return false;
    n->edits[n->n] = (struct json_edit){
        .offset = r->lx.start, .end = r->lx.end, .before = before, .last = n->n, .kind = kind
    };
    n->n++;
    return true;
}

static bool is_other(const struct json_lexer *lx, char c)
{
    return lx->token == JSON_TOKEN_OTHER && lx->text[lx->start] == c;
}

static void after_value(struct reading *r) { r->expect = r->depth > 0 ? EXPECT_COMMA : EXPECT_END; }

static bool open_bracket(struct reading *r, char close, bool object)
{
    struct bracket *b = &r->open[r->depth];

    if (r->depth == JSON_MAX_DEPTH)
        return false;
    *b = (struct bracket){ .close = close, .object = object, .edit = r->n->n };
    r->depth++;
    r->expect = object ? EXPECT_KEY : EXPECT_ELEMENT;
    return !is_edited(b) ||
           add_edit(r, close == ')' ? JSON_PARENTHESES : JSON_BRACES, object ? "{" : "[");
}

/* True if the last token, which is not the end, closes the innermost bracket. */
static bool closes(const struct reading *r)
{
    return r->depth > 0 && r->lx.text[r->lx.start] == r->open[r->depth - 1].close;
}

static bool close_bracket(struct reading *r)
{
    const struct bracket *b = &r->open[--r->depth];

    after_value(r);
    if (!is_edited(b))
        return true;
    r->n->edits[b->edit].last = r->n->n;
    return add_edit(r, r->n->edits[b->edit].kind, b->object ? "}" : "]");
}

/* The offset of the closing quote of 'TEXT', whose first quote is the last token; 0 if there is
 * none or the text needs escapes. */
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

/* The content of an opening brace or parenthesis, judged by the next two tokens. */
enum content { CONTENT_MEMBERS, CONTENT_ELEMENTS, CONTENT_UNKNOWN };

static enum content content_of(const struct json_lexer *at)
{
    struct json_lexer lx = *at;
    enum json_token first = json_lex(&lx), second;

    if (is_other(&lx, '\'') && find_quote(&lx)) {
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
    { "True", "true", JSON_CONSTANT },       { "TRUE", "true", JSON_CONSTANT },
    { "False", "false", JSON_CONSTANT },     { "FALSE", "false", JSON_CONSTANT },
    { "None", "null", JSON_CONSTANT },       { "NULL", "null", JSON_CONSTANT },
    { "nullptr", "null", JSON_CONSTANT },    { "NaN", "\"nan\"", JSON_SPECIAL },
    { "nan", "\"nan\"", JSON_SPECIAL },      { "NAN", "\"nan\"", JSON_SPECIAL },
    { "Infinity", "\"inf\"", JSON_SPECIAL }, { "-Infinity", "\"-inf\"", JSON_SPECIAL },
    { "inf", "\"inf\"", JSON_SPECIAL },      { "-inf", "\"-inf\"", JSON_SPECIAL },
    { "Inf", "\"inf\"", JSON_SPECIAL },      { "-Inf", "\"-inf\"", JSON_SPECIAL },
    { "INFINITY", "\"inf\"", JSON_SPECIAL }, { "-INFINITY", "\"-inf\"", JSON_SPECIAL },
};

static bool ends_with(const char *s, size_t n, const char *end)
{
    size_t len = strlen(end);

    return n >= len && memcmp(s + n - len, end, len) == 0;
}

/* True if the last word names a constant, which is a string in JSON: in capitals, or any name as
 * the value of a key for such names. The type of a C struct is none. */
static bool is_name(const struct reading *r)
{
    static const char *const key_ends[] = { "Type", "type", "Direction", "Flags" };
    const char *s = r->lx.text + r->lx.start;
    size_t n = r->lx.end - r->lx.start;
    bool capitals = n > 1 && *s >= 'A' && *s <= 'Z';

    if (*s == '-' || ends_with(s, n, "_DESC"))
        return false;
    for (size_t i = 0; i < n; i++)
        capitals = capitals && !(s[i] >= 'a' && s[i] <= 'z');
    for (size_t i = 0; i < ARRAY_LEN(key_ends) && !capitals; i++)
        capitals = ends_with(r->lx.text + r->key, r->key_end - r->key, key_ends[i]);
    return capitals;
}

/* True if the last key may have NaN and infinities as values, in a model file. */
static bool takes_special(const struct reading *r)
{
    static const char *const keys[] = { "initialValues", "value", "valueStart", "valueDelta" };
    size_t n = r->key_end - r->key;

    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (strlen(keys[i]) == n && memcmp(keys[i], r->lx.text + r->key, n) == 0)
            return true;
    return false;
}

/* True if a comma or closing bracket follows. Flags of C, "A | B", are one name, to whose end the
 * lexer is moved. */
static bool name_ends(struct reading *r)
{
    for (struct json_lexer ahead = r->lx;;) {
        enum json_token token = json_lex(&ahead);

        if (!is_other(&ahead, '|'))
            return token == JSON_TOKEN_COMMA || token == JSON_TOKEN_CLOSE_ARRAY ||
                   token == JSON_TOKEN_CLOSE_OBJECT || is_other(&ahead, ')');
        if (json_lex(&ahead) != JSON_TOKEN_WORD)
            return false;
        r->lx.end = ahead.end;
    }
}

static bool read_word(struct reading *r)
{
    if (json_lex_is(&r->lx, "true") || json_lex_is(&r->lx, "false") || json_lex_is(&r->lx, "null"))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (json_lex_is(&r->lx, words[i].word))
            return (words[i].kind != JSON_SPECIAL || takes_special(r)) &&
                   add_edit(r, words[i].kind, words[i].json);
    return r->depth > 0 && is_name(r) && name_ends(r) && add_edit(r, JSON_NAME, "\"");
}

/* Reads 'TEXT', whose first quote is the last token. */
static bool read_quotes(struct reading *r)
{
    r->lx.end = find_quote(&r->lx) + 1;
    return r->lx.end > 1 && add_edit(r, JSON_QUOTES, "\"");
}

static bool read_value(struct reading *r)
{
    enum json_token token = r->lx.token;
    bool brace = token == JSON_TOKEN_OPEN_OBJECT;
    enum content content = CONTENT_UNKNOWN;

    if (token == JSON_TOKEN_OPEN_ARRAY)
        return open_bracket(r, ']', false);
    if (brace || is_other(&r->lx, '('))
        content = content_of(&r->lx);
    if (brace)
        return open_bracket(r, '}', content != CONTENT_ELEMENTS);
    if (content != CONTENT_UNKNOWN)
        return open_bracket(r, ')', content == CONTENT_MEMBERS);
    after_value(r);
    if (token == JSON_TOKEN_WORD)
        return read_word(r);
    return token == JSON_TOKEN_STRING || token == JSON_TOKEN_NUMBER ||
           (is_other(&r->lx, '\'') && read_quotes(r));
}

static bool read_key(struct reading *r)
{
    struct json_lexer ahead = r->lx;
    bool good = true, bare = r->lx.token == JSON_TOKEN_WORD;

    if (is_other(&r->lx, '\''))
        good = read_quotes(r);
    else if (bare && json_lex(&ahead) == JSON_TOKEN_COLON)
        good = add_edit(r, JSON_KEY, "\"");
    else if (r->lx.token != JSON_TOKEN_STRING)
        return false;
    r->expect = EXPECT_COLON;
    r->key = r->lx.start + !bare;
    r->key_end = r->lx.end - !bare;
    return good;
}

static bool read_token(struct reading *r)
{
    if (r->expect != EXPECT_VALUE && r->expect != EXPECT_COLON && closes(r))
        return close_bracket(r);
    switch (r->expect) {
    case EXPECT_VALUE:
    case EXPECT_ELEMENT: return read_value(r);
    case EXPECT_KEY: return read_key(r);
    case EXPECT_COLON:
        r->expect = EXPECT_VALUE;
        return r->lx.token == JSON_TOKEN_COLON;
    case EXPECT_COMMA:
        r->expect = r->open[r->depth - 1].object ? EXPECT_KEY : EXPECT_ELEMENT;
        return r->lx.token == JSON_TOKEN_COMMA;
    default: return false;
    }
}

/* Drops the edits from the first edited bracket on that is not closed. */
static void drop_open(struct reading *r)
{
    for (size_t i = 0; i < r->depth; i++)
        if (is_edited(&r->open[i])) {
            r->n->n = r->open[i].edit;
            return;
        }
}

/* True if an edit keeps bytes of the text, *n from *from on, between two quotes. */
static bool keeps(const struct json_edit *e, size_t *from, size_t *n)
{
    size_t quote = e->kind == JSON_QUOTES;

    *from = e->offset + quote;
    *n = e->end - quote - *from;
    return quote || e->kind == JSON_NAME || e->kind == JSON_KEY;
}

static bool write_json(struct json_notation *n, const char *text, size_t len)
{
    struct str b = { 0 };
    size_t at = 0, from, n_kept;

    for (size_t i = 0; i < n->n; i++) {
        struct json_edit *e = &n->edits[i];
        bool kept = keeps(e, &from, &n_kept);

        str_add(&b, text + at, e->offset - at);
        e->at = b.len;
        str_puts(&b, e->before);
        str_add(&b, text + from, kept ? n_kept : 0);
        str_puts(&b, kept ? e->before : "");
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
    bool good = len <= JSON_NOTATION_MAX;

    *n = (struct json_notation){ 0 };
    while (good && json_lex(&r.lx) != JSON_TOKEN_ERROR && r.lx.token != JSON_TOKEN_END)
        good = read_token(&r);
    drop_open(&r);
    if (r.failed || (n->n > 0 && !write_json(n, text, len))) {
        json_notation_free(n);
        return false;
    }
    return true;
}

size_t json_notation_source(const struct json_notation *n, size_t at)
{
    size_t low = 0, high = n->n, from, keep; /* the edits that begin at `at` or before: [0, low) */
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
    if (at == 0 || !keeps(e, &from, &keep) || keep == 0)
        return e->offset;
    at -= strlen(e->before);
    return from + (at < keep ? at : keep);
}

void json_notation_free(struct json_notation *n)
{
    free(n->edits);
    free(n->json);
    *n = (struct json_notation){ 0 };
}
