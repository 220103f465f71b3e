#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "io/file.h"
#include "io/kind.h"

extern const struct embedded io_fragments[];

#define PYTHON "python3 -c 'import sys, numpy; i, o = sys.argv[1:]; @'"

/* The names of the first members are at an archive's beginning, the list of all at its end. */
static bool holds(const struct input *in, const char *name, size_t len)
{
    enum { TAIL = 16 * KIND_PREFIX };
    size_t n = u64_min(in->len, KIND_PREFIX), tail = u64_min(in->len, TAIL);

    return in->len >= 4 && memcmp(in->data, "PK\x03\x04", 4) == 0 &&
           (memmem(in->data, n, name, len) || memmem(in->data + in->len - tail, tail, name, len));
}

/* True for a whole archive that lacks its end record, which has 22 bytes and a comment. */
static bool is_cut(const struct input *in)
{
    enum { END = 22, COMMENT_MOST = 0xffff };
    size_t n = in->len > END ? in->len - END : 0, tail = u64_min(n, COMMENT_MOST);

    return holds(in, "", 0) && !in->more && !memmem(in->data + n - tail, tail + 4, "PK\x05\x06", 4);
}

/* The end of the dims that an ONNX TensorProto, a protocol buffer, begins with. */
static size_t dims_end(const struct input *in)
{
    size_t i = 0;

    while (i + 1 < in->len && in->data[i] == 0x08) {
        for (i++; i < in->len && in->data[i] & 0x80;)
            i++;
        i++;
    }
    return i > 0 ? i : in->len;
}

size_t kind_text_start(const struct input *in)
{
    size_t i = in->len > 3 && memcmp(in->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (i < in->len && isspace(in->data[i]))
        i++;
    return i;
}

static bool begins(const char *p, const char *word) { return strncmp(p, word, strlen(word)) == 0; }

/* Reads a byte of a pattern. */
static unsigned read_byte(const char **p)
{
    unsigned byte = (unsigned char)*(*p)++;

    if (byte == '%') {
        byte = (unsigned)strtoul((char[]){ (*p)[0], (*p)[1], '\0' }, NULL, 16);
        *p += 2;
    }
    return byte;
}

/* Compares a byte with a pattern's, of which "?" is any, and "[0-9%2d]" one of a set. */
static bool fits_byte(unsigned byte, const char **p)
{
    bool set = **p == '[', fit = **p == '?';

    *p += set;
    do {
        unsigned low = read_byte(p), high = low;

        if (set && **p == '-') {
            ++*p;
            high = read_byte(p);
        }
        fit = fit || (byte >= low && byte <= high);
    } while (set && **p != ']');
    *p += set;
    return fit;
}

/* True if a pattern of n characters fits. */
static bool fits(const struct input *in, const char *p, size_t n)
{
    const char *end = p + n, *colon = memchr(p, ':', n);
    size_t at = colon ? strtoul(p, NULL, 10) : 0;

    if (begins(p, "cut:"))
        return is_cut(in);
    if (begins(p, "zip:"))
        return holds(in, p + 4, n - 4);
    at = begins(p, "text:") ? kind_text_start(in) : begins(p, "dims:") ? dims_end(in) : at;
    for (p = colon ? colon + 1 : p; p < end; at++)
        if (at >= in->len || !fits_byte(in->data[at], &p))
            return false;
    return true;
}

bool kind_is_lfs(const char *path)
{
    unsigned char head[64];
    ptrdiff_t n = file_head(path, head, sizeof head, NULL);
    const struct input in = { .data = head, .len = n < 0 ? 0 : (size_t)n, .more = true };
    struct kind k;

    return kind_find(&in, &k) && strcmp(k.name, "a Git LFS pointer") == 0;
}

/* Sets what a line of the table begins with: name and way. Returns the patterns. */
static const char *read_kind(const char *line, struct kind *k)
{
    static const struct {
        const char *word;
        enum way way;
        const char *remedy;
    } ways[] = {
        { "advice", ADVICE, "@" },
        { "repair", REPAIR, "@" },
        { "member", MEMBER, "name an array in it, as $:NAME; it lists them: dmlop info $" },
        { "unpack", DECODE, "unpack it with: @ $ >$." },
        { "decode", DECODE, "convert it with: @ $ >$.utf8" },
        { "npy", ADVICE, "convert it with: " PYTHON " $ $.npy" },
        { "npz", ADVICE, "convert it to arrays $.npz:NAME with: " PYTHON " $ $.npz" },
        { "pickle", ADVICE,
          "convert it with: " PYTHON
          " $ $.npy (this runs code that the file holds: trust its author)" },
    };
    const char *way = strstr(line, ": ") + 2;
    size_t i = 0;

    while (!begins(way, ways[i].word))
        i++;
    k->way = ways[i].way;
    k->remedy = ways[i].remedy;
    snprintf(k->name, sizeof k->name, "%.*s", (int)(way - 2 - line), line);
    return strchr(way, ' ');
}

bool kind_find(const struct input *in, struct kind *k)
{
    const char *end, *how, *patterns;

    *k = (struct kind){ .how = NULL };
    for (const char *p = embedded_find(io_fragments, "kinds.txt"); *p; p = end + (*end != '\0')) {
        end = p + strcspn(p, "\n");
        if (*p == '#' || *p == ' ')
            continue;
        how = memchr(p, '|', (size_t)(end - p));
        k->how = how ? how + 1 + strspn(how + 1, " \n") : k->how;
        for (patterns = read_kind(p, k); patterns < end && patterns + 1 != how;) {
            const char *word = patterns + 1;

            patterns = word + strcspn(word, " \n");
            if (fits(in, word, (size_t)(patterns - word)))
                return true;
        }
    }
    return false;
}
