#include "lsp/cursor.h"

#include "base/str.h"

enum { WANT_KEY, WANT_COLON, WANT_VALUE, WANT_COMMA };

static size_t string_end(const char *text, size_t len, size_t at)
{
    for (at++; at < len && text[at] != '\n' && text[at] != '\r'; at++) {
        if (text[at] == '"')
            return at + 1;
        if (text[at] == '\\' && at + 1 < len && text[at + 1] != '\n' && text[at + 1] != '\r')
            at++;
    }
    return at;
}

static size_t comment_end(const char *text, size_t len, size_t at)
{
    const char *end;

    if (text[at + 1] == '/') {
        while (at < len && text[at] != '\n' && text[at] != '\r')
            at++;
        return at;
    }
    end = memmem(text + at + 2, len - at - 2, "*/", 2);
    return end ? (size_t)(end - text) + 2 : len;
}

static bool is_comment(const char *text, size_t len, size_t at)
{
    return text[at] == '/' && at + 1 < len && (text[at + 1] == '/' || text[at + 1] == '*');
}

/* The next token at or after `at`: a string, a comment, a word, a bracket, a comma or a colon.
 * Returns its first byte; '\0' at the end of the text. */
static char next_token(const char *text, size_t len, size_t at, struct lsp_span *s)
{
    if (at == 0 && len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        at = 3;
    while (at < len &&
           (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n'))
        at++;
    *s = (struct lsp_span){ at, at };
    if (at == len)
        return '\0';
    if (text[at] == '"')
        s->end = string_end(text, len, at);
    else if (is_comment(text, len, at))
        s->end = comment_end(text, len, at);
    else if (strchr("{}[],:", text[at]) && text[at] != '\0')
        s->end = at + 1;
    else
        for (s->end = at + 1; s->end < len && !strchr(" \t\r\n{}[],:\"/", text[s->end]);)
            s->end++;
    return text[at] ? text[at] : '?'; /* a NUL is a word like others */
}

static void end_value(struct lsp_cursor *c, size_t end)
{
    if (c->depth == 0) {
        c->past = true;
        return;
    }
    c->levels[c->depth - 1].state = WANT_COMMA;
    c->levels[c->depth - 1].end = end;
}

/* Closes the innermost container of that kind, and all containers in it. */
static void close_level(struct lsp_cursor *c, size_t end, bool object)
{
    size_t depth = c->depth;

    if (c->deeper > 0) {
        c->deeper--;
        return;
    }
    while (depth > 0 && c->levels[depth - 1].object != object)
        depth--;
    if (depth == 0)
        return;
    c->depth = depth - 1;
    end_value(c, end);
}

static void add_scalar(struct lsp_cursor *c, struct lsp_span s)
{
    struct lsp_level *l = c->depth > 0 ? &c->levels[c->depth - 1] : NULL;

    if (l)
        l->last = s;
    if (l && l->object && l->state != WANT_VALUE) {
        l->key = s;
        l->state = WANT_COLON;
    } else
        end_value(c, s.end);
}

static void add_separator(struct lsp_cursor *c, char separator)
{
    struct lsp_level *l = c->depth > 0 ? &c->levels[c->depth - 1] : NULL;

    if (!l)
        return;
    if (separator == ',') {
        l->state = l->object ? WANT_KEY : WANT_VALUE;
        l->index++;
        l->key = (struct lsp_span){ 0, 0 };
    } else if (l->object) { /* the last word was a key, even after a missing value */
        l->key = l->last;
        l->state = WANT_VALUE;
    }
}

/* Passes a token that ends before the cursor. */
static void pass(struct lsp_cursor *c, char token, struct lsp_span s)
{
    bool object = token == '{';

    if ((object || token == '[') && c->depth == JSON_MAX_DEPTH)
        c->deeper++;
    else if (object || token == '[')
        c->levels[c->depth++] = (struct lsp_level){ .start = s.start,
                                                    .object = object,
                                                    .state = object ? WANT_KEY : WANT_VALUE };
    else if (token == '}' || token == ']')
        close_level(c, s.end, token == '}');
    else if (c->deeper > 0)
        return;
    else if (token == ',' || token == ':')
        add_separator(c, token);
    else
        add_scalar(c, s);
}

/* Finds out what the cursor is at, after all tokens before the word. */
static void settle(struct lsp_cursor *c)
{
    struct lsp_level *l = c->depth > 0 ? &c->levels[c->depth - 1] : NULL;
    bool word = c->word.end > c->word.start;

    if (c->deeper > 0 || (!l && c->past) || (l && l->state == WANT_COLON && !word))
        return;
    c->at = l && l->object && l->state != WANT_VALUE ? CURSOR_KEY : CURSOR_VALUE;
    if (l && l->state == WANT_COMMA) {
        c->previous = l->end;
        l->index += !l->object;
    }
    if (c->at == CURSOR_KEY)
        l->key = c->word;
}

void lsp_cursor_find(struct lsp_cursor *c, const char *text, size_t len, size_t offset)
{
    struct lsp_span s = { 0, 0 };
    char token;

    *c = (struct lsp_cursor){
        .text = text, .len = len, .offset = offset, .word = { offset, offset }
    };
    while ((token = next_token(text, len, s.end, &s)) != '\0' && s.start <= offset) {
        if (is_comment(text, len, s.start)) {
            if (offset > s.start && offset <= s.end && (offset < s.end || text[s.end - 1] != '/'))
                return;
            continue;
        }
        if (!strchr("{}[],:", token) && offset <= s.end) {
            bool unclosed = token == '"' && (s.end == s.start + 1 || text[s.end - 1] != '"');

            c->word = (struct lsp_span){ s.start, unclosed && offset > s.start ? offset : s.end };
            break;
        }
        if (s.start == offset)
            break;
        pass(c, token, s);
    }
    settle(c);
}

char lsp_cursor_next(const struct lsp_cursor *c, struct lsp_span *s)
{
    char token;

    *s = c->word;
    do
        token = next_token(c->text, c->len, s->end, s);
    while (token != '\0' && is_comment(c->text, c->len, s->start));
    return token;
}

bool lsp_members_next(struct lsp_members *m)
{
    struct lsp_span s = { m->pos, m->pos };
    char token;

    while ((token = next_token(m->text, m->len, s.end, &s)) != '\0') {
        m->pos = s.end;
        if (is_comment(m->text, m->len, s.start) || token == ',')
            continue;
        if (token == '{' || token == '[')
            m->depth++;
        else if (token == '}' || token == ']') {
            if (m->depth == 0)
                return false;
            m->depth--;
        } else if (m->depth == 0 && token != ':')
            m->last = s;
        else if (m->depth == 0) {
            m->key = m->last;
            next_token(m->text, m->len, s.end, &m->value);
            return true;
        }
    }
    return false;
}

bool lsp_member(const struct lsp_cursor *c, size_t object, const char *key, char first,
                struct lsp_span *value)
{
    struct lsp_members m = lsp_members(c, object);

    while (lsp_members_next(&m))
        if (lsp_span_is(c->text, m.key, key)) {
            if (value)
                *value = m.value;
            return !first || (m.value.end > m.value.start && c->text[m.value.start] == first);
        }
    return false;
}

static struct lsp_span without_quotes(const char *text, struct lsp_span s)
{
    bool quoted = s.end > s.start && text[s.start] == '"';

    s.start += quoted;
    if (quoted && s.end > s.start && text[s.end - 1] == '"')
        s.end--;
    return s;
}

bool lsp_span_is(const char *text, struct lsp_span span, const char *s)
{
    struct lsp_span inside = without_quotes(text, span);
    size_t n = inside.end - inside.start;

    return strlen(s) == n && memcmp(text + inside.start, s, n) == 0;
}

bool lsp_cursor_in(const struct lsp_cursor *c, size_t level, const char *key)
{
    return level < c->depth && c->levels[level].object &&
           lsp_span_is(c->text, c->levels[level].key, key);
}

char *lsp_span_string(const char *text, struct lsp_span span)
{
    struct json_lexer lx = { .text = text, .len = span.end, .end = span.start };
    struct lsp_span inside = without_quotes(text, span);

    if (span.end > span.start && json_lex(&lx) == JSON_TOKEN_STRING && lx.end == span.end)
        return json_unescaped(text + span.start, span.end - span.start);
    return str_format("%.*s", (int)(inside.end - inside.start), text + inside.start);
}
