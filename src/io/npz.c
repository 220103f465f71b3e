#include "io/npz.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <unistd.h>
#include <zip.h>

#include "base/mem.h"
#include "base/path.h"
#include "io/file.h"
#include "io/kind.h"
#include "os/file.h"
#include "os/memory.h"
#include "os/process.h"
#include "tensor/element.h"

/* An open archive and the functions of libzip that read it. */
struct npz_listing {
    const char *path;
    int fd; /* its offset is that of zip */
    zip_t *zip;
    zip_int64_t n; /* members */
    char *twice;   /* [n]: others have the name, too; owned */
    zip_t *(*open)(int, int, int *);
    void (*discard)(zip_t *);
    zip_int64_t (*count)(zip_t *, zip_flags_t);
    zip_int64_t (*locate)(zip_t *, const char *, zip_flags_t);
    int (*stat)(zip_t *, zip_uint64_t, zip_flags_t, zip_stat_t *);
    zip_file_t *(*fopen)(zip_t *, zip_uint64_t, zip_flags_t);
    zip_int64_t (*fread)(zip_file_t *, void *, zip_uint64_t);
    int (*fclose)(zip_file_t *);
};

/* Loads libzip, which stays loaded, so that the next time costs little. */
static enum status load_library(struct npz_listing *a, struct diag *dg)
{
    static const char *const names[] = { "libzip.so.5", "libzip.so.4", "libzip.so", NULL };
    void *handle = os_library(names);

    if (handle && os_library_symbol(handle, "zip_fdopen", &a->open) &&
        os_library_symbol(handle, "zip_discard", &a->discard) &&
        os_library_symbol(handle, "zip_get_num_entries", &a->count) &&
        os_library_symbol(handle, "zip_name_locate", &a->locate) &&
        os_library_symbol(handle, "zip_stat_index", &a->stat) &&
        os_library_symbol(handle, "zip_fopen_index", &a->fopen) &&
        os_library_symbol(handle, "zip_fread", &a->fread) &&
        os_library_symbol(handle, "zip_fclose", &a->fclose))
        return ST_OK;
    return diag_error(
        dg, ST_SYSTEM, NULL,
        "reading .npz archives needs libzip, which is not installed here (Debian: libzip4)");
}

static void close_archive(struct npz_listing *a)
{
    free(a->twice);
    if (a->zip)
        a->discard(a->zip);
    if (a->fd >= 0)
        close(a->fd);
}

enum { END_BYTES = 22 /* of an archive's last record, without its comment */ };

/* Finds the last record of an archive of n bytes, which says where the list of members is. A
 * transfer as text may have shortened it. Returns n if there is none. */
static size_t find_end(const unsigned char *b, size_t n)
{
    enum { LEAST = 20 /* bytes of it that changed_line_ends reads */ };

    for (size_t at = n < LEAST ? 0 : n - LEAST + 1; at-- > 0;)
        if (memcmp(b + at, "PK\x05\x06", 4) == 0)
            return at;
    return n;
}

/* The line ends that a transfer as text changed in an archive of n bytes whose last record is at
 * `end`: all of them, or as many as its directory has moved by; NULL if that is not certain. */
static const char *changed_line_ends(const unsigned char *b, size_t n, size_t end)
{
    size_t feeds = 0, returns = 0, pairs = 0;
    uint64_t was; /* the record's place */

    for (size_t i = 0; end < n && i < end; i++) {
        feeds += b[i] == '\n';
        returns += b[i] == '\r';
        pairs += b[i] == '\r' && b[i + 1] == '\n';
    }
    if (pairs > 0)
        return pairs == feeds ? "line feed (\\n) became \\r\\n" : NULL;
    was = end == n ? 0
                   : element_load_swapped(b + end + 12, 2, BIG_MACHINE) + /* directory's length */
                         element_load_swapped(b + end + 16, 2, BIG_MACHINE);
    /* some of many pairs would be left by chance, and few missing bytes may have another reason */
    return was > end && was - end <= feeds &&
                   (was - end >= 8 * (returns + 1) || returns * feeds / 8 >= end)
               ? "\\r\\n became a line feed (\\n)"
               : NULL;
}

