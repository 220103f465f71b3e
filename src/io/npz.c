#include "io/npz.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "base/mem.h"
#include "base/str.h"

/* The functions of libzip that are used. */
struct library {
    zip_t *(*open)(const char *, int, int *);
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
    void *p = dlsym(handle, name);

    memcpy(function, &p, sizeof p);
    return p != NULL;
}

/* Loads the library, which costs little when it is loaded already; it stays loaded. */
static enum status load_library(struct library *lib, struct diag *dg)
{
    static const char *const names[] = { "libzip.so.5", "libzip.so.4", "libzip.so" };
    void *handle = NULL;

    for (size_t i = 0; i < ARRAY_LEN(names) && !handle; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (handle && symbol(handle, "zip_open", &lib->open) &&
        symbol(handle, "zip_discard", &lib->discard) &&
        symbol(handle, "zip_get_num_entries", &lib->count) &&
        symbol(handle, "zip_name_locate", &lib->locate) &&
        symbol(handle, "zip_stat_index", &lib->stat) &&
        symbol(handle, "zip_fopen_index", &lib->fopen) &&
        symbol(handle, "zip_fread", &lib->fread) && symbol(handle, "zip_fclose", &lib->fclose))
        return ST_OK;
    return diag_error(
        dg, ST_SYSTEM, NULL,
        "reading .npz archives needs libzip, which is not installed here (Debian: libzip4)");
}

bool npz_has_magic(const char *path)
{
    char bytes[4] = { 0 };
    struct stat sb;
    int fd;
    bool found = false;

    do
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return false;
    if (fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode))
        found = pread(fd, bytes, sizeof bytes, 0) == sizeof bytes &&
                memcmp(bytes, "PK\x03\x04", sizeof bytes) == 0;
    close(fd);
    return found;
}

/* Whether the first n bytes of a path are an archive's. */
static bool is_archive(const char *path, size_t n)
{
    char *archive;
    bool found;

    if (n > 4 && strncasecmp(path + n - 4, ".npz", 4) == 0)
        return true;
    archive = str_format("%.*s", (int)n, path);
    found = archive && npz_has_magic(archive);
    free(archive);
    return found;
}

/* The colon of FILE:NAME; NULL where the path names no member. */
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

bool npz_is_member(const char *path) { return find_colon(path) != NULL; }

static enum status open_archive(const struct library *lib, const char *path, zip_t **zip,
                                struct diag *dg)
{
    int error = 0;

    *zip = lib->open(path, ZIP_RDONLY, &error);
    if (*zip)
        return ST_OK;
    if (error == ZIP_ER_NOENT || access(path, R_OK) != 0)
        return diag_error(
            dg, ST_INPUT, path,
            "cannot open the archive: it does not exist, or you are not allowed to read it");
    if (error == ZIP_ER_MEMORY)
        return diag_nomem(dg);
    return diag_error(dg, ST_INPUT, path,
                      "this is not a .npz archive, or it is damaged (libzip error %d)", error);
}

/* Refuses what is too large, and what may be a decompression bomb. */
static enum status check_size(const char *path, const zip_stat_t *sb, struct diag *dg)
{
    if (sb->size > NPZ_MAX_BYTES)
        return diag_error(dg, ST_INPUT, path,
                          "the member unpacks to %" PRIu64 " bytes, and at most %" PRIu64
                          " are read from an archive; unzip it first",
                          (uint64_t)sb->size, NPZ_MAX_BYTES);
    if (sb->size > NPZ_FREE_BYTES && sb->size / NPZ_MAX_RATIO > sb->comp_size)
        return diag_error(dg, ST_INPUT, path,
                          "the member unpacks to %" PRIu64 " bytes from %" PRIu64
                          ", more than %d times; if it is what you expect, unzip it first",
                          (uint64_t)sb->size, (uint64_t)sb->comp_size, NPZ_MAX_RATIO);
    return ST_OK;
}

