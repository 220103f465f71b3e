#include "json/lex.h"

#include "base/str.h"

/* The byte at an offset; NUL past the end, which is never part of a token. */
static char peek(const struct json_lexer *lx, size_t at)
{
    return at < lx->len ? lx->text[at] : '\0';
}

bool json_lex_error(struct json_lexer *lx, size_t offset, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    lx->err.offset = offset;
    vsnprintf(lx->err.message, sizeof lx->err.message, fmt, ap);
    va_end(ap);
    return false;
}

/* The character at an offset, for messages. */
static struct json_quote found_character(const struct json_lexer *lx, size_t at)
{
    size_t n = at < lx->len ? str_utf8_length(lx->text + at, lx->len - at) : 0;
    char c = peek(lx, at);
    struct json_quote q;

    if (at >= lx->len)
        snprintf(q.text, sizeof q.text, "the end of the text");
    else if (c == '\n' || c == '\r')
        snprintf(q.text, sizeof q.text, "the end of the line");
    else if (n == 1 && c >= 0x20 && c < 0x7f)
        snprintf(q.text, sizeof q.text, c == '\'' ? "\"%c\"" : "'%c'", c);
    else if (n > 1)
        snprintf(q.text, sizeof q.text, "'%.*s' (U+%04X)", (int)n, lx->text + at,
                 str_utf8_decode(lx->text + at, n));
    else
        snprintf(q.text, sizeof q.text, "byte 0x%02x%s", (unsigned char)c,
                 n ? "" : ", which is not UTF-8");
    return q;
}

/* Sets err: the character at an offset is not what is expected; returns false. */
static bool fail_character(struct json_lexer *lx, size_t at, const char *expected)
{
    return json_lex_error(lx, at, "expected %s, found %s", expected, found_character(lx, at).text);
}

/* Moves *at past the UTF-8 sequence there; false with err set. */
static bool skip_character(struct json_lexer *lx, size_t *at)
{
    size_t n = str_utf8_length(lx->text + *at, lx->len - *at);

    *at += n;
    return n || json_lex_error(lx, *at, "%s", found_character(lx, *at).text);
}

/* Moves *at past one or more digits; false with err set. */
static bool lex_digits(struct json_lexer *lx, size_t *at, const char *expected)
{
    if (!json_is_digit(peek(lx, *at)))
        return fail_character(lx, *at, expected);
    while (json_is_digit(peek(lx, *at)))
        ++*at;
    return true;
}

/* Checks the number at lx->start and sets lx->end; false with err set. */
static bool lex_number(struct json_lexer *lx)
{
    size_t whole = lx->start + (peek(lx, lx->start) == '-'), at = whole;
    char c;

    if (!lex_digits(lx, &at, "a digit after '-'"))
        return false;
    if (lx->text[whole] == '0' && at > whole + 1)
        return json_lex_error(lx, whole, "a number must not have leading zeros");
    if (peek(lx, at) == '.') {
        at++;
        if (!lex_digits(lx, &at, "a digit after '.'"))
            return false;
    }
    if (peek(lx, at) == 'e' || peek(lx, at) == 'E') {
        at++;
        at += peek(lx, at) == '+' || peek(lx, at) == '-';
        if (!lex_digits(lx, &at, "a digit in the exponent"))
            return false;
    }
    c = peek(lx, at);
    if (json_is_letter(c) || c == '.' || c == '+' || c == '-')
        return json_lex_error(lx, at, "'%c' must not follow a number directly", c);
    lx->end = at;
    return true;
}

