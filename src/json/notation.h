#pragma once

#include "base/util.h"

/* Notations of C, Python and DirectML's pages that have one meaning in JSON: {1, 1, 3, 4} for a
 * list, FLOAT32 without quotes, (Sizes: {1}) for an object, 'FLOAT32', True, 0x40, initializers of
 * C, and JSON without some comma, colon or quote. A text with such parts is read as the JSON that
 * it means; the edits that make JSON of it lead back to its offsets. */

enum json_notation_kind {
    JSON_BRACES,      /* around a list */
    JSON_PARENTHESES, /* around a list or an object */
    JSON_DECLARATION, /* DML_SLICE1_OPERATOR_DESC d = { ... }; */
    JSON_MEMBERS,     /* .KEY = ..., without braces around them */
    JSON_CLOSING,     /* the end of braces or parentheses */
    JSON_END,         /* the end of a declaration or of members */
    JSON_NAME,        /* a name without quotes */
    JSON_KEY,         /* a key without quotes */
    JSON_FIELD,       /* .KEY = */
    JSON_QUOTES,      /* single ones */
    JSON_UNOPENED,    /* a string without its first quote */
    JSON_UNCLOSED,    /* a string without its last quote */
    JSON_CONSTANT,    /* True, None, NULL, ...: JSON has another word for it */
    JSON_SPECIAL,     /* NaN or an infinity, which JSON does not have */
    JSON_C_NUMBER,    /* see notation_number */
    JSON_TYPE,        /* a type of C before its value */
    JSON_EQUALS,      /* '=' for ':' */
    JSON_SEMICOLON,   /* ';' for ',' */
    JSON_LAST,        /* ';' after everything */
    JSON_COMMA,       /* a missing one */
    JSON_COLON,       /* a missing one */
    JSON_UNKNOWN,     /* what cannot be a value: null in the JSON */
};

/* A replacement of bytes of the text, or an insertion: by `before`, the bytes [keep, keep_end) of
 * the text, and `after`; a number by that in JSON. */
struct json_edit {
    size_t offset, end;         /* in the text */
    size_t at, at_end;          /* in the JSON */
    size_t keep, keep_end;      /* in the text */
    const char *before, *after; /* static */
    size_t last;                /* index of the closing bracket's edit, or its own */
    enum json_notation_kind kind;
};

enum { JSON_NOTATION_MAX = 16 << 20 /* bytes; longer texts are not read */ };

/* Zero-initialise; release with json_notation_free. */
struct json_notation {
    struct json_edit *edits; /* in the order of the text */
    size_t n, cap;
    char *json; /* owned: the edited text; NULL if there are none */
    size_t json_len;
};

/* Finds the edits of a text; other errors stay in `json`. False if memory is short. */
bool json_notation_read(struct json_notation *n, const char *text, size_t len);

/* The offset in the text of an offset in `json`. */
size_t json_notation_source(const struct json_notation *n, size_t at);

/* True if an offset of the text is in a part that cannot be a value. */
bool json_notation_is_unknown(const struct json_notation *n, size_t offset);

void json_notation_free(struct json_notation *n);
