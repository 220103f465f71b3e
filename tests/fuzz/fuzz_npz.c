/* .npz archives: listed, and every small member read, as they are and as an archive made here of a
 * member that is stored, with a right checksum. The last byte chooses.
 * Of src: io/npz.c io/npy.c */
#include "archive_file.h"
#include "fuzz.h"
#include "io/npz.h"
#include "read_tensor.h"

enum { MOST_MEMBERS = 8, MOST_BYTES = 1 << 20, MOST_NAME = 200 };

/* The members of the archive. */
static struct {
    size_t n;
    char members[MOST_MEMBERS][MOST_NAME];
} archive;

static void put(FILE *f, uint32_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        fputc(i < 4 ? (int)(v >> 8 * i & 255) : 0, f);
}

/* What the headers of a stored member a.npy have in common. */
static void put_member(FILE *f, uint32_t crc, uint32_t n)
{
    put(f, 20, 2);
    put(f, 0, 8);
    put(f, crc, 4);
    put(f, n, 4);
    put(f, n, 4);
    put(f, 5, 2);
    put(f, 0, 2);
}

static void write_archive(const uint8_t *data, size_t size, bool stored)
{
    FILE *f = fopen(archive_file.path, "wb");
    uint32_t crc = checksum(data, size), n = (uint32_t)size;

    if (!f)
        fuzz_fail("cannot write %s", archive_file.path);
    if (stored) {
        put(f, 0x04034b50, 4);
        put_member(f, crc, n);
        fputs("a.npy", f);
    }
    fwrite(data, 1, size, f);
    if (stored) {
        put(f, 0x02014b50, 4);
        put(f, 20, 2);
        put_member(f, crc, n);
        put(f, 0, 14); /* no comment, first disk, no attributes, offset 0 */
        fputs("a.npy", f);
        put(f, 0x06054b50, 4);
        put(f, 0, 4);
        put(f, 1, 2);
        put(f, 1, 2);
        put(f, 46 + 5, 4);
        put(f, 30 + 5 + n, 4);
        put(f, 0, 2);
    }
    if (fclose(f) != 0)
        fuzz_fail("cannot write %s", archive_file.path);
}

static enum status note(void *context, const char *path, const struct npz_member *m,
                        struct diag *dg)
{
    const char *name = path + strlen(archive_file.path) + 1;

    (void)context;
    (void)dg;
    if (m->header.data_offset + m->header.data_bytes <= MOST_BYTES && archive.n < MOST_MEMBERS &&
        strlen(name) < MOST_NAME && name[0])
        memcpy(archive.members[archive.n++], name, strlen(name) + 1);
    return ST_OK;
}

static enum status read_member(const char *name, uint64_t *count)
{
    char path[sizeof archive_file.path + MOST_NAME + 2];
    struct tensor_file f;
    struct diag dg = fuzz_diag();
    enum status st;

    snprintf(path, sizeof path, "%s:%s", archive_file.path, name);
    st = tensor_file_read(&f, path, DT_NONE, 1, &dg);
    fuzz_check_said(st);
    *count = st == ST_OK ? f.count : 0;
    if (st == ST_OK && f.format == FORMAT_NPY && f.count > 0)
        /* all are there */
        fuzz_said.bytes += ((unsigned char *)f.tensor.data)[f.header.data_bytes - 1];
    tensor_file_close(&f);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag dg = fuzz_diag();
    struct npy_header h;
    char error[NPY_ERROR_TEXT];
    enum status st;
    uint64_t count;
    bool stored;

    if (!archive_file.folder[0])
        begin();
    if (size == 0)
        return 0;
    stored = data[--size] != '\n';
    write_archive(data, size, stored);
    archive.n = 0;
    st = members_each(archive_file.path, note, NULL, &dg);
    fuzz_check_said(st);
    if (stored && (archive.n > 1 || (archive.n == 1 && strcmp(archive.members[0], "a") != 0)))
        fuzz_fail("an archive of one member lists %zu", archive.n);
    if (stored)
        st = read_member("a.npy", &count);
    for (size_t i = 0; i < archive.n; i++)
        st = read_member(archive.members[i], &count);
    if (stored && npy_read_header(data, size, &h, error) && size - h.data_offset >= h.data_bytes &&
        size - h.data_offset - h.data_bytes <= 3 && h.data_bytes <= size &&
        (st != ST_OK || count != h.count))
        fuzz_fail("a good member is status %d", (int)st);
    return 0;
}