/* Refuses an archive whose beginning is one. libzip's error codes differ by version. */
static enum status refuse_damaged(const struct npz_listing *a, struct diag *dg)
{
    struct stat st;
    size_t n = fstat(a->fd, &st) == 0 ? (size_t)st.st_size : 0;
    unsigned char *b = os_map_file(a->fd, n);
    size_t end = b ? find_end(b, n) : n;
    const char *changed = b ? changed_line_ends(b, n, end) : NULL;
    bool cut = b && n - end < END_BYTES;

    if (b)
        os_unmap(b, n);
    if (changed)
        return diag_input(
            dg, a->path,
            "each %s when the file was transferred as text; transfer it again as binary data",
            changed);
    return diag_input(dg, a->path,
                      cut ? "the archive is cut short: the list of its members, at the end, is "
                            "missing; get the whole file"
                          : "the archive is damaged; get the file again");
}

/* Says what a file is that libzip does not open. */
static enum status refuse_archive(const struct npz_listing *a, struct diag *dg)
{
    struct str what = { 0 }, remedy = { 0 };
    bool known;

    if (npz_has_magic(a->path))
        return refuse_damaged(a, dg);
    known = kind_describe(a->path, "a .npz archive", &what, &remedy);
    str_puts(&what, known ? "; " : "this is not a .npz archive; perhaps a download failed");
    str_puts(&what, known && remedy.s ? remedy.s : "");
    str_done(&remedy, &what.failed);
    return diag_str(dg, ST_INPUT, a->path, &what);
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

static enum status find_twins(struct npz_listing *a, struct diag *dg)
{
    a->n = a->count(a->zip, 0);
    a->twice = mem_zalloc((uint64_t)a->n + 1, 1);
    if (!a->twice)
        return diag_nomem(dg);
    for (zip_int64_t i = 0; i < a->n; i++) {
        zip_int64_t first = first_of_name(a, i);

        if (first >= 0 && first < a->n && first != i)
            a->twice[first] = a->twice[i] = 1;
    }
    return ST_OK;
}

/* Opens the archive `path`, which must live as long as a. */
static enum status open_archive(struct npz_listing *a, const char *path, struct diag *dg)
{
    int error = 0, fd, spare;
    enum status st;

    a->path = path;
    if (file_is_special(path))
        return diag_input(dg, path, "an archive is read from a regular file only; save it as one");
    a->fd = os_open(AT_FDCWD, path, OS_READ);
    if (a->fd < 0)
        return diag_errno(dg, ST_INPUT, path, errno, "cannot open");
    fd = os_duplicate(a->fd);
    spare = os_duplicate(a->fd); /* loading libzip needs one, and libzip itself */
    st = fd < 0 || spare < 0 ? diag_errno(dg, ST_SYSTEM, path, errno, "cannot open the archive")
                             : ST_OK;
    if (spare >= 0)
        close(spare);
    st = st ? st : load_library(a, dg);
    a->zip = st ? NULL : a->open(fd, 0, &error);
    if (a->zip)
        return find_twins(a, dg);
    if (fd >= 0)
        close(fd);
    return st ? st : error == ZIP_ER_MEMORY ? diag_nomem(dg) : refuse_archive(a, dg);
}

static bool is_bomb(uint64_t size, uint64_t packed)
{
    return size > NPZ_FREE_BYTES && size / NPZ_MAX_RATIO > packed;
}

static enum status check_ratio(const char *path, uint64_t size, uint64_t packed, struct diag *dg)
{
    if (!is_bomb(size, packed))
        return ST_OK;
    return diag_input(dg, path,
                      "the member unpacks to %ju bytes from %ju, more than %d times; if it is what "
                      "you expect, unzip it first",
                      size, packed, NPZ_MAX_RATIO);
}

/* Refuses members that are too large or may be decompression bombs, by what the archive says. */
static enum status check_size(const struct npz_listing *a, const char *path, const zip_stat_t *sb,
                              struct diag *dg)
{
    struct stat st;

