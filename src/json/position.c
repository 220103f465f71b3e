#include "json/lex.h"

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

size_t json_count(const char *p, const char *end, unsigned char mask, unsigned char value)
{
    size_t n = 0;

    for (; end - p >= 128; p += 128) {
        unsigned char few = 0; /* so small that the loop is vectorized well */

        for (int i = 0; i < 128; i++)
            few = (unsigned char)(few + (((unsigned char)p[i] & mask) == value));
        n += few;
    }
    for (; p < end; p++)
        n += ((unsigned char)*p & mask) == value;
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
    /* characters: bytes that do not continue one */
    position->column += (size_t)(to - p) - json_count(p, to, 0xc0, 0x80);
    position->offset = offset;
}
