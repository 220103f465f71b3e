#include "io/npz.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "io/file.h"
#include "os/file.h"
#include "os/memory.h"
#include "os/process.h"

/* An open archive and the functions of libzip that read it. */
struct npz_listing {
    const char *path;
    int fd; /* its offset is that of zip */
    zip_t *zip;
    zip_t *(*open)(int, int, int *);
    void (*discard)(zip_t *);
    zip_int64_t (*count)(zip_t *, zip_flags_t);
    zip_int64_t (*locate)(zip_t *, const char *, zip_flags_t);
    int (*stat)(zip_t *, zip_uint64_t, zip_flags_t, zip_stat_t *);
    zip_file_t *(*fopen)(zip_t *, zip_uint64_t, zip_flags_t);
    zip_int64_t (*fread)(zip_file_t *, void *, zip_uint64_t);
    int (*fclose)(zip_file_t *);
};

static bool symbol(void *handle, const char *name, void *function)
{
    void *p = os_library_symbol(handle, name);

    memcpy(function, &p, sizeof p);
    return p != NULL;
}

/* Loads libzip, which stays loaded, so that the next time costs little. */
static enum status load_library(struct npz_listing *a, struct diag *dg)
{
    static const char *const names[] = { "libzip.so.5", "libzip.so.4", "libzip.so", NULL };
    void *handle = os_library(names);

    if (handle && symbol(handle, "zip_fdopen", &a->open) &&
        symbol(handle, "zip_discard", &a->discard) &&
        symbol(handle, "zip_get_num_entries", &a->count) &&
        symbol(handle, "zip_name_locate", &a->locate) &&
        symbol(handle, "zip_stat_index", &a->stat) &&
        symbol(handle, "zip_fopen_index", &a->fopen) && symbol(handle, "zip_fread", &a->fread) &&
        symbol(handle, "zip_fclose", &a->fclose))
        return ST_OK;
    return diag_error(
        dg, ST_SYSTEM, NULL,
        "reading .npz archives needs libzip, which is not installed here (Debian: libzip4)");
}

static void close_archive(struct npz_listing *a)
{
    if (a->zip)
        a->discard(a->zip);
    if (a->fd >= 0)
        close(a->fd);
}

/* Opens the archive `path`, which must live as long as a. */
static enum status open_archive(struct npz_listing *a, const char *path, struct diag *dg)
{
    int error = 0, fd;
    enum status st = load_library(a, dg);

    if (st)
        return st;
    a->path = path;
    a->fd = os_open(AT_FDCWD, path, OS_READ_NOW);
    if (a->fd < 0)
        return diag_errno(dg, ST_INPUT, path, errno, "cannot open the archive");
    fd = os_duplicate(a->fd);
    if (fd < 0)
        return diag_errno(dg, ST_SYSTEM, path, errno, "cannot open the archive");
    a->zip = a->open(fd, 0, &error);
    if (a->zip)
        return ST_OK;
    close(fd);
    if (error == ZIP_ER_MEMORY)
        return diag_nomem(dg);
    return diag_error(dg, ST_INPUT, path,
                      "this is not a .npz archive, or it is damaged (libzip error %d)", error);
}

bool npz_has_magic(const char *path)
{
    char bytes[4];

    return file_head(path, bytes, sizeof bytes, NULL) == sizeof bytes &&
           memcmp(bytes, "PK\x03\x04", sizeof bytes) == 0;
}

/* True if the first n bytes of a path are the path of an archive. */
static bool is_archive(const char *path, size_t n)
{
    char archive[PATH_MAX]; /* no longer path can be opened */

    if (n >= sizeof archive)
        return false;
    memcpy(archive, path, n);
    archive[n] = '\0';
    return path_has_extension(archive, ".npz") || npz_has_magic(archive);
}