    if (sb->size > NPZ_MAX_BYTES)
        return diag_input(dg, path,
                          "the member unpacks to %ju bytes, and at most %ju are read from an "
                          "archive; unzip it first",
                          (uint64_t)sb->size, NPZ_MAX_BYTES);
    if (fstat(a->fd, &st) != 0)
        return diag_errno(dg, ST_INPUT, path, errno, "cannot read");
    return check_ratio(path, sb->size, u64_min(sb->comp_size, (uint64_t)st.st_size), dg);
}

enum { METHOD_ZSTD = 93 /* zip.h of libzip 1.7 has no name for it */ };

static const char damaged[] = "the member is damaged: its size or checksum is not what the archive "
                              "says";
static const char foreign[] = "it is not a .npy file";

/* Opens a member, whose bytes stay packed if LZMA packed them; NULL, with the reason. */
static zip_file_t *open_packed(const struct npz_listing *a, zip_int64_t index, const zip_stat_t *sb,
                               char why[NPY_LENGTH_TEXT])
{
    bool lzma = sb->comp_method == ZIP_CM_LZMA, encrypted = sb->encryption_method != ZIP_EM_NONE;
    zip_file_t *file =
        encrypted ? NULL : a->fopen(a->zip, (zip_uint64_t)index, lzma ? ZIP_FL_COMPRESSED : 0);

    if (encrypted)
        snprintf(why, NPY_LENGTH_TEXT,
                 "it is encrypted; unpack it with its password, by unzip or 7z x, and give the "
                 ".npy");
    else if (!file)
        snprintf(why, NPY_LENGTH_TEXT,
                 "it is compressed by %s (method %u), which libzip does not unpack here; unpack it "
                 "with 7z x, and give the .npy",
                 sb->comp_method == METHOD_ZSTD ? "zstd" : "an unusual method", sb->comp_method);
    return file;
}

/* Reads n bytes, or fewer if they end; *bad: by an error. */
static size_t read_bytes(const struct npz_listing *a, zip_file_t *file, unsigned char *to, size_t n,
                         bool *bad)
{
    size_t have = 0;
    int64_t got = 1;

    while (got > 0 && have < n) {
        got = a->fread(file, to + have, n - have);
        have += got > 0 ? (size_t)got : 0;
    }
    *bad = got < 0;
    return have;
}

/* Unpacks the first n bytes of a member that LZMA packed (method 14), which the libzip of some
 * systems cannot unpack. *packed is the number of bytes read. liblzma is loaded at its first use.
 * Returns NULL, or the reason if it cannot be unpacked, "" if memory is short. */
static const char *read_lzma(const struct npz_listing *a, zip_file_t *file, const zip_stat_t *sb,
                             void *to, size_t n, uint64_t *packed)
{
    enum { ZIP_HEADER = 4, PROPERTIES = 5 };
    static const char *const names[] = { "liblzma.so.5", NULL };
    lzma_ret (*properties)(lzma_filter *, const lzma_allocator *, const uint8_t *, size_t);
    lzma_ret (*decode)(const lzma_filter *, const lzma_allocator *, const uint8_t *, size_t *,
                       size_t, uint8_t *, size_t *, size_t);
    uint32_t (*checksum)(const uint8_t *, size_t, uint32_t);
    lzma_filter filters[] = { { .id = LZMA_FILTER_LZMA1 }, { .id = LZMA_VLI_UNKNOWN } };
    size_t most = (size_t)u64_min(sb->comp_size, 2 * (uint64_t)n + 4096); /* of any packer */
    size_t in = ZIP_HEADER + PROPERTIES, out = 0;
    void *library = os_library(names);
    lzma_ret ret = LZMA_DATA_ERROR;
    unsigned char *bytes;
    bool bad;

    if (!library || !os_library_symbol(library, "lzma_properties_decode", &properties) ||
        !os_library_symbol(library, "lzma_raw_buffer_decode", &decode) ||
        !os_library_symbol(library, "lzma_crc32", &checksum))
        return "it is compressed by LZMA, and liblzma is not installed here (Debian: liblzma5)";
    bytes = mem_alloc(most, 1);
    if (!bytes)
        return "";
    *packed = read_bytes(a, file, bytes, most, &bad);
    if (*packed >= in && bytes[2] == PROPERTIES && bytes[3] == 0)
        ret = properties(&filters[0], NULL, bytes + ZIP_HEADER, PROPERTIES);
    if (ret == LZMA_OK) {
        lzma_options_lzma *options = filters[0].options;

        options->dict_size = (uint32_t)u64_min(options->dict_size, u64_max(n, 4096));
        ret = decode(filters, NULL, bytes, &in, (size_t)*packed, to, &out, n);
        free(options);
    }
    free(bytes);
    if (ret == LZMA_MEM_ERROR)
        return "";
    /* LZMA_BUF_ERROR: more could follow; data need no mark at their end, and have a checksum */
    if (n == sb->size)
        return checksum(to, n, 0) == sb->crc ? NULL : damaged;
    return ret == LZMA_OK || ret == LZMA_BUF_ERROR ? NULL : damaged;
}

/* Unpacks a member into in->base, no more bytes than the archive says. What it says of the packed
 * bytes may be wrong: *packed is the number read. Returns NULL, or the reason. */
static const char *unpack(const struct npz_listing *a, zip_file_t *file, const zip_stat_t *sb,
                          struct input *in, uint64_t *packed)
{
    enum { AHEAD = 1 << 16 /* bytes that libzip may have read before `start`, at least */ };
    off_t start = sb->size > NPZ_FREE_BYTES ? lseek(a->fd, 0, SEEK_CUR) - AHEAD : 0;
    bool bad = false;
    size_t n = 1;

