#include "json/place.h"

#include <stdbool.h>
#include <string.h>

/* The byte after the first line end that lies whole before `to`, or NULL. */
static const char *line_end(const char *from, const char *to, const char *end)
{
    const char *feed = memchr(from, '\n', (size_t)(to - from));
    const char *stop = feed ? feed : to;
    const char *carriage = memchr(from, '\r', (size_t)(stop - from));

    if (carriage && (carriage + 1 == end || carriage[1] != '\n'))
        return carriage + 1;
    return feed ? feed + 1 : NULL;
}

void json_place_advance(struct json_place *place, const char *text, size_t len, size_t offset)
{
    const char *p = text + place->offset, *to = text + offset, *next;

    if (place->offset == 0 && offset >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    while ((next = line_end(p, to, text + len))) {
        p = next;
        place->line++;
        place->column = 1;
    }
    for (; p < to; p++)
        place->column += ((unsigned char)*p & 0xc0) != 0x80;
    place->offset = offset;
}

void json_locate(const char *text, size_t len, size_t offset, size_t *line, size_t *column)
{
    struct json_place place = { 0, 1, 1 };

    json_place_advance(&place, text, len, offset < len ? offset : len);
    *line = place.line;
    *column = place.column;
}
