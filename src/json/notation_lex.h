#pragma once

#include "json/lex.h"

/* Tokens of JSON and of other notations. */

/* As json_lex. A number of C or Python is a JSON_TOKEN_NUMBER too, and a JSON_TOKEN_STRING may also
 * be 'TEXT', or have one of its quotes only: TEXT" or "TEXT or 'TEXT; '=' may be == or =>. After an
 * error about the token itself, whose end is its start, a caller may move the end on. */
enum json_token notation_lex(struct json_lexer *lx);

/* True if the last token is the character c, which is none of JSON. */
static inline bool notation_is(const struct json_lexer *lx, char c)
{
    return lx->token == JSON_TOKEN_OTHER && lx->text[lx->start] == c;
}

/* True if the last token begins a member: KEY: or KEY = or .KEY = */
bool notation_is_key(const struct json_lexer *lx);

/* Reads the number at s, n bytes, as C or Python write it: 0x40, 4u, 1.0f, .5, +1, 1_000. Returns
 * its length and sets json to its value; 0 if there is none or it is ambiguous, as 010. */
enum { NOTATION_NUMBER = 64 };
size_t notation_number(const char *s, size_t n, char json[NOTATION_NUMBER]);