    if (sb->comp_method == ZIP_CM_LZMA)
        return read_lzma(a, file, sb, in->base, in->len = (size_t)sb->size, packed);
    while (in->len < sb->size && n > 0 && !is_bomb(in->len, *packed)) {
        n = read_bytes(a, file, in->base + in->len, u64_min(sb->size - in->len, NPZ_FREE_BYTES),
                       &bad);
        in->len += n;
        *packed = (uint64_t)(lseek(a->fd, 0, SEEK_CUR) - start);
    }
    if (bad || is_bomb(in->len, *packed))
        return bad ? damaged : NULL;
    /* at the end the checksum is compared */
    return in->len < sb->size || a->fread(file, &(char){ 0 }, 1) != 0 ? damaged : NULL;
}

static enum status read_member(const struct npz_listing *a, zip_int64_t index, const zip_stat_t *sb,
                               struct input *in, struct diag *dg)
{
    char error[NPY_LENGTH_TEXT];
    zip_file_t *file = open_packed(a, index, sb, error);
    const char *why = file ? "" : error;
    uint64_t packed = 0;

    if (file) {
        in->base_len = sb->size ? (size_t)sb->size : 1;
        in->data = in->base = os_pages_new(in->base_len);
        if (in->base)
            why = unpack(a, file, sb, in, &packed);
        a->fclose(file);
    }
    if (!why)
        return check_ratio(in->path, in->len, packed, dg);
    return !*why ? diag_nomem(dg)
                 : diag_input(dg, in->path, "%s%s",
                              why == damaged ? "" : "cannot unpack the member: ", why);
}

static const char twin_text[] = "the archive has several members of this name; write it anew with "
                                "a name for each";

static enum status find_member(const struct npz_listing *a, const struct member *m,
                               struct input *in, struct diag *dg)
{
    char *with = str_format("%s.npy", m->name);
    zip_int64_t index;
    zip_stat_t sb;
    enum status st;

    if (!with)
        return diag_nomem(dg);
    index = a->locate(a->zip, m->name, 0);
    if (index < 0)
        index = a->locate(a->zip, with, 0);
    free(with);
    if (index < 0 || !stat_member(a, index, &sb))
        return diag_input(dg, m->file,
                          "there is no '%s' in the archive; 'dmlop info' lists what it contains",
                          m->name);
    if (index < a->n && a->twice[index])
        return diag_input(dg, in->path, "%s", twin_text);
    st = check_size(a, in->path, &sb, dg);
    return st ? st : read_member(a, index, &sb, in, dg);
}

static const struct npz_listing *current_listing; /* NULL: none */

enum status npz_open(struct input *in, const char *path, const struct member *m, struct diag *dg)
{
    bool listed = current_listing && strcmp(current_listing->path, m->file) == 0;
    struct npz_listing listing = { .fd = -1 };
    enum status st = listed ? ST_OK : open_archive(&listing, m->file, dg);

