#include <string.h>

#include "io/kind.h"
#include "json/lex.h"
#include "os/memory.h"

/* Two bytes, in the order of the mark at the beginning; 0 past the end. */
static unsigned unit_at(const struct input *in, size_t i)
{
    unsigned big = in->data[0] == 0xfe;

    return i + 1 < in->len ? (unsigned)in->data[i + !big] << 8 | in->data[i + big] : 0;
}

static bool is_half(unsigned c, unsigned first) { return c >= first && c < first + 0x400; }

/* Adds a character in UTF-8. */
static char *add(char *to, unsigned c)
{
    unsigned char lead = c < 0x80 ? 0 : c < 0x800 ? 0xc0 : c < 0x10000 ? 0xe0 : 0xf0;
    int shift = c < 0x80 ? 0 : c < 0x800 ? 6 : c < 0x10000 ? 12 : 18;

    *to++ = (char)(lead | c >> shift);
    while ((shift -= 6) >= 0)
        *to++ = (char)(0x80 | (c >> shift & 0x3f));
    return to;
}

enum status utf16_decode(struct input *in, size_t most, struct diag *dg)
{
    struct json_position at = { 0, 1, 1 };
    struct input text = { .path = in->path, .fd = -1, .utf16 = true };
    struct kind k;
    unsigned c = 0;
    char *to;
    size_t i = 0;
    enum status st;

    if (unit_at(in, 0) != 0xfeff || kind_find(in, &k))
        return ST_OK;
    st = input_fill(in, most < SIZE_MAX / 4 ? 2 * most + 4 : SIZE_MAX, dg);
    if (st)
        return st;
    text.base_len = in->len / 2 * 3 + 1;
    text.base = text.data = os_pages_new(text.base_len);
    if (!text.base)
        return diag_nomem(dg);
    for (to = (char *)text.base; i + 1 < in->len; i += 2) {
        c = unit_at(in, i);
        if (is_half(c, 0xd800) && is_half(unit_at(in, i + 2), 0xdc00)) {
            i += 2;
            c = 0x10000 + ((c & 0x3ff) << 10 | (unit_at(in, i) & 0x3ff));
        } else if (c >= 0xd800 && c < 0xe000)
            break;
        to = add(to, c);
    }
    text.len = (size_t)(to - (char *)text.base);
    json_position_advance(&at, (char *)text.base, text.len, text.len);
    if (i + 1 < in->len)
        st = diag_error(dg, ST_INPUT, in->path,
                        "line %zu, column %zu: 0x%04X is half of a character of UTF-16, and the "
                        "other half is missing; save the file as UTF-8",
                        at.line, at.column, c);
    else if (i < in->len && !in->more)
        st = diag_error(dg, ST_INPUT, in->path,
                        "line %zu, column %zu: the text is cut in the middle of a character of "
                        "UTF-16, which has two bytes; get the whole file, or save it as UTF-8",
                        at.line, at.column);
    st = st ? st : input_intact(in, dg);
    input_close(in);
    *in = text;
    return st;
}
