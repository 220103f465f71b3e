/* Archives whose directory lies: two members are stored in an archive made here, and then fields of
 * its headers, its directory and its end are changed. Each array is read as it was stored, or
 * refused, with memory and time that do not depend on the lies.
 * Of src: io/npz.c */
#include <sys/resource.h>
#include <time.h>

#include "archive_file.h"
#include "fuzz.h"
#include "io/npz.h"
#include "read_tensor.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum {
    MEMBERS = 2,
    MOST_BYTES = 1 << 16,
    MOST_NAME = 200,
    MOST_KILOBYTES = (SANITIZED ? 1024 : 64) << 10, /* that an input may add to the memory */
    MOST_SECONDS = 5,                               /* of the processor */
    LOCAL_BYTES = 30,
    CENTRAL_BYTES = 46,
    END_BYTES = 22,
    NAME_BYTES = 5,
};

/* A field of a record: its place and its bytes. */
struct field {
    unsigned at, bytes;
};

static const struct field local_fields[] = {
    { 0, 4 }, { 6, 2 }, { 8, 2 }, { 14, 4 }, { 18, 4 }, { 22, 4 }, { 26, 2 }, { 28, 2 }, { 30, 1 },
};
static const struct field central_fields[] = {
    { 0, 4 },  { 4, 2 },  { 8, 2 },  { 10, 2 }, { 16, 4 }, { 20, 4 }, { 24, 4 }, { 28, 2 },
    { 30, 2 }, { 32, 2 }, { 34, 2 }, { 38, 4 }, { 42, 4 }, { 46, 1 }, { 48, 1 },
};
static const struct field end_fields[] = {
    { 0, 4 }, { 4, 2 }, { 6, 2 }, { 8, 2 }, { 10, 2 }, { 12, 4 }, { 16, 4 }, { 20, 2 },
};

/* The archive: its folder, which is removed at the end, its text, and where its records are. */
static struct {
    uint8_t *text;
    size_t n, local[MEMBERS], central[MEMBERS], end;
} archive;

/* What members_each named. */
static struct {
    size_t n;
    char names[2 * MEMBERS][MOST_NAME];
} listed;

static void set(size_t at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes && at + i < archive.n; i++)
        archive.text[at + i] = (uint8_t)(v >> 8 * i);
}

/* The fields that the header of a member and its entry have in common, from the version on. */
static void set_common(size_t at, uint32_t crc, size_t n)
{
    set(at, 20, 2);
    set(at + 10, crc, 4);
    set(at + 14, n, 4);
    set(at + 18, n, 4);
    set(at + 22, NAME_BYTES, 2);
}

/* An archive of the members a.npy and b.npy, whose bytes are the same. */
static void build(const uint8_t *member, size_t n)
{
    uint32_t crc = checksum(member, n);
    size_t at = 0;

    archive.n = MEMBERS * (LOCAL_BYTES + CENTRAL_BYTES + 2 * NAME_BYTES + n) + END_BYTES;
    archive.text = fuzz_alloc(archive.n);
    memset(archive.text, 0, archive.n);
    for (size_t i = 0; i < MEMBERS; i++) {
        archive.local[i] = at;
        set(at, 0x04034b50, 4);
        set_common(at + 4, crc, n);
        memcpy(archive.text + at + LOCAL_BYTES, i ? "b.npy" : "a.npy", NAME_BYTES);
        memcpy(archive.text + at + LOCAL_BYTES + NAME_BYTES, member, n);
        at += LOCAL_BYTES + NAME_BYTES + n;
    }
    for (size_t i = 0; i < MEMBERS; i++) {
        archive.central[i] = at;
        set(at, 0x02014b50, 4);
        set(at + 4, 20, 2);
        set_common(at + 6, crc, n);
        set(at + 42, archive.local[i], 4);
        memcpy(archive.text + at + CENTRAL_BYTES, i ? "b.npy" : "a.npy", NAME_BYTES);
        at += CENTRAL_BYTES + NAME_BYTES;
    }
    archive.end = at;
    set(at, 0x06054b50, 4);
    set(at + 8, MEMBERS, 2);
    set(at + 10, MEMBERS, 2);
    set(at + 12, at - archive.central[0], 4);
    set(at + 16, archive.central[0], 4);
}