/* Reads four hexadecimal digits at an offset; false with err set. */
static bool lex_hex(struct json_lexer *lx, size_t at, unsigned *unit)
{
    *unit = 0;
    for (size_t i = at; i < at + 4; i++) {
        char c = peek(lx, i);

        if (!isxdigit((unsigned char)c))
            return fail_character(lx, i, "4 hexadecimal digits after \\u");
        *unit = *unit * 16 + (unsigned)(json_is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return true;
}

/* Checks the escape \u at *at and moves past it, both halves of a pair; false with err set. */
static bool lex_unicode_escape(struct json_lexer *lx, size_t *at)
{
    unsigned unit, low;

    if (!lex_hex(lx, *at + 2, &unit))
        return false;
    if (unit == 0)
        return json_lex_error(
            lx, *at, "\\u0000 is not allowed: no name or value may contain a NUL character");
    *at += 6;
    if (unit < 0xd800 || unit > 0xdfff)
        return true;
    if (unit >= 0xdc00 || peek(lx, *at) != '\\' || peek(lx, *at + 1) != 'u')
        return json_lex_error(lx, *at - 6,
                              "\\u%04x is half of a surrogate pair, and the other half"
                              " is missing",
                              unit);
    if (!lex_hex(lx, *at + 2, &low))
        return false;
    if (low < 0xdc00 || low > 0xdfff)
        return json_lex_error(lx, *at, "\\u%04x is not the second half of a surrogate pair", low);
    *at += 6;
    return true;
}

/* Checks the escape whose backslash is at *at and moves past it; false with err set. */
static bool lex_escape(struct json_lexer *lx, size_t *at)
{
    char c = peek(lx, *at + 1);

    if (c == 'u')
        return lex_unicode_escape(lx, at);
    if (c && strchr("\"\\/bfnrt", c)) {
        *at += 2;
        return true;
    }
    return json_lex_error(lx, *at,
                          "expected one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX, "
                          "found a backslash before %s",
                          found_character(lx, *at + 1).text);
}

/* Checks the string at lx->start and sets lx->end; false with err set. */
static bool lex_string(struct json_lexer *lx)
{
    size_t at = lx->start + 1;

    while (at < lx->len) {
        unsigned char c = (unsigned char)lx->text[at];

        if (c == '"') {
            lx->end = at + 1;
            return true;
        }
        if (c == '\\') {
            if (!lex_escape(lx, &at))
                return false;
        } else if (c < 0x20)
            return json_lex_error(lx, at,
                                  "%s in a string: control characters must be written as escapes",
                                  found_character(lx, at).text);
        else if (c < 0x80)
            at++;
        else if (!skip_character(lx, &at))
            return false;
    }
    return json_lex_error(lx, lx->start, "this string has no closing quote");
}

/* Moves *at past the comment there; false with err set. */
static bool skip_comment(struct json_lexer *lx, size_t *at)
{
    bool block = peek(lx, *at + 1) == '*';
    size_t opening = *at;

    for (*at += 2; *at < lx->len;) {
        char c = lx->text[*at];

        if (!block && (c == '\n' || c == '\r'))
            return true;
        if (block && c == '*' && peek(lx, *at + 1) == '/') {
            *at += 2;
            return true;
        }
        if (!skip_character(lx, at))
            return false;
    }
    return !block || json_lex_error(lx, opening, "this comment has no closing */");
}

/* Skips blanks and comments; false with err set. */
static bool skip_blanks(struct json_lexer *lx)
{
    size_t at = lx->end;

    lx->comments = false;
    if (at == 0 && lx->len >= 3 && memcmp(lx->text, "\xef\xbb\xbf", 3) == 0) {
        at = 3;
        lx->comments = true;
    }
    for (;;) {
        char c = peek(lx, at);

        if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
            at++;
        else if (c == '/' && (peek(lx, at + 1) == '/' || peek(lx, at + 1) == '*')) {
            if (!skip_comment(lx, &at))
                return false;
            lx->comments = true;
        } else
            break;
    }
    lx->start = at;
    return true;
}

static enum json_token lex_token(struct json_lexer *lx)
{
    char c;

    lx->end = lx->start;
    if (lx->start == lx->len)
        return JSON_TOKEN_END;
    c = lx->text[lx->start];
    if (json_is_letter(c) || (c == '-' && json_is_letter(peek(lx, lx->start + 1)))) {
        do
            lx->end++;
        while (json_is_letter(peek(lx, lx->end)) || json_is_digit(peek(lx, lx->end)));
        return JSON_TOKEN_WORD;
    }
    if (c == '-' || json_is_digit(c))
        return lex_number(lx) ? JSON_TOKEN_NUMBER : JSON_TOKEN_ERROR;
    if (c == '"')
        return lex_string(lx) ? JSON_TOKEN_STRING : JSON_TOKEN_ERROR;
    lx->end++;
    switch (c) {
    case '[': return JSON_TOKEN_OPEN_ARRAY;
    case ']': return JSON_TOKEN_CLOSE_ARRAY;
    case '{': return JSON_TOKEN_OPEN_OBJECT;
    case '}': return JSON_TOKEN_CLOSE_OBJECT;
    case ',': return JSON_TOKEN_COMMA;
    case ':': return JSON_TOKEN_COLON;
    default: return JSON_TOKEN_OTHER;
    }
}

enum json_token json_lex(struct json_lexer *lx)
{
    lx->token = skip_blanks(lx) ? lex_token(lx) : JSON_TOKEN_ERROR;
    return lx->token;
}

bool json_has_comment(const char *text, size_t from, size_t to)
{
    struct json_lexer lx = { .text = text, .len = to, .start = from, .end = from };

    while (json_lex(&lx) > JSON_TOKEN_END && !lx.comments)
        ;
    return lx.comments;
}

bool json_lex_is(const struct json_lexer *lx, const char *s)
{
    size_t n = strlen(s);

    return lx->end - lx->start == n && memcmp(lx->text + lx->start, s, n) == 0;
}

struct json_quote json_lex_quote(const struct json_lexer *lx)
{
    size_t n = lx->end - lx->start, fits = 0;
    const char *text = lx->text + lx->start;
    struct json_quote q;

    while (fits < n && fits < 40) /* whole characters */
        fits += u64_max(str_utf8_length(text + fits, n - fits), 1);
    snprintf(q.text, sizeof q.text, "%.*s%s%s", (int)fits, text, fits < n ? "..." : "",
             fits < n && *text == '"' ? "\"" : "");
    return q;
}

void json_lex_expected(struct json_lexer *lx, const char *expected)
{
    static const char *const kinds[] = {
        [JSON_TOKEN_STRING] = "the string ",
        [JSON_TOKEN_NUMBER] = "the number ",
        [JSON_TOKEN_WORD] = "'",
        [JSON_TOKEN_OTHER] = NULL,
    };
    bool sign = lx->token == JSON_TOKEN_OTHER && json_is_digit(peek(lx, lx->end));

    if (lx->token == JSON_TOKEN_ERROR)
        return;
    if (kinds[lx->token])
        json_lex_error(lx, lx->start, "expected %s, found %s%.50s%s", expected, kinds[lx->token],
                       json_lex_quote(lx).text, lx->token == JSON_TOKEN_WORD ? "'" : "");
    else if (sign && lx->text[lx->start] == '+')
        json_lex_error(lx, lx->start, "a number must not begin with '+'");
    else if (sign && lx->text[lx->start] == '.')
        json_lex_error(lx, lx->start, "a number must have a digit before the '.'");
    else
        fail_character(lx, lx->start, expected);
}
