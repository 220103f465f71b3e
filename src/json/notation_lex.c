#include "json/notation_lex.h"

#include <errno.h>
#include <math.h>

#include "base/str.h"
#include "json/number.h"

/* Cuts up to three letters of a suffix off n characters; returns how many are left. */
static size_t cut_suffix(char *s, size_t n, const char *letters)
{
    for (int i = 0; i < 3 && n > 0 && strchr(letters, s[n - 1]); i++)
        n--;
    s[n] = '\0';
    return n;
}

/* Writes s, a number without its sign in base 16, 8 or 2, as JSON; false if it is none. */
static bool write_based(char *s, size_t n, char json[NOTATION_NUMBER])
{
    int base = (s[1] | 32) == 'x' ? 16 : (s[1] | 32) == 'o' ? 8 : 2;
    unsigned long long v;
    char *end;

    if (base == 16 && strpbrk(s, "pP")) {
        double d = strtod(s, &end);

        number_format_double(json, isfinite(d) ? d : 0);
        return isfinite(d) && (*end == '\0' || ((*end | 32) == 'f' && end[1] == '\0'));
    }
    cut_suffix(s, n, "uUlLzZ");
    errno = 0;
    v = json_is_word(s[2]) ? strtoull(s + 2, &end, base) : 0;
    snprintf(json, NUMBER_TEXT, "%llu", v);
    return json_is_word(s[2]) && *end == '\0' && errno == 0;
}

/* Writes s, a decimal number without its sign, as JSON: ".5" as "0.5", "2." and "02" as "2", but
 * not "010", which is 8 in C, nor "000" of 1,000. */
static bool write_decimal(char *s, size_t n, char json[NOTATION_NUMBER])
{
    int whole = (int)strspn(s, "0123456789"), zero = whole == 2 && *s == '0';
    bool point = s[whole] == '.' && !json_is_digit(s[whole + 1]) && s[whole + 1] != '.';
    int64_t v;

    cut_suffix(s, n, "uUlLzZfF");
    snprintf(json, NOTATION_NUMBER - 1, "%s%.*s%s", whole ? "" : "0", whole - zero, s + zero,
             s + whole + (point && s[whole]));
    return (whole > 0 || !point) && number_i64(json, strlen(json), &v) != NUMBER_SYNTAX;
}

size_t notation_number(const char *s, size_t n, char json[NOTATION_NUMBER])
{
    char number[NOTATION_NUMBER - 4];
    size_t at = n > 0 && (*s == '-' || *s == '+'), len = 0;
    bool sign = at && *s == '-', good;

    for (; at < n && len < sizeof number - 1; at++) {
        bool exponent =
            len > 0 && strchr("eEpP", number[len - 1]) && (s[at] == '+' || s[at] == '-');

        if (!json_is_word(s[at]) && s[at] != '.' && !exponent)
            break;
        if (s[at] != '_')
            number[len++] = s[at];
    }
    number[len] = '\0';
    if ((at < n && s[at] == '#') || len == sizeof number - 1 || len == 0 ||
        (!json_is_digit(*number) && *number != '.'))
        return 0;
    *json = '-';
    good = *number == '0' && len > 2 && strchr("xXoObB", number[1])
               ? write_based(number, len, json + sign)
               : write_decimal(number, len, json + sign);
    return good ? at : 0;
}

/* The end of 'TEXT' at lx->start; 0 if there is none or the text needs escapes. */
static size_t find_quote(const struct json_lexer *lx)
{
    size_t at = lx->start + 1, n;

    while (at < lx->len && !strchr("'\"\\\r\n", lx->text[at])) {
        n = str_utf8_length(lx->text + at, lx->len - at);
        if (n == 0)
            return 0;
        at += n;
    }
    return at < lx->len && lx->text[at] == '\'' ? at + 1 : 0;
}

/* True if a string can end before `at`: a mark or the end of the line or text follows. */
static bool can_end(const struct json_lexer *lx, size_t at, const char *marks)
{
    while (at < lx->len && (lx->text[at] == ' ' || lx->text[at] == '\t'))
        at++;
    return at == lx->len || (lx->text[at] && strchr(marks, lx->text[at]));
}

/* True for a character of names and paths. */
static bool is_name(char c) { return json_is_word(c) || c == '.' || c == '/' || c == '-'; }

/* The end of a name after the quote at lx->start whose other quote is missing, 0 if there is none;
 * `end` is the end of the string with the next quote, 0: the line has none. A quote that a name
 * follows directly is the first one of the next string. */
static size_t unclosed(const struct json_lexer *lx, size_t end)
{
    size_t at = lx->start + 1;

    if (end > 0 && (end == lx->len || (!json_is_word(lx->text[end]) && lx->text[end] != '.')))
        return 0;
    while (at < lx->len && is_name(lx->text[at]))
        at++;
    return at > lx->start + 1 && can_end(lx, at, ":,]}\r\n") ? at : 0;
}

/* The end of the string that begins with the last token, without its first quote, without its last
 * one or in single quotes; 0 if there is none. */
static size_t find_string(const struct json_lexer *lx)
{
    size_t wrong = lx->err.offset, end = 0;

    if (lx->token == JSON_TOKEN_WORD && lx->end < lx->len && lx->text[lx->end] == '"')
        return can_end(lx, lx->end + 1, ":,]}\r\n") ? lx->end + 1 : 0;
    if (lx->text[lx->start] == '\'')
        end = find_quote(lx);
    else if (lx->text[lx->start] != '"' || (lx->token == JSON_TOKEN_ERROR && wrong > lx->start &&
                                            (wrong >= lx->len || !strchr("\r\n", lx->text[wrong]))))
        return 0;
    else if (lx->token == JSON_TOKEN_STRING)
        end = lx->end;
    return unclosed(lx, end) ? unclosed(lx, end) : end;
}

enum json_token notation_lex(struct json_lexer *lx)
{
    enum json_token token = json_lex(lx);
    char json[NOTATION_NUMBER];
    size_t end;

    if (lx->start == lx->len || (token == JSON_TOKEN_ERROR && lx->end > lx->start))
        return token;
    if (!lx->text[lx->start])
        return token;
    end = find_string(lx);
    if (end)
        lx->token = JSON_TOKEN_STRING;
    else if (token == JSON_TOKEN_ERROR || token == JSON_TOKEN_OTHER) {
        size_t n = notation_number(lx->text + lx->start, lx->len - lx->start, json);

        end = n ? lx->start + n : 0;
        lx->token = end ? JSON_TOKEN_NUMBER : token;
    }
    lx->end = end ? end : lx->end;
    if (notation_is(lx, '=') && lx->end < lx->len &&
        (lx->text[lx->end] == '=' || lx->text[lx->end] == '>'))
        lx->end++;
    return lx->token;
}

bool notation_is_key(const struct json_lexer *at)
{
    struct json_lexer lx = *at;
    bool dot = notation_is(&lx, '.');

    if (dot && (json_lex(&lx) != JSON_TOKEN_WORD || lx.comments))
        return false;
    if (lx.token != JSON_TOKEN_STRING && lx.token != JSON_TOKEN_WORD)
        return false;
    return (notation_lex(&lx) == JSON_TOKEN_COLON && !dot) || notation_is(&lx, '=');
}