/* Reads all of a member into mapped memory, no more bytes than the archive says. */
static enum status read_member(const struct library *lib, zip_t *zip, zip_uint64_t index,
                               const zip_stat_t *sb, struct input *in, struct diag *dg)
{
    zip_file_t *file = lib->fopen(zip, index, 0);
    unsigned char extra;
    zip_int64_t n = 1;

    if (!file)
        return diag_error(
            dg, ST_INPUT, in->path,
            "cannot unpack the member: it is encrypted, or its compression method is unknown");
    in->base_len = sb->size ? (size_t)sb->size : 1;
    in->base = mmap(NULL, in->base_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (in->base == MAP_FAILED) {
        in->base = NULL;
        lib->fclose(file);
        return diag_nomem(dg);
    }
    in->data = in->base;
    while (in->len < sb->size && (n = lib->fread(file, in->base + in->len, sb->size - in->len)) > 0)
        in->len += (size_t)n;
    if (in->len == sb->size && n >= 0)
        n = lib->fread(file, &extra, 1); /* at the end libzip checks the checksum */
    lib->fclose(file);
    if (in->len != sb->size || n != 0)
        return diag_error(dg, ST_INPUT, in->path, "the member is damaged: its size or checksum is"
                          " not what the archive says");
    return ST_OK;
}

/* Finds the member with this name, or this name and .npy; *index is negative where both are
 * missing. */
static enum status locate(const struct library *lib, zip_t *zip, const char *name,
                          zip_int64_t *index, struct diag *dg)
{
    char *with = str_format("%s.npy", name);

    if (!with)
        return diag_nomem(dg);
    *index = lib->locate(zip, name, 0);
    if (*index < 0)
        *index = lib->locate(zip, with, 0);
    free(with);
    return ST_OK;
}

/* Whether another member has the same name; index is one that is found by it. */
static bool has_twin(const struct library *lib, zip_t *zip, zip_int64_t index)
{
    zip_int64_t n = lib->count(zip, 0);
    zip_stat_t sb, other;

    if (lib->stat(zip, (zip_uint64_t)index, 0, &sb) != 0)
        return false;
    for (zip_int64_t i = 0; i < n; i++)
        if (i != index && lib->stat(zip, (zip_uint64_t)i, 0, &other) == 0 &&
            strcmp(sb.name, other.name) == 0)
            return true;
    return false;
}

static const char twin_text[] = "the archive has several members of this name; write it anew with "
                                "a name for each";

/* An archive that is being listed, so that its members are read without opening it for each; which
 * of them have twins is known. */
struct npz_listing {
    const char *path;
    const struct library *lib;
    zip_t *zip;
};

static const struct npz_listing *current_listing; /* NULL: none */

enum status npz_open(struct input *in, const char *path, struct diag *dg)
{
    const struct npz_listing *listing = current_listing;
    const char *colon = find_colon(path);
    char *archive = str_format("%.*s", (int)(colon - path), path);
    struct library lib = { 0 };
    zip_t *zip = NULL;
    zip_int64_t index = -1;
    zip_stat_t sb;
    bool listed = archive && listing && strcmp(listing->path, archive) == 0;
    enum status st = !archive ? diag_nomem(dg) : listed ? ST_OK : load_library(&lib, dg);

    *in = (struct input){ .path = path };
    if (listed) {
        lib = *listing->lib;
        zip = listing->zip;
    } else if (st == ST_OK)
        st = open_archive(&lib, archive, &zip, dg);
    if (st == ST_OK)
        st = locate(&lib, zip, colon + 1, &index, dg);
    if (st == ST_OK && (index < 0 || lib.stat(zip, (zip_uint64_t)index, 0, &sb) != 0))
        st = diag_error(dg, ST_INPUT, archive,
                        "there is no '%s' in the archive; 'dmlop info' lists what it contains",
                        colon + 1);
    if (st == ST_OK && !listed && has_twin(&lib, zip, index))
        st = diag_error(dg, ST_INPUT, path, "%s", twin_text);
    if (st == ST_OK)
        st = check_size(path, &sb, dg);
    if (st == ST_OK)
        st = read_member(&lib, zip, (zip_uint64_t)index, &sb, in, dg);
    if (zip && !listed)
        lib.discard(zip);
    free(archive);
    return st;
}

bool npz_is_folder(const char *name)
{
    size_t n = strlen(name);

    return n > 0 && name[n - 1] == '/';
}

/* The length of a member's name without .npy. */
static size_t stem_length(const char *name)
{
    size_t n = strlen(name);

    return n > 4 && strcmp(name + n - 4, ".npy") == 0 ? n - 4 : n;
}

void npz_add_path(struct str *b, const char *archive, const struct npz_member *m)
{
    size_t n = m->shadowed ? strlen(m->name) : stem_length(m->name);

    str_printf(b, "%s:%.*s", archive, (int)n, m->name);
}

/* An open member and what reads it. */
struct member {
    const struct library *lib;
    zip_file_t *file;
};

static ptrdiff_t read_some(void *context, void *buf, size_t n)
{
    const struct member *m = context;
    zip_int64_t got = m->lib->fread(m->file, buf, n);

    return got > 0 ? (ptrdiff_t)got : 0; /* after an error, what came before it is looked at */
}

static void peek_member(const struct library *lib, zip_t *zip, zip_uint64_t i, struct npz_member *m)
{
    struct member member = { lib, lib->fopen(zip, i, 0) };
    struct npy_peek *p = &m->file;

    if (!member.file) {
        snprintf(m->error, sizeof m->error,
                 "it is encrypted, or its compression method is unknown");
        return;
    }
    m->foreign = npy_peek_stream(read_some, &member, p) && !p->is_npy;
    lib->fclose(member.file);
    snprintf(m->error, sizeof m->error, "%s", m->foreign ? "it is not a .npy file" : p->error);
    p->is_npy = p->is_npy && npy_check_length(&p->header, npy_peek_rest(p), false, m->error);
}

/* Marks in twice[n] the members that are found by a name that others have, too, and in later[n]
 * these others. */
static void find_twins(const struct library *lib, zip_t *zip, zip_int64_t n, char *twice,
                       char *later)
{
    for (zip_int64_t i = 0; i < n; i++) {
        zip_stat_t sb;
        zip_int64_t first = lib->stat(zip, (zip_uint64_t)i, 0, &sb) == 0
                                ? lib->locate(zip, sb.name, 0) : i;

        if (first < 0 || first >= n || first == i)
            continue;
        twice[first] = 1;
        later[i] = 1;
    }
}

/* Sets all of m; false where there is nothing to say of it, or memory is short. */
static bool look_at(const struct library *lib, zip_t *zip, zip_int64_t i, bool twice,
                    struct npz_member *m)
{
    zip_stat_t sb;
    char *stem;

    if (lib->stat(zip, (zip_uint64_t)i, 0, &sb) != 0)
        return false;
    *m = (struct npz_member){ .name = sb.name, .packed = sb.comp_size, .file.length = sb.size };
    if (twice) {
        snprintf(m->error, sizeof m->error, "%s", twin_text);
        return true;
    }
    stem = str_format("%.*s", (int)stem_length(sb.name), sb.name);
    m->file.failed = !stem;
    m->shadowed = stem && strlen(stem) < strlen(sb.name) && lib->locate(zip, stem, 0) >= 0;
    free(stem);
    if (!m->file.failed)
        peek_member(lib, zip, (zip_uint64_t)i, m);
    return true;
}

enum status npz_list(const char *path,
                     enum status (*found)(void *context, const struct npz_member *m), void *context,
                     struct diag *dg)
{
    struct library lib;
    struct npz_listing listing = { .path = path, .lib = &lib };
    zip_t *zip = NULL;
    enum status st = load_library(&lib, dg);
    struct npz_member m;
    char *twins = NULL;
    zip_int64_t n;

    if (st == ST_OK)
        st = open_archive(&lib, path, &zip, dg);
    listing.zip = zip;
    current_listing = zip ? &listing : NULL;
    n = st == ST_OK ? lib.count(zip, 0) : 0;
    if (st == ST_OK && !(twins = mem_zalloc((uint64_t)n + 1, 2)))
        st = diag_nomem(dg);
    if (st == ST_OK)
        find_twins(&lib, zip, n, twins, twins + n);
    for (zip_int64_t i = 0; i < n && st == ST_OK; i++)
        if (!twins[n + i] && look_at(&lib, zip, i, twins[i], &m))
            st = m.file.failed ? diag_nomem(dg) : found(context, &m);
    current_listing = NULL;
    free(twins);
    if (zip)
        lib.discard(zip);
    return st;
}
