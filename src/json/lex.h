#ifndef DMLOP_JSON_LEX_H
#define DMLOP_JSON_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/util.h"

/*
 * Tokens of JSON text, one at a time, in constant memory: for the document scanner and for readers
 * that stream. Blanks, // and block comments and a byte-order mark are skipped. Strings and numbers
 * are checked fully here; which token may follow which is left to the caller.
 */

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
    JSON_TOKEN_WORD,  /* letters, as true, NaN and -Infinity; the caller knows which are valid */
    JSON_TOKEN_OTHER, /* a character that cannot begin a token */
};

struct json_error {
    size_t offset;     /* where in the text */
    char message[160]; /* "expected ',' or '}', found ']'", ... */
};

/* Set text and len, the rest zero. */
struct json_lexer {
    const char *text;
    size_t len;
    size_t start, end;     /* the last token's bytes, [start, end) */
    bool comments;         /* comments or a byte-order mark came before it */
    struct json_error err;
};

/* Reads the next token. After an error or the end it must not be called again. */
enum json_token json_lex(struct json_lexer *lx);

/* Whether the last token is the word or number text `s`. */
bool json_lex_is(const struct json_lexer *lx, const char *s);

/* Sets err at the last token, "expected EXPECTED, found ..." naming it, unless it is an error
 * already. */
void json_lex_expected(struct json_lexer *lx, enum json_token last, const char *expected);

/* The last token's text, cut and with "..." where it is long. Returns buf[JSON_FOUND_TEXT]. */
enum { JSON_FOUND_TEXT = 64 };
char *json_lex_quote(const struct json_lexer *lx, char *buf);

/* Sets err at an offset of the text; returns false. */
bool json_lex_error(struct json_lexer *lx, size_t offset, const char *fmt, ...) PRINTF_LIKE(3, 4);

/*
 * Unescapes the inside of a string token, n bytes without the quotes, that was checked by json_lex.
 * Writes at most n bytes to out and returns how many.
 */
size_t json_unescape(const char *s, size_t n, char *out);

/* The same of a whole token, n bytes with the quotes: NUL-terminated, owned by the caller; NULL
 * where memory is short. */
char *json_unescaped(const char *token, size_t n);

/* One character of such a string, as UTF-8 in out[4]: its length; *s moves past it. */
size_t json_unescape_next(const char **s, char *out);

#endif
