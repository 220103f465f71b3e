#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "io/kind.h"

extern const struct embedded io_fragments[];

/* True if an archive has a member with such a name: names of the first members are at its
 * beginning, the list of all at its end. */
static bool holds(const struct input *in, const char *name)
{
    enum { TAIL = 16 * KIND_PREFIX };
    size_t n = in->len < KIND_PREFIX ? in->len : KIND_PREFIX,
           tail = in->len < TAIL ? in->len : TAIL;

    return memmem(in->data, n, name, strlen(name)) ||
           memmem(in->data + in->len - tail, tail, name, strlen(name));
}

/* True for a whole archive that lacks its end record, which has 22 bytes and a comment. */
static bool is_cut(const struct input *in)
{
    enum { END = 22, COMMENT_MOST = 0xffff };
    size_t n = in->len > END ? in->len - END : 0, tail = n < COMMENT_MOST ? n : COMMENT_MOST;

    return !in->more && !memmem(in->data + n - tail, tail + 4, "PK\x05\x06", 4);
}

/* Eight bytes, the length of a JSON text, and the text. */
static bool is_safetensors(const struct input *in)
{
    return in->len > 9 && memcmp(in->data + 5, "\0\0\0", 3) == 0 && in->data[8] == '{' &&
           (in->data[0] | in->data[1] | in->data[2] | in->data[3] | in->data[4]) > 1;
}

/* Protocol buffers: ModelProto's ir_version, then another of its fields. */
static bool is_onnx(const struct input *in)
{
    static const char fields[] = "\x12\x1a\x22\x28\x32\x3a\x42";
    unsigned char next = in->len > 2 ? in->data[2] : 0;

    return next && in->data[0] == 0x08 && in->data[1] > 0 && in->data[1] < 64 &&
           strchr(fields, next);
}

/* Protocol buffers: TensorProto's dims, then data_type. */
static bool is_onnx_tensor(const struct input *in)
{
    size_t at = 0;

    while (at + 1 < in->len && in->data[at] == 0x08) {
        at++;
        while (at < in->len && in->data[at] & 0x80)
            at++;
        at++;
    }
    return at > 0 && at + 2 < in->len && in->data[at] == 0x10 && in->data[at + 1] > 0 &&
           in->data[at + 1] < 32;
}

static bool is_bitmap(const struct input *in)
{
    return in->len > 14 && memcmp(in->data + 6, "\0\0\0\0", 4) == 0;
}

/* UTF-16 without a mark: ASCII and a zero byte by turns. */
static bool is_utf16(const struct input *in, size_t text)
{
    const unsigned char *p = in->data;

    return in->len >= 4 && p[text] && strchr("[{-/0123456789", p[text]) && !p[1 - text] &&
           !p[3 - text] && (isprint(p[2 + text]) || isspace(p[2 + text]));
}

static bool is_utf16_little(const struct input *in) { return is_utf16(in, 0); }
static bool is_utf16_big(const struct input *in) { return is_utf16(in, 1); }

/*
 * The kinds are lines of fragments/kinds.txt, of which the first that fits counts:
 *
 *     OFFSET:BYTES|CONDITION|WAY|NAME|HOW
 *
 * A byte may be \HH. A condition is a name of this table, + and the name of a member, or -.
 */
static const struct {
    const char *name;
    bool (*is)(const struct input *in);
} conditions[] = {
    { "cut", is_cut },
    { "safetensors", is_safetensors },
    { "onnx", is_onnx },
    { "onnx-tensor", is_onnx_tensor },
    { "bitmap", is_bitmap },
    { "utf16-little", is_utf16_little },
    { "utf16-big", is_utf16_big },
};

static bool meets(const struct input *in, const char *condition)
{
    if (*condition == '+')
        return holds(in, condition + 1);
    for (size_t i = 0; i < ARRAY_LEN(conditions); i++)
        if (strcmp(conditions[i].name, condition) == 0)
            return conditions[i].is(in);
    return true;
}

/* The fields of a line after the bytes; NULL if the input has others. */
static const char *match_bytes(const struct input *in, const char *line)
{
    char *p;

    for (size_t at = strtoul(line, &p, 10); *++p != '|'; at++) {
        unsigned byte = (unsigned char)*p;

        if (byte == '\\') {
            byte = (unsigned)strtoul((const char[]){ p[1], p[2], '\0' }, NULL, 16);
            p += 2;
        }
        if (at >= in->len || in->data[at] != byte)
            return NULL;
    }
    return p + 1;
}

bool kind_find(const struct input *in, struct kind *k)
{
    static const char *const ways[] = {
        [ADVICE] = "advice", [MEMBER] = "member", [UNPACK] = "unpack",
        [DECODE] = "decode", [TO_NPY] = "npy",    [TO_NPZ] = "npz"
    };
    const char *line = embedded_find(io_fragments, "kinds.txt"), *rest;
    char condition[32], way[8];

    for (*k = (struct kind){ .way = ADVICE }; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        rest = match_bytes(in, line);
        if (!rest ||
            sscanf(rest, "%31[^|]|%7[^|]|%47[^|]|%299[^\n]", condition, way, k->name, k->how) !=
                4 ||
            !meets(in, condition))
            continue;
        while (strcmp(ways[k->way], way) != 0)
            k->way++;
        return true;
    }
    return false;
}