/* A number that a field may lie with. */
static uint32_t lie(struct fuzz_bytes *b)
{
    uint32_t n = (uint32_t)archive.n;
    const uint32_t some[] = { 0,
                              1,
                              UINT32_MAX,
                              UINT32_MAX - 1,
                              INT32_MAX,
                              8,
                              0xffff,
                              10 << 20,
                              256U << 20,
                              n,
                              n - 1,
                              (uint32_t)archive.end,
                              (uint32_t)archive.central[1],
                              (uint32_t)archive.local[1] };
    uint8_t which = fuzz_byte(b);

    return which < ARRAY_LEN(some) ? some[which] : which < 200 ? which : fuzz_u32(b);
}

/* Changes a field. */
static void change(struct fuzz_bytes *b)
{
    unsigned record = fuzz_byte(b) % (2 * MEMBERS + 1);
    const struct field *f = record < MEMBERS       ? local_fields
                            : record < 2 * MEMBERS ? central_fields
                                                   : end_fields;
    size_t n = record < MEMBERS       ? ARRAY_LEN(local_fields)
               : record < 2 * MEMBERS ? ARRAY_LEN(central_fields)
                                      : ARRAY_LEN(end_fields);
    size_t at = record < MEMBERS       ? archive.local[record]
                : record < 2 * MEMBERS ? archive.central[record - MEMBERS]
                                       : archive.end;

    f += fuzz_byte(b) % n;
    set(at + f->at, lie(b), f->bytes);
}

static enum status note(void *context, const char *path, const struct npz_member *m,
                        struct diag *dg)
{
    const char *name = path + strlen(archive_file.path) + 1;

    (void)context;
    (void)m;
    (void)dg;
    if (listed.n < ARRAY_LEN(listed.names) && name[0] && strlen(name) < MOST_NAME)
        memcpy(listed.names[listed.n++], name, strlen(name) + 1);
    return ST_OK;
}

/* Reads a member, which must be one of those that were stored, or be refused. */
static void read_member(const char *name, const uint8_t *member, size_t n)
{
    char path[sizeof archive_file.path + MOST_NAME + 2];
    struct tensor_file f;
    struct diag dg = fuzz_diag();
    enum status st;

    snprintf(path, sizeof path, "%s:%s", archive_file.path, name);
    st = tensor_file_read(&f, path, DT_NONE, 1, &dg);
    fuzz_check_said(st);
    if (st == ST_OK && (f.input.len != n || memcmp(f.input.data, member, n) != 0))
        fuzz_fail("%s is not what was stored: %zu bytes", name, f.input.len);
    tensor_file_close(&f);
}

static long kilobytes(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes b = { data, data + size };
    unsigned changes = fuzz_byte(&b) % 8;
    struct fuzz_bytes lies = b;
    long before = kilobytes();
    clock_t start = clock();
    struct diag dg = fuzz_diag();
    FILE *f;

    if (!archive_file.folder[0])
        begin();
    b.at += fuzz_left(&b) < changes * 7 ? fuzz_left(&b) : changes * 7;
    if (fuzz_left(&b) > MOST_BYTES)
        return 0;
    build(b.at, fuzz_left(&b));
    lies.end = b.at;
    for (unsigned i = 0; i < changes; i++)
        change(&lies);
    f = fopen(archive_file.path, "wb");
    if (!f || fwrite(archive.text, 1, archive.n, f) != archive.n || fclose(f) != 0)
        fuzz_fail("cannot write %s", archive_file.path);
    listed.n = 0;
    fuzz_check_said(members_each(archive_file.path, note, NULL, &dg));
    for (size_t i = 0; i < listed.n; i++)
        read_member(listed.names[i], b.at, fuzz_left(&b));
    read_member("a", b.at, fuzz_left(&b));
    read_member("b.npy", b.at, fuzz_left(&b));
    if (kilobytes() - before > MOST_KILOBYTES)
        fuzz_fail("the lies take %ld KB", kilobytes() - before);
    if (clock() - start > MOST_SECONDS * CLOCKS_PER_SEC)
        fuzz_fail("the lies take more than %d s", MOST_SECONDS);
    free(archive.text);
    return 0;
}
