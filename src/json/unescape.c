#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "json/lex.h"

/* The value of four hexadecimal digits. */
static uint32_t hex4(const char *p)
{
    uint32_t unit = 0;

    for (int i = 0; i < 4; i++)
        unit = unit * 16 + (uint32_t)(p[i] <= '9' ? p[i] - '0' : (p[i] | 0x20) - 'a' + 10);
    return unit;
}

/* Writes a character as UTF-8; returns its length. */
static size_t write_utf8(uint32_t c, char *out)
{
    static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 }; /* by length */
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    return n;
}

size_t json_unescape_next(const char **s, char *out)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    const char *p = *s, *letter;
    uint32_t c;

    if (p[0] != '\\') {
        *out = *p;
        *s = p + 1;
        return 1;
    }
    if (p[1] != 'u') {
        letter = strchr(letters, p[1]);
        *out = letter ? meant[letter - letters] : p[1];
        *s = p + 2;
        return 1;
    }
    c = hex4(p + 2);
    *s = p + 6;
    if (c >= 0xd800 && c <= 0xdbff) { /* the first half of a pair */
        c = 0x10000 + ((c - 0xd800) << 10) + (hex4(p + 8) - 0xdc00);
        *s = p + 12;
    }
    return write_utf8(c, out);
}

size_t json_unescape(const char *s, size_t n, char *out)
{
    const char *end = s + n;
    char *to = out;

    while (s < end) {
        const char *escape = memchr(s, '\\', (size_t)(end - s));
        size_t plain = (size_t)((escape ? escape : end) - s);

        memcpy(to, s, plain);
        to += plain;
        s += plain;
        if (escape)
            to += json_unescape_next(&s, to);
    }
    return (size_t)(to - out);
}

char *json_unescaped(const char *token, size_t n)
{
    char *s = mem_alloc(n - 1, 1);

    if (s)
        s[json_unescape(token + 1, n - 2, s)] = '\0';
    return s;
}