    *in = (struct input){ .path = path };
    st = st ? st : find_member(listed ? current_listing : &listing, m, in, dg);
    close_archive(&listing);
    return st;
}

/* Reads the header of a member; false, with the reason in error, "" if memory is short, unless it
 * is an array that can be read. */
static bool peek_member(const struct npz_listing *a, zip_int64_t i, const zip_stat_t *sb,
                        struct npy_header *h, char error[NPY_LENGTH_TEXT])
{
    zip_file_t *file = open_packed(a, i, sb, error);
    unsigned char *bytes = file ? mem_alloc(NPY_PEEK_BYTES, 1) : NULL;
    size_t have = (size_t)u64_min(sb->size, NPY_PEEK_BYTES);
    const char *why = file ? "" : error;
    uint64_t packed;
    bool bad; /* bytes before an error count */

    if (bytes && sb->comp_method == ZIP_CM_LZMA)
        why = read_lzma(a, file, sb, bytes, have, &packed);
    else if (bytes) {
        have = read_bytes(a, file, bytes, NPY_PEEK_BYTES, &bad);
        why = have == 0 && sb->size > 0 ? damaged : NULL;
    }
    if (file)
        a->fclose(file);
    if (!why)
        why = !npy_is(bytes, have)                     ? foreign
              : npy_read_header(bytes, have, h, error) ? NULL
                                                       : error;
    if (why && why != error)
        snprintf(error, NPY_LENGTH_TEXT, "%s", why);
    free(bytes);
    return !why &&
           npy_check_length(h, u64_max(sb->size, h->data_offset) - h->data_offset, false, error);
}

/* The path by which member i is read, owned by the caller: without .npy, unless another has it. */
static char *member_path(const struct npz_listing *a, zip_int64_t i, const char *name)
{
    char *path = str_format("%s:%s", a->path, name), *stem, *end;

    if (!path)
        return NULL;
    stem = path + strlen(a->path) + 1;
    end = strrchr(stem, '.');
    if (end && end > stem && strcmp(end, ".npy") == 0) {
        *end = '\0';
        if (!a->twice[i] && a->locate(a->zip, stem, 0) >= 0)
            *end = '.';
    }
    return path;
}

/* What members_each does for member i; *any: an array, or an error. */
static enum status visit_member(const struct npz_listing *a, zip_int64_t i, members_visit *each,
                                void *context, bool *any, struct diag *dg)
{
    char error[NPY_LENGTH_TEXT], *path;
    struct npy_header h = { .rank = 0 };
    bool array = false;
    enum status st = ST_OK;
    zip_stat_t sb;

    if (!stat_member(a, i, &sb) || (a->twice[i] && first_of_name(a, i) != i))
        return ST_OK;
    path = member_path(a, i, sb.name);
    if (a->twice[i])
        snprintf(error, sizeof error, "%s", twin_text);
    else if (path)
        array = peek_member(a, i, &sb, &h, error) || npy_is_bfloat16(&h); /* `each` reads that */
    if (!path || (!array && !*error))
        st = diag_nomem(dg);
    else if (array) {
        st = each(context, path, &(struct npz_member){ sb.comp_size, h }, dg);
        *any = true;
    } else if (*sb.name && strchr(sb.name, '\0')[-1] == '/') /* a folder */
        st = ST_OK;
    else if (strcmp(error, foreign) == 0 && !path_has_extension(sb.name, ".npy"))
        diag_warn(dg, path, "%s", error);
    else
        st = diag_input(dg, path, "%s", error);
    *any = *any || st == ST_INPUT;
    free(path);
    return st;
}

enum status members_each(const char *archive, members_visit *each, void *context, struct diag *dg)
{
    struct npz_listing a = { .fd = -1 };
    enum status st = open_archive(&a, archive, dg), worst = ST_OK;
    bool any = false;

    current_listing = &a;
    for (zip_int64_t i = 0; i < a.n && st == ST_OK; i++) {
        st = visit_member(&a, i, each, context, &any, dg);
        if (st == ST_INPUT) { /* go on with the others */
            worst = st;
            st = ST_OK;
        }
    }
    current_listing = NULL;
    close_archive(&a);
    if (st == ST_OK && !any)
        st = diag_input(dg, archive, "there is no array in the archive");
    return st ? st : worst;
}
