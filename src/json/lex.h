#pragma once

#include "base/util.h"

/* Tokens of JSON text, one at a time, in constant memory. Blanks, comments (//, block) and a
 * byte-order mark are skipped. Strings and numbers are checked, the order of tokens is not. */

enum json_token {
    JSON_TOKEN_ERROR, /* err is set */
    JSON_TOKEN_END,   /* of the text */
    JSON_TOKEN_OPEN_ARRAY,
    JSON_TOKEN_CLOSE_ARRAY,
    JSON_TOKEN_OPEN_OBJECT,
    JSON_TOKEN_CLOSE_OBJECT,
    JSON_TOKEN_COMMA,
    JSON_TOKEN_COLON,
    JSON_TOKEN_STRING,
    JSON_TOKEN_NUMBER,
    JSON_TOKEN_WORD,  /* true, NaN, -Infinity, ...: any letters; callers check which */
    JSON_TOKEN_OTHER, /* a character that cannot begin a token */
};

/* What a reader of tokens expects next. */
enum json_expect {
    EXPECT_VALUE,   /* the top, or after a member's colon */
    EXPECT_ELEMENT, /* after '[' or a comma in an array: a value or the closing bracket */
    EXPECT_KEY,     /* after '{' or a comma in an object: a key or the closing bracket */
    EXPECT_COLON,
    EXPECT_COMMA, /* after a value in a container: a comma or the closing bracket */
    EXPECT_END,
};

struct json_error {
    size_t offset;     /* in the text, in bytes */
    char message[160]; /* "expected ',' or '}', found ']'" */
};

/* Set text and len, the rest zero. */
struct json_lexer {
    const char *text;
    size_t len;
    size_t start, end;     /* the last token's bytes, [start, end) */
    enum json_token token; /* the last token */
    bool comments;         /* comments or a byte-order mark came before it */
    struct json_error err;
};

static inline bool json_is_digit(char c) { return c >= '0' && c <= '9'; }

/* True for a character that a JSON_TOKEN_WORD may begin with. */
static inline bool json_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

/* True for a character that may follow in a word. */
static inline bool json_is_word(char c) { return json_is_letter(c) || json_is_digit(c); }

/* Reads and returns the next token. Not to be called again after an error or the end. */
enum json_token json_lex(struct json_lexer *lx);

/* True if a comment is between tokens of [from, to). */
bool json_has_comment(const char *text, size_t from, size_t to);

/* True if the last token is exactly the text `s`. */
bool json_lex_is(const struct json_lexer *lx, const char *s);

/* Sets err at the last token to "expected EXPECTED, found TOKEN"; keeps the lexer's own error. */
void json_lex_expected(struct json_lexer *lx, const char *expected);

/* The last token's text, shortened with "..." if it is long. */
struct json_quote {
    char text[64];
};
struct json_quote json_lex_quote(const struct json_lexer *lx);

/* Sets err at an offset of the text; returns false. */
bool json_lex_error(struct json_lexer *lx, size_t offset, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The unescaped text of a checked string token, n bytes with the quotes: cJSON decodes it.
 * NUL-terminated, owned by the caller; NULL if memory is short. */
char *json_unescaped(const char *token, size_t n);

/* Positions in a text: lines from 1, ended by \n, \r\n or \r; columns from 1, in characters (UTF-8
 * sequences), a tab being one and a byte-order mark none. Start with { 0, 1, 1 }. */
struct json_position {
    size_t offset;
    size_t line, column;
};

/* Moves a position forward to `offset`, at most len. Only the text between is read, so a series of
 * ascending offsets takes linear time. */
void json_position_advance(struct json_position *position, const char *text, size_t len,
                           size_t offset);

/* Counts the bytes of [p, end) that are `value` under a mask. */
size_t json_count(const char *p, const char *end, unsigned char mask, unsigned char value);
