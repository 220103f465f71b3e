#pragma once

#include <stdarg.h>

#include "base/util.h"

/* A growing text. Zero-initialise; s is NULL until the first byte, else NUL-terminated. If memory
 * is short, `failed` is set and later additions do nothing, so a caller checks once, at the end. */
struct str {
    char *s;
    size_t len, cap;
    bool failed;
};

void str_add(struct str *b, const char *bytes, size_t n);
static inline void str_puts(struct str *b, const char *s) { str_add(b, s, strlen(s)); }
void str_printf(struct str *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void str_vprintf(struct str *b, const char *fmt, va_list ap);

/* n bytes with control characters, line separators, marks of direction (U+202E) and invalid UTF-8
 * escaped (\n, \t, \xHH, \uHHHH), for messages and other output of a file's contents. */
void str_add_escaped(struct str *b, const char *bytes, size_t n);

/* The same, with tabs unchanged. */
void str_add_line(struct str *b, const char *bytes, size_t n);

/* Escapes the first character, *used bytes of n >= 1, to out; returns its length there. */
enum { STR_ESCAPE = 8 };
size_t str_escape(const char *bytes, size_t n, char out[STR_ESCAPE], size_t *used);

/* n bytes as the inside of a JSON string: the same characters, quotes and backslashes escaped,
 * bytes that are not UTF-8 replaced by U+FFFD. */
void str_add_json(struct str *b, const char *bytes, size_t n);

/* Length of the UTF-8 sequence at the start of n bytes (1 or more), 0 if it is invalid. */
size_t str_utf8_length(const char *bytes, size_t n);

/* True for a byte of a sequence after its first one. */
static inline bool str_continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

/* The character of a valid sequence of len bytes. */
unsigned str_utf8_decode(const char *bytes, size_t len);

/* True for one of some words, which blanks and line ends separate; in any case or as it is. */
bool str_is_word(const char *s, size_t n, const char *words, bool any_case);

/* The columns of a terminal that n bytes of text fill: 2 for a wide character, 0 for a combining
 * mark, 1 for all else and for each byte of invalid UTF-8. */
size_t str_width(const char *bytes, size_t n);

/* The text, owned by the caller (free), NULL if memory was short; b becomes empty. */
char *str_detach(struct str *b);

void str_free(struct str *b);

/* Releases a text; sets *failed if memory was short. */
void str_done(struct str *b, bool *failed);

/* A text as printf writes it, owned by the caller; NULL if memory is short. */
char *str_format(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* True if two names differ only in case and in the separators '_', '-' and blank. */
bool str_same_letters(const char *a, const char *b);

/* True if two names are near enough for a suggestion: at most a third of the longer one differs, or
 * only case and separators do. *cost orders near names: an insertion, deletion, substitution or
 * swap of neighbours costs about 2, case and separators 1. */
bool str_near(const char *name, const char *other, unsigned *cost);

/* Writes the indices of the names nearest to `name`, all of one cost, at most `most`, to `found`
 * and returns their number, 0 if none is near. NULL entries are skipped. */
size_t str_nearest_all(const char *name, const char *const names[], size_t n, size_t found[],
                       size_t most);

/* The first of them; n if no name is near. */
size_t str_nearest(const char *name, const char *const names[], size_t n);
