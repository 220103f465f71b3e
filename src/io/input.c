#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/process.h"
#include "io/cleanup.h"
#include "io/kind.h"
#include "io/npz.h"
#include "os/file.h"
#include "os/memory.h"

enum { FIRST_BYTES = 1 << 20 /* of address space for reading; untouched pages are free */ };

static enum status cannot(struct diag *dg, const char *path, int err, const char *what)
{
    return diag_errno(dg, ST_INPUT, path, err, "cannot %s", what);
}

/* Grows the anonymous region to twice its size. */
static bool grow(struct input *in)
{
    size_t want = in->base_len ? in->base_len * 2 : FIRST_BYTES;
    void *p = want < in->base_len ? NULL
              : in->base          ? os_pages_grow(in->base, in->base_len, want)
                                  : os_pages_new(want);

    if (!p)
        return false;
    in->base = p;
    in->base_len = want;
    return true;
}

void input_detach(struct input *in)
{
    if ((in->mapped || in->more) && in->fd > STDIN_FILENO)
        close(in->fd);
    in->more = false;
    in->fd = -1;
}

enum status input_fill(struct input *in, size_t n, struct diag *dg)
{
    while (in->more && in->len < n) {
        ptrdiff_t got;

        if (in->len == in->base_len && !grow(in))
            return diag_nomem(dg);
        in->data = in->base;
        got = os_read(in->fd, in->base + in->len, in->base_len - in->len);
        if (got < 0)
            return cannot(dg, in->path, errno, "read");
        in->len += (size_t)got;
        if (got == 0)
            input_detach(in);
    }
    return ST_OK;
}

/* Reads the next n bytes into buf, or skips them if buf is NULL. */
static enum status read_next(struct input *in, void *buf, uint64_t n, uint64_t *got,
                             struct diag *dg)
{
    unsigned char waste[16384], *to = buf;
    ptrdiff_t done = 1;

    *got = in->consumed < in->len ? u64_min(n, in->len - in->consumed) : 0;
    if (to && *got > 0)
        memcpy(to, in->data + in->consumed, *got);
    while (*got < n && in->more && done > 0) {
        size_t most = (size_t)u64_min(n - *got, to ? SSIZE_MAX : sizeof waste);

        done = os_read(in->fd, to ? to + *got : waste, most);
        *got += done > 0 ? (size_t)done : 0;
    }
    in->consumed += *got;
    return done < 0 ? cannot(dg, in->path, errno, "read") : ST_OK;
}

enum status input_read(struct input *in, uint64_t offset, void *buf, uint64_t n, uint64_t *got,
                       struct diag *dg)
{
    enum status st = read_next(in, NULL, offset - in->consumed, got, dg);

    *got = 0;
    return st || in->consumed < offset ? st : read_next(in, buf, n, got, dg);
}

/* Maps a regular file with a size, from the current offset on; others will be read. */
static enum status load(struct input *in, struct diag *dg)
{
    enum status refused;
    struct stat st;
    off_t at;

    if (fstat(in->fd, &st) != 0)
        return cannot(dg, in->path, errno, "read");
    if (S_ISDIR(st.st_mode)) {
        refused = parts_folder_refuse(in->path, dg);
        return refused ? refused
                       : diag_input(dg, in->path, "is a directory; give a file that is in it");
    }
    at = S_ISREG(st.st_mode) && st.st_size > 0 ? lseek(in->fd, 0, SEEK_CUR) : -1;
    if (at < 0 || at >= st.st_size)
        return ST_OK;
    errno = ENOMEM;
    if ((uintmax_t)st.st_size <= PTRDIFF_MAX)
        in->base = os_map_file(in->fd, (size_t)st.st_size);
    if (!in->base) /* those of sysfs cannot be mapped */
        return errno == ENOMEM ? cannot(dg, in->path, errno, "map the file") : ST_OK;
    in->base_len = (size_t)st.st_size;
    in->mapped = true;
    in->data = in->base + at;
    in->len = in->base_len - (size_t)at;
    cleanup_mapped(in->base, in->base_len, in->path);
    return ST_OK;
}

/* Opens a file, or standard input; messages call it in->path. */
static enum status open_file(struct input *in, const char *file, struct diag *dg)
{
    bool standard = strcmp(file, "-") == 0;
    enum status st;