/* The colon of FILE:NAME; NULL if the path names no member. */
static const char *find_colon(const char *path)
{
    const char *colon = strchr(path, ':');

    if (!colon || access(path, F_OK) == 0)
        return NULL;
    for (; colon; colon = strchr(colon + 1, ':'))
        if (colon > path && colon[1] && is_archive(path, (size_t)(colon - path)))
            return colon;
    return NULL;
}

const char *npz_member(const char *path)
{
    const char *colon = find_colon(path);

    return colon ? colon + 1 : NULL;
}

static enum status check_ratio(const char *path, uint64_t size, uint64_t packed, struct diag *dg)
{
    if (size <= NPZ_FREE_BYTES || size / NPZ_MAX_RATIO <= packed)
        return ST_OK;
    return diag_error(dg, ST_INPUT, path,
                      "the member unpacks to %" PRIu64 " bytes from %" PRIu64
                      ", more than %d times; if it is what you expect, unzip it first",
                      size, packed, NPZ_MAX_RATIO);
}

/* Refuses members that are too large or may be decompression bombs, by what the archive says. */
static enum status check_size(const struct npz_listing *a, const char *path, const zip_stat_t *sb,
                              struct diag *dg)
{
    struct stat st;

    if (sb->size > NPZ_MAX_BYTES)
        return diag_error(dg, ST_INPUT, path,
                          "the member unpacks to %" PRIu64 " bytes, and at most %" PRIu64
                          " are read from an archive; unzip it first",
                          (uint64_t)sb->size, NPZ_MAX_BYTES);
    if (fstat(a->fd, &st) != 0)
        return diag_errno(dg, ST_INPUT, path, errno, "cannot read");
    return check_ratio(path, sb->size, u64_min(sb->comp_size, (uint64_t)st.st_size), dg);
}

/* Unpacks a member into in->base, no more bytes than the archive says. What it says of the packed
 * bytes may be wrong: the limit is also that of the bytes that libzip has read. */
static enum status unpack(const struct npz_listing *a, zip_file_t *file, uint64_t size,
                          struct input *in, struct diag *dg)
{
    enum { AHEAD = 1 << 16 /* bytes that libzip may have read before `start`, at least */ };
    off_t start = size > NPZ_FREE_BYTES ? lseek(a->fd, 0, SEEK_CUR) - AHEAD : 0;
    enum status st = ST_OK;
    unsigned char extra;
    zip_int64_t n = 1;

    while (in->len < size && n > 0 && st == ST_OK) {
        n = a->fread(file, in->base + in->len, u64_min(size - in->len, NPZ_FREE_BYTES));
        in->len += n > 0 ? (size_t)n : 0;
        if (in->len > NPZ_FREE_BYTES)
            st = check_ratio(in->path, in->len, (uint64_t)(lseek(a->fd, 0, SEEK_CUR) - start), dg);
    }
    if (st)
        return st;
    if (in->len == size && n >= 0)
        n = a->fread(file, &extra, 1); /* at the end libzip checks the checksum */
    if (in->len == size && n == 0)
        return ST_OK;
    return diag_error(dg, ST_INPUT, in->path,
                      "the member is damaged: its size or checksum is not what the archive says");
}

/* Reads a member into mapped memory. */
static enum status read_member(const struct npz_listing *a, zip_int64_t index, const zip_stat_t *sb,
                               struct input *in, struct diag *dg)
{
    zip_file_t *file = a->fopen(a->zip, (zip_uint64_t)index, 0);
    enum status st;

    if (!file)
        return diag_error(
            dg, ST_INPUT, in->path,
            "cannot unpack the member: it is encrypted, or its compression method is unknown");
    in->base_len = sb->size ? (size_t)sb->size : 1;
    in->base = os_pages_new(in->base_len);
    if (!in->base) {
        a->fclose(file);
        return diag_nomem(dg);
    }
    in->data = in->base;
    st = unpack(a, file, sb->size, in, dg);
    a->fclose(file);
    return st;
}

