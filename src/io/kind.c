#include "io/kind.h"

#include "base/path.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/npz.h"
#include "os/file.h"

extern const char io_fragments[];

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

static bool begins(const char *p, const char *word) { return strncmp(p, word, strlen(word)) == 0; }

static unsigned read_byte(const char **p)
{
    unsigned byte = (unsigned char)*(*p)++;

    if (byte == '%') {
        byte = (unsigned)strtoul((char[]){ (*p)[0], (*p)[1], '\0' }, NULL, 16);
        *p += 2;
    }
    return byte;
}

/* Compares a byte with a pattern's: "?" is any, "[0-9%2d]" one of a set. */
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

static bool fits(const struct input *in, const char *p, size_t n)
{
    const char *end = p + n, *colon = memchr(p, ':', n);
    size_t at = colon ? strtoul(p, NULL, 10) : 0;

    if (begins(p, "cut:"))
        return is_cut(in);
    if (begins(p, "zip:"))
        return holds(in, p + 4, n - 4);
    at = begins(p, "text:") ? text_start(in) : begins(p, "dims:") ? dims_end(in) : at;
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

/* Sets k to the row of a name of n bytes, or without one to the first row that fits. Its way may
 * name another row, which has the remedy. */
static bool find_row(const struct input *in, const char *name, size_t n, struct kind *k)
{
    static const char *const ways[] = {
        "tensor", "advice", "decode", "repair", "document", "member"
    }; /* enum kind_way */
    const char *end, *bar, *how = NULL, *way;
    size_t i = 0;

    for (const char *p = embedded_find(io_fragments, "kinds.txt"); *p; p = end + (*end != '\0')) {
        bool found = name && begins(p + n, ": ") && memcmp(p, name, n) == 0;

        end = p + strcspn(p, "\n");
        if (*p == '#' || *p == ' ')
            continue;
        bar = memchr(p, '|', (size_t)(end - p));
        how = bar ? bar + 1 + strspn(bar + 1, " \n") : how;
        way = strstr(p, ": ") + 2;
        for (const char *word = way; in && !found;) {
            word += strcspn(word, " \n");
            if (word >= end || ++word == bar)
                break;
            found = fits(in, word, strcspn(word, " \n"));
        }
        if (!found)
            continue;
        while (i < ARRAY_LEN(ways) && !begins(way, ways[i]))
            i++;
        *k = (struct kind){ .way = (enum kind_way)i, .remedy = how };
        if (i == ARRAY_LEN(ways)) {
            find_row(NULL, way, strcspn(way, " \n"), k);
            k->how = how;
        }
        snprintf(k->name, sizeof k->name, "%.*s", (int)(way - 2 - p), p);
        return true;
    }
    return false;
}

bool kind_find(const struct input *in, struct kind *k) { return find_row(in, NULL, 0, k); }

void kind_named(const char *name, struct kind *k) { (void)find_row(NULL, name, strlen(name), k); }

const char *const kind_wanted_names[] = { ".npy or JSON tensor", "descriptor", "model file",
                                          "descriptor or model file" };

/* Adds a remedy; see struct kind. */
static void advise(struct str *b, const char *text, const char *how, const char *path)
{
    char extension[NAME_MAX + 8];
    size_t n, e;

    if (strcmp(path, "-") == 0 || npz_member(path))
        path = "FILE";
    for (; *text && (*text != '\n' || text[1] == ' '); text += n) {
        n = *text == '\n' ? 1 + strspn(text + 1, " ") : 1;
        if (*text == '@' && how)
            advise(b, how, NULL, path);
        else if (*text == '$') {
            e = text[1] == '.' ? strspn(text + 2, "npyzutf8") : 0;
            n += text[1] == '.' ? e + 1 : 0;
            snprintf(extension, sizeof extension, "%.*s%s", e ? (int)e + 1 : 0, text + 1,
                     e == 4 ? path_extension(path) : ""); /* .utf8 */
            path_add_word(b, path, n > 1 ? extension : NULL);
        } else
            str_add(b, n > 1 ? " " : text, 1);
    }
}

enum status kind_refuse(const struct kind *k, const struct input *in, enum kind_wanted wanted,
                        struct diag *dg)
{
    static const char *const tensors[] = {
        [WANT_DESCRIPTOR] = "give -d a descriptor, and the tensor as an operand; what it holds: "
                            "dmlop info $",
        [WANT_MODEL] = "in a model a resource's sourcePath names it; what it holds: dmlop info $",
        [WANT_DOCUMENT] = "check it against a descriptor with: dmlop validate DESCRIPTOR "
                          "--bind InputTensor=$",
    };
    const char *path = in->path, *name = npz_member(path), *remedy = k->remedy, *how = k->how;
    struct str b = { 0 };

    if (wanted != WANT_TENSOR && (k->way < DECODE || k->way == MEMBER))
        remedy = k->way == TENSOR
                     ? tensors[wanted]
                     : "descriptors and model files are JSON text, see dmlop-descriptor(5)";
    else if (k->way == MEMBER &&
             ((*path == '-' && strchr(":", path[1])) || !(in->mapped || name))) {
        remedy = "its arrays are read from a file, not a pipe or standard input: give FILE:@";
        how = name ? name : "NAME";
    }
    str_printf(&b, "this is %s, not a %s%s", k->name,
               k->way == DOCUMENT && wanted == WANT_TENSOR ? "tensor" : kind_wanted_names[wanted],
               remedy ? "; " : "");
    advise(&b, remedy ? remedy : "", how, path);
    return diag_str(dg, ST_INPUT, path, &b);
}

bool kind_describe(const char *path, const char *wanted, struct str *what, struct str *remedy)
{
    unsigned char prefix[KIND_PREFIX];
    ptrdiff_t n = file_head(path, prefix, sizeof prefix, NULL);
    const struct input in = {
        .path = path, .data = prefix, .len = n < 0 ? 0 : (size_t)n, .more = n == KIND_PREFIX
    };
    struct csv csv;
    struct kind k;

    kind_named("a tensor as text", &k);
    if (n == 0) {
        str_puts(what, "the file is empty");
        str_printf(remedy, "give %s", wanted);
        return true;
    }
    if (title_find(&in) == 0 && !kind_find(&in, &k)) {
        if (csv_look(&in, 0, &csv) != CSV_YES)
            return false;
        kind_named("CSV text", &k);
    }
    str_printf(what, "this is %s, not %s", k.name, wanted);
    advise(remedy, k.way == MEMBER ? "convert it with: dmlop convert $:NAME -o $.npy" : k.remedy,
           k.how, path);
    return true;
}

/* True if there are control bytes that no text has. */
static bool is_binary(const struct input *in)
{
    for (size_t i = 0; i < in->len && i < KIND_PREFIX; i++)
        if (in->data[i] < 0x20 && !isspace(in->data[i]))
            return true;
    return false;
}

/* The kind of a text that is a tensor in a notation other than JSON, where a descriptor or model is
 * wanted; NULL: none. Examples of DirectML's pages have titles, too, but names after them. */
static const char *text_kind(const struct input *in)
{
    const char *s = (const char *)in->data, *end = s + in->len;
    size_t start = text_start(in), title;
    struct csv csv;

    if (start < in->len && s[start] == '{') /* as most are */
        return NULL;
    title = title_find(in);
    if (title == 0)
        return csv_look(in, 0, &csv) == CSV_YES && !memchr(s, ':', in->len) ? "CSV text" : NULL;
    s = memchr(s + title, ')', in->len - title);
    while (s && ++s < end)
        if (!isspace((unsigned char)*s))
            return *s == '[' || *s == '{' ? "a tensor as text" : NULL;
    return NULL;
}

/* True for /dev/urandom, whose bytes may begin like those of any format. */
static bool is_device(const struct input *in)
{
    struct stat st;

    return in->more && fstat(in->fd, &st) == 0 && S_ISCHR(st.st_mode);
}

enum status kind_check(const struct input *in, enum kind_wanted wanted, struct diag *dg)
{
    const char *name = NULL;
    struct kind known;

    if (in->len > 0 && in->len < NPY_MAGIC_LEN && wanted == WANT_TENSOR &&
        memcmp(in->data, NPY_MAGIC, in->len) == 0)
        return diag_input(dg, in->path, "the .npy header is cut short after %zu bytes", in->len);
    if (npy_is(in->data, in->len)) {
        kind_named("a .npy tensor", &known);
        return wanted == WANT_TENSOR ? ST_OK : kind_refuse(&known, in, wanted, dg);
    }
    if (is_device(in) && is_binary(in))
        return diag_input(
            dg, in->path, "these are bytes of a device, not a %s%s", kind_wanted_names[wanted],
            wanted == WANT_TENSOR
                ? "; a test tensor comes from: dmlop make --sizes 2,3 --random 1 -o x.npy"
                : "");
    if (in->len == 0)
        return diag_input(dg, in->path, "the file is empty; give a %s", kind_wanted_names[wanted]);
    if (wanted == WANT_TENSOR && title_find(in) > 0)
        return ST_OK;
    if (kind_find(in, &known))
        return kind_refuse(&known, in, wanted, dg);
    if (is_binary(in) && (in->more || in->len > KIND_PREFIX || !kind_may_be_json(in)))
        name = "binary data";
    else if (wanted != WANT_TENSOR)
        name = text_kind(in);
    if (!name)
        return ST_OK;
    kind_named(name, &known);
    return kind_refuse(&known, in, wanted, dg);
}