    if (standard && process.standard_input_used)
        return diag_usage(dg,
                          "standard input can be read only once; give a file for the other input");
    if (standard)
        process.standard_input_used = true;
    else
        in->fd = os_open(AT_FDCWD, file, OS_READ);
    if (in->fd < 0 && errno == ENOENT && *file && file[strlen(file) - 1] == ':')
        return diag_input(dg, in->path, "the name of an array is missing after ':'");
    if (in->fd < 0)
        return cannot(dg, in->path, errno, "open");
    st = load(in, dg);
    in->more = !in->mapped;
    return st;
}

/* Skips n bytes; *left: those that the input does not have. */
static enum status skip(struct input *in, uint64_t n, uint64_t *left, struct diag *dg)
{
    size_t have = (size_t)u64_min(n, in->len);
    enum status st;

    *left = n - have;
    in->len -= have;
    if (!in->more) {
        in->data += have;
        return ST_OK;
    }
    memmove(in->data, in->data + have, in->len);
    st = read_next(in, NULL, *left, &n, dg);
    *left -= n;
    in->consumed = 0;
    return st;
}

/* Moves `data` to the array of that number. */
static enum status find_array(struct input *in, const char *number, struct diag *dg)
{
    char error[NPY_ERROR_TEXT] = "", *end;
    unsigned long long want = strtoull(number, &end, 10);
    struct npy_header h;
    uint64_t left = 0;
    enum status st;

    in->numbered = true;
    st = input_fill(in, KIND_FILL, dg);
    st = st ? st : kind_check(in, WANT_TENSOR, dg);
    if (st == ST_OK && !npy_is(in->data, in->len))
        st = diag_input(dg, in->path, "this is not a .npy file, whose arrays have numbers");
    if (st == ST_OK && (!isdigit((unsigned char)*number) || *end))
        st = diag_input(dg, in->path,
                        "arrays of a .npy file have no names; use 0 for the first, 1 for the next");
    for (unsigned long long i = 0; st == ST_OK; i++) {
        st = input_fill(in, NPY_PREFIX_MAX, dg);
        if (st == ST_OK && npy_is(in->data, in->len))
            st = input_fill(in, npy_header_end(in->data, in->len) + 1, dg);
        else if (st == ST_OK)
            st = diag_input(dg, in->path, "there %s %llu array%s in the .npy file",
                            i == 1 ? "is only" : "are only", i, i == 1 ? "" : "s");
        if (st || i == want)
            return st;
        if (!npy_read_header(in->data, in->len, &h, error) && !npy_is_bfloat16(&h))
            return diag_input(dg, in->path, "array %llu: %s", i, error);
        st = skip(in, h.data_offset + h.data_bytes, &left, dg);
        if (st || left > 0)
            return st ? st : diag_input(dg, in->path, "array %llu is cut short", i);
    }
    return st;
}

enum status input_begin(struct input *in, const char *path, struct diag *dg)
{
    struct member m;
    enum status st;

    *in = (struct input){ .path = path, .fd = STDIN_FILENO };
    if (!member_find(path, &m))
        st = open_file(in, path, dg);
    else if (m.archived)
        st = npz_open(in, path, &m, dg);
    else {
        st = open_file(in, m.file, dg);
        st = st ? st : find_array(in, m.name, dg);
    }
    if (st)
        input_close(in);
    return st;
}

enum status input_open(struct input *in, const char *path, struct diag *dg)
{
    enum status st = input_begin(in, path, dg);

    st = st ? st : input_finish(in, dg);
    if (st)
        input_close(in);
    return st;
}

void input_advise(const struct input *in, size_t from, size_t n, bool sequential)
{
    size_t start = (size_t)input_offset(in) + from;
    size_t before = start % os_page_size(); /* on the first page */

    if (in->mapped)
        os_map_expect(in->base + start - before, before + n, sequential);
}

void input_drop(struct input *in, size_t offset)
{
    size_t end = (size_t)input_offset(in) + offset;

    end -= end % os_page_size();
    if (in->base && end > in->dropped) {
        os_pages_drop(in->base + in->dropped, end - in->dropped);
        in->dropped = end;
    }
}

enum status input_intact(const struct input *in, struct diag *dg)
{
    struct stat st;

    if (in->mapped && fstat(in->fd, &st) != 0)
        return cannot(dg, in->path, errno, "read");
    if (!in->mapped || (uintmax_t)st.st_size >= in->base_len)
        return ST_OK;
    return diag_input(dg, in->path, "the file became shorter while it was being read");
}

void input_close(struct input *in)
{
    if (in->mapped)
        cleanup_unmapped(in->base);
    input_detach(in);
    if (in->base)
        os_unmap(in->base, in->base_len);
    in->mapped = false;
    in->base = in->data = NULL;
    in->len = in->base_len = 0;
}