static bool stat_member(const struct npz_listing *a, zip_int64_t i, zip_stat_t *sb)
{
    return a->stat(a->zip, (zip_uint64_t)i, 0, sb) == 0;
}

/* The index of the first member with the name of member i; below 0 if there is no name. */
static zip_int64_t first_of_name(const struct npz_listing *a, zip_int64_t i)
{
    zip_stat_t sb;

    return stat_member(a, i, &sb) ? a->locate(a->zip, sb.name, 0) : -1;
}

static const char twin_text[] = "the archive has several members of this name; write it anew with "
                                "a name for each";

static const struct npz_listing *current_listing; /* NULL: none */

/* Reads the member that `colon` begins in the path. An archive that is being listed has been
 * searched for members of one name. */
static enum status find_member(const struct npz_listing *a, const char *archive, const char *colon,
                               struct input *in, struct diag *dg)
{
    char *with = str_format("%s.npy", colon + 1);
    zip_int64_t index, n = a == current_listing ? 0 : a->count(a->zip, 0);
    zip_stat_t sb;
    enum status st;

    if (!with)
        return diag_nomem(dg);
    index = a->locate(a->zip, colon + 1, 0);
    if (index < 0)
        index = a->locate(a->zip, with, 0);
    free(with);
    if (index < 0 || !stat_member(a, index, &sb))
        return diag_error(dg, ST_INPUT, archive,
                          "there is no '%s' in the archive; 'dmlop info' lists what it contains",
                          colon + 1);
    for (zip_int64_t i = 0; i < n; i++)
        if (i != index && first_of_name(a, i) == index)
            return diag_error(dg, ST_INPUT, in->path, "%s", twin_text);
    st = check_size(a, in->path, &sb, dg);
    return st ? st : read_member(a, index, &sb, in, dg);
}

enum status npz_open(struct input *in, const char *path, struct diag *dg)
{
    const struct npz_listing *listing = current_listing;
    const char *colon = find_colon(path);
    char *archive = str_format("%.*s", (int)(colon - path), path);
    struct npz_listing own = { .fd = -1 };
    enum status st = archive ? ST_OK : diag_nomem(dg);

    *in = (struct input){ .path = path };
    if (st == ST_OK && (!listing || strcmp(listing->path, archive) != 0)) {
        listing = &own;
        st = open_archive(&own, archive, dg);
    }
    if (st == ST_OK)
        st = find_member(listing, archive, colon, in, dg);
    close_archive(&own);
    free(archive);
    return st;
}

/* The length of a member's name without .npy. */
static size_t stem_length(const char *name)
{
    size_t n = strlen(name);

    return n > 4 && strcmp(name + n - 4, ".npy") == 0 ? n - 4 : n;
}

/* Reads the header of a member. After an error, the bytes before it count. */
static void peek_member(const struct npz_listing *a, zip_int64_t i, struct npz_member *m)
{
    struct npy_peek *p = &m->file;
    zip_file_t *file = a->fopen(a->zip, (zip_uint64_t)i, 0);
    char *bytes = mem_alloc(NPY_PEEK_BYTES, 1);
    size_t have = 0;
    zip_int64_t n = 1;

    while (file && bytes && n > 0 && have < NPY_PEEK_BYTES) {
        n = a->fread(file, bytes + have, NPY_PEEK_BYTES - have);
        have += n > 0 ? (size_t)n : 0;
    }
    p->failed = !bytes;
    if (!file)
        snprintf(m->error, sizeof m->error,
                 "it is encrypted, or its compression method is unknown");
    else if (bytes) {
        m->foreign = npy_peek_bytes(bytes, have, p) && !p->is_npy;
        snprintf(m->error, sizeof m->error, "%s", m->foreign ? "it is not a .npy file" : p->error);
        p->is_npy = p->is_npy && npy_check_length(&p->header, npy_peek_rest(p), false, m->error);
    }
    if (file)
        a->fclose(file);
    free(bytes);
}

