#include "io/archive.h"

#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "os/file.h"

/* Values of the zip format. */
enum {
    LOCAL = 0x04034b50, /* what headers begin with */
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    END_64 = 0x06064b50,
    LOCATOR_64 = 0x07064b50,
    VERSION = 20,      /* that readers need */
    VERSION_64 = 45,   /* with offsets of 64 bits */
    UTF8 = 0x800,      /* a flag: names are UTF-8 */
    DATE = 1 << 5 | 1, /* 1 January 1980 */
    CRC_AT = 14,       /* in a local header */
};

struct stored {
    char *name; /* owned; with .npy */
    uint64_t offset, bytes;
    uint32_t crc;
};

struct archive {
    struct stored *v; /* owned */
    size_t n, cap;
    size_t begun;         /* headers written; bytes belong to the last of these */
    uint32_t crc[8][256]; /* of a byte that i bytes follow */
};

struct archive *archive_new(void)
{
    struct archive *a = mem_zalloc(1, sizeof *a);

    for (uint32_t i = 0; a && i < 256; i++) {
        a->crc[0][i] = i;
        for (int bit = 0; bit < 8; bit++)
            a->crc[0][i] = (a->crc[0][i] >> 1) ^ (a->crc[0][i] & 1 ? 0xedb88320 : 0);
    }
    for (int k = 1; a && k < 8; k++)
        for (int i = 0; i < 256; i++)
            a->crc[k][i] = (a->crc[k - 1][i] >> 8) ^ a->crc[0][a->crc[k - 1][i] & 0xff];
    return a;
}

void archive_free(struct archive *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->v[i].name);
    free(a->v);
    free(a);
}

static bool is_good_name(const char *name)
{
    size_t n = strlen(name), bytes = 1;

    for (size_t i = 0; i < n && bytes > 0; i += bytes)
        bytes = str_utf8_length(name + i, n - i);
    return n > 0 && n < UINT16_MAX - strlen(".npy") && bytes > 0 && *name != '/' &&
           strncmp(name, "../", 3) != 0 && !strstr(name, "/../");
}

enum status archive_add(struct archive *a, const char *name, const char *path, struct diag *dg)
{
    struct stored m = { .name = str_format("%s%s", name,
                                           path_has_extension(name, ".npy") ? "" : ".npy") };

    if (!m.name || !mem_reserve(&a->v, a->n, &a->cap, sizeof *a->v)) {
        free(m.name);
        return diag_nomem(dg);
    }
    a->v[a->n++] = m;
    if (!is_good_name(name))
        return diag_error(dg, ST_USAGE, path,
                          "'%s' cannot be the name of an array: names are UTF-8, not empty, and do "
                          "not begin with '/' or lead to '..'",
                          name);
    for (size_t i = 0; i + 1 < a->n; i++)
        if (strcmp(a->v[i].name, m.name) == 0)
            return diag_error(dg, ST_USAGE, path,
                              "two arrays in the archive would have the name '%s'", name);
    return ST_OK;
}

/* Adds fields, little-endian, each of as many bytes as its digit in `widths` says. */
static void add_fields(struct str *b, const char *widths, const uint64_t *fields)
{
    for (size_t i = 0; widths[i]; i++)
        for (int byte = 0; byte < widths[i] - '0'; byte++)
            str_add(b, &(const char){ (char)(fields[i] >> 8 * byte) }, 1);
}

enum status archive_next(struct archive *a, uint64_t offset, uint64_t bytes, const char *path,
                         struct str *b, struct diag *dg)
{
    struct stored *m = &a->v[a->begun++];

    if (bytes >= UINT32_MAX)
        return diag_error(dg, ST_SYSTEM, path,
                          "the array '%s' has %ju bytes, and 4 GiB or more do not go into an "
                          "archive; write a .npy",
                          m->name, bytes);
    m->offset = offset;
    m->bytes = bytes;
    add_fields(b, "42222244422",
               (const uint64_t[]){ LOCAL, VERSION, UTF8, 0, 0, DATE, 0, bytes, bytes,
                                   strlen(m->name), 0 });
    str_puts(b, m->name);
    return ST_OK;
}

void archive_note(struct archive *a, const void *bytes, size_t n)
{
    struct stored *m = &a->v[a->begun - 1]; /* only archive_next begins data */
    const unsigned char *p = bytes;
    uint32_t crc = ~m->crc;

    for (; n >= 8; n -= 8, p += 8) {
        crc ^= p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        crc = a->crc[7][crc & 0xff] ^ a->crc[6][crc >> 8 & 0xff] ^ a->crc[5][crc >> 16 & 0xff] ^
              a->crc[4][crc >> 24] ^ a->crc[3][p[4]] ^ a->crc[2][p[5]] ^ a->crc[1][p[6]] ^
              a->crc[0][p[7]];
    }
    for (; n > 0; n--)
        crc = crc >> 8 ^ a->crc[0][(crc ^ *p++) & 0xff];
    m->crc = ~crc;
}

/* Adds a member to the directory; an offset of 64 bits is an extra field, of kind 1 and 8 bytes. */
static void add_entry(struct str *b, const struct stored *m)
{
    bool far = m->offset >= UINT32_MAX;

    add_fields(b, "42222224442222244",
               (const uint64_t[]){ CENTRAL, VERSION, far ? VERSION_64 : VERSION, UTF8, 0, 0, DATE,
                                   m->crc, m->bytes, m->bytes, strlen(m->name), far ? 12 : 0, 0, 0,
                                   0, 0, u64_min(m->offset, UINT32_MAX) });
    str_puts(b, m->name);
    if (far)
        add_fields(b, "228", (const uint64_t[]){ 1, 8, m->offset });
}

void archive_end(struct archive *a, uint64_t offset, struct str *b)
{
    size_t start = b->len, length;
    uint64_t few = u64_min(a->n, UINT16_MAX);

    for (size_t i = 0; i < a->n; i++)
        add_entry(b, &a->v[i]);
    length = b->len - start;
    if (offset >= UINT32_MAX || few == UINT16_MAX) {
        add_fields(b, "4822448888", /* 44 bytes follow their number */
                   (const uint64_t[]){ END_64, 44, VERSION_64, VERSION_64, 0, 0, a->n, a->n, length,
                                       offset });
        add_fields(b, "4484", (const uint64_t[]){ LOCATOR_64, 0, offset + length, 1 });
    }
    add_fields(b, "42222442",
               (const uint64_t[]){ END, 0, 0, few, few, u64_min(length, UINT32_MAX),
                                   u64_min(offset, UINT32_MAX), 0 });
}

bool archive_patch(const struct archive *a, int fd)
{
    for (size_t i = 0; i < a->n; i++) {
        unsigned char crc[4];

        for (int k = 0; k < 4; k++)
            crc[k] = (unsigned char)(a->v[i].crc >> 8 * k);
        if (lseek(fd, (off_t)a->v[i].offset + CRC_AT, SEEK_SET) < 0 ||
            !os_write(fd, crc, sizeof crc))
            return false;
    }
    return true;
}
