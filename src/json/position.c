#include "json/lex.h"

#include <stdint.h>
#include <string.h>

/* The byte after the first line end before `to`, or NULL. */
static const char *line_end(const char *from, const char *to, const char *end)
{
    const char *feed = memchr(from, '\n', (size_t)(to - from));
    const char *stop = feed ? feed : to;
    const char *carriage = memchr(from, '\r', (size_t)(stop - from));

    if (carriage && (carriage + 1 == end || carriage[1] != '\n'))
        return carriage + 1;
    return feed ? feed + 1 : NULL;
}

/* The number of UTF-8 sequences in [p, to): of bytes that do not continue one. */
static size_t characters(const char *p, const char *to)
{
    const uint64_t ones = 0x0101010101010101;
    size_t n = (size_t)(to - p);

    for (; to - p >= 8; p += 8) {
        uint64_t word, continues;

        memcpy(&word, p, sizeof word);
        continues = word >> 7 & ~word >> 6 & ones; /* 1 in each such byte */
        n -= (size_t)(continues * ones >> 56);
    }
    for (; p < to; p++)
        n -= ((unsigned char)*p & 0xc0) == 0x80;
    return n;
}

void json_position_advance(struct json_position *position, const char *text, size_t len,
                           size_t offset)
{
    const char *p = text + position->offset, *to = text + offset, *next;

    if (position->offset == 0 && offset >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    while ((next = line_end(p, to, text + len))) {
        p = next;
        position->line++;
        position->column = 1;
    }
    position->column += characters(p, to);
    position->offset = offset;
}
