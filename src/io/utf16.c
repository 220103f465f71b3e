#include "io/kind.h"
#include "json/lex.h"
#include "os/memory.h"

/* Two bytes, in the order of the mark at the beginning; 0 past the end. */
static unsigned unit_at(const struct input *in, size_t i)
{
    size_t high = in->len > 0 && in->data[0] == 0xff;

    return i + 1 < in->len ? in->data[i + high] * 256U + in->data[i + !high] : 0;
}

/* Adds a character in UTF-8. */
static unsigned char *add(unsigned char *to, unsigned c)
{
    int more = (c > 0x7f) + (c > 0x7ff) + (c > 0xffff);

    *to++ = (unsigned char)((more ? 0xff << (7 - more) : 0) | (int)(c >> 6 * more));
    while (more-- > 0)
        *to++ = (unsigned char)(0x80 | (c >> 6 * more & 0x3f));
    return to;
}

enum status utf16_decode(struct input *in, size_t most, struct diag *dg)
{
    struct input text = { .path = in->path, .fd = -1, .utf16 = true };
    struct json_position at = { 0, 1, 1 };
    struct kind k;
    unsigned char *to;
    enum status st;
    size_t i = 0;

    if (unit_at(in, 0) != 0xfeff || kind_find(in, &k))
        return ST_OK;
    st = input_fill(in, most < SIZE_MAX / 4 ? 2 * most + 4 : SIZE_MAX, dg);
    if (st)
        return st;
    text.base_len = in->len / 2 * 3 + 1;
    text.base = text.data = to = os_pages_new(text.base_len);
    if (!to)
        return diag_nomem(dg);
    for (unsigned c; i + 1 < in->len; i += 2) {
        c = unit_at(in, i);
        if ((c & 0xfc00) == 0xd800 && (unit_at(in, i + 2) & 0xfc00) == 0xdc00) {
            i += 2;
            c = 0x10000 + ((c & 0x3ff) << 10 | (unit_at(in, i) & 0x3ff));
        } else if ((c & 0xf800) == 0xd800)
            break;
        to = add(to, c);
    }
    text.len = (size_t)(to - text.base);
    json_position_advance(&at, (char *)text.base, text.len, text.len);
    if (i + 1 < in->len || (i < in->len && !in->more))
        st = diag_input(dg, in->path,
                        "line %zu, column %zu: %s of UTF-16 is missing; get the whole file, or "
                        "save it as UTF-8",
                        at.line, at.column,
                        i + 1 < in->len ? "the other half of a surrogate pair"
                                        : "the second byte of a character");
    st = st ? st : input_intact(in, dg);
    input_close(in);
    *in = text;
    return st;
}