/* Sets all of m for member i; false if it has no name or memory is short. */
static bool look_at(const struct npz_listing *a, zip_int64_t i, bool twice, struct npz_member *m)
{
    zip_stat_t sb;
    char *stem;

    if (!stat_member(a, i, &sb))
        return false;
    *m = (struct npz_member){ .name = sb.name, .packed = sb.comp_size, .file.length = sb.size };
    if (twice) {
        snprintf(m->error, sizeof m->error, "%s", twin_text);
        return true;
    }
    stem = str_format("%.*s", (int)stem_length(sb.name), sb.name);
    m->shadowed = stem && strlen(stem) < strlen(sb.name) && a->locate(a->zip, stem, 0) >= 0;
    if (stem)
        peek_member(a, i, m);
    else
        m->file.failed = true;
    free(stem);
    return true;
}

/* Calls found for the members of an archive, of which twice[i] have a name that others have. */
static enum status list_members(const struct npz_listing *a, zip_int64_t n, char *twice,
                                npz_found *found, void *context, struct diag *dg)
{
    enum status st = ST_OK;
    struct npz_member m;

    for (zip_int64_t i = 0; i < n; i++) {
        zip_int64_t first = first_of_name(a, i);

        if (first >= 0 && first < n && first != i)
            twice[first] = twice[i] = 1;
    }
    for (zip_int64_t i = 0; i < n && st == ST_OK; i++)
        if ((!twice[i] || first_of_name(a, i) == i) && look_at(a, i, twice[i], &m))
            st = m.file.failed ? diag_nomem(dg) : found(context, &m);
    return st;
}

enum status npz_list(const char *path, npz_found *found, void *context, struct diag *dg)
{
    struct npz_listing a = { .fd = -1 };
    enum status st = open_archive(&a, path, dg);
    zip_int64_t n = st == ST_OK ? a.count(a.zip, 0) : 0;
    char *twice = st == ST_OK ? mem_zalloc((uint64_t)n + 1, 1) : NULL;

    current_listing = st == ST_OK ? &a : NULL;
    if (st == ST_OK)
        st = twice ? list_members(&a, n, twice, found, context, dg) : diag_nomem(dg);
    current_listing = NULL;
    free(twice);
    close_archive(&a);
    return st;
}

static bool is_folder(const char *member) { return *member && strchr(member, '\0')[-1] == '/'; }

struct members {
    const char *archive;
    members_visit *each;
    void *context;
    size_t arrays;     /* read, or refused with a message */
    enum status worst; /* of these */
    struct diag *dg;
};

static enum status visit_member(void *context, const struct npz_member *m)
{
    struct members *all = context;
    size_t n = m->shadowed ? strlen(m->name) : stem_length(m->name);
    char *path = str_format("%s:%.*s", all->archive, (int)n, m->name); /* for npz_open */
    enum status st = ST_OK;

    if (!path)
        st = diag_nomem(all->dg);
    else if (m->file.is_npy)
        st = all->each(all->context, path, m, all->dg);
    else if (m->foreign && !is_folder(m->name))
        diag_warn(all->dg, path, "%s", m->error);
    else if (!is_folder(m->name))
        st = diag_error(all->dg, ST_INPUT, path, "%s", m->error);
    all->arrays += m->file.is_npy || st == ST_INPUT;
    free(path);
    if (st == ST_INPUT) /* go on with the others */
        all->worst = st;
    return st == ST_INPUT ? ST_OK : st;
}

enum status members_each(const char *archive, members_visit *each, void *context, struct diag *dg)
{
    struct members all = { .archive = archive, .each = each, .context = context, .dg = dg };
    enum status st = npz_list(archive, visit_member, &all, dg);

    if (st == ST_OK && all.arrays == 0)
        st = diag_error(dg, ST_INPUT, archive, "there is no array in the archive");
    return st ? st : all.worst;
}
