#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "base/util.h"
#include "io/cleanup.h"
#include "io/npz.h"
#include "os/file.h"
#include "os/memory.h"

enum { FIRST_BYTES = 1 << 20 /* of address space for reading; untouched pages are free */ };

static enum status cannot(struct diag *dg, const char *path, int err, const char *what)
{
    return diag_errno(dg, err == ENOMEM ? ST_SYSTEM : ST_INPUT, path, err, "cannot %s", what);
}

/* False with errno if the file cannot be mapped, as those of sysfs. */
static bool map_file(struct input *in, off_t size)
{
    void *p = NULL;

    errno = ENOMEM;
    if ((uintmax_t)size <= PTRDIFF_MAX)
        p = os_map_file(in->fd, (size_t)size);
    if (!p)
        return false;
    in->base = p;
    in->base_len = (size_t)size;
    in->mapped = true;
    cleanup_mapped(p, in->base_len, in->path);
    return true;
}

/* Grows the anonymous region to twice its size. */
static bool grow(struct input *in)
{
    size_t want = in->base_len ? in->base_len * 2 : FIRST_BYTES;
    void *p;

    if (want < in->base_len)
        return false;
    p = in->base ? os_pages_grow(in->base, in->base_len, want) : os_pages_new(want);
    if (!p)
        return false;
    in->base = p;
    in->base_len = want;
    return true;
}

/* Reads once; *got is 0 at the end of the input. */
static enum status read_some(const struct input *in, void *buf, size_t n, size_t *got,
                             struct diag *dg)
{
    ptrdiff_t done = os_read(in->fd, buf, n);

    *got = done > 0 ? (size_t)done : 0;
    return done < 0 ? cannot(dg, in->path, errno, "read") : ST_OK;
}

static void close_file(struct input *in)
{
    if ((in->mapped || in->more) && in->fd > STDIN_FILENO)
        close(in->fd);
    in->more = false;
}

void input_detach(struct input *in)
{
    close_file(in);
    in->fd = -1;
}

enum status input_fill(struct input *in, size_t n, struct diag *dg)
{
    while (in->more && in->len < n) {
        size_t got;
        enum status st;

        if (in->len == in->base_len && !grow(in))
            return diag_nomem(dg);
        in->data = in->base;
        st = read_some(in, in->base + in->len, in->base_len - in->len, &got, dg);
        if (st)
            return st;
        in->len += got;
        if (got == 0)
            close_file(in);
    }
    return ST_OK;
}

enum status input_finish(struct input *in, struct diag *dg) { return input_fill(in, SIZE_MAX, dg); }

enum status input_read(struct input *in, void *buf, uint64_t n, uint64_t *got, struct diag *dg)
{
    unsigned char waste[16384], *to = buf;
    enum status st = ST_OK;
    size_t done = 1;

    *got = u64_min(n, in->len - in->consumed);
    if (to && *got > 0)
        memcpy(to, in->data + in->consumed, *got);
    in->consumed += *got;
    while (*got < n && in->more && done > 0 && st == ST_OK) {
        size_t part = (size_t)u64_min(n - *got, to ? SSIZE_MAX : sizeof waste);

        st = read_some(in, to ? to + *got : waste, part, &done, dg);
        *got += done;
    }
    return st;
}

/* Maps a regular file with a size, from the current offset on; others will be read. */
static enum status load(struct input *in, struct diag *dg)
{
    struct stat st;
    off_t at;

    if (fstat(in->fd, &st) != 0)
        return cannot(dg, in->path, errno, "read");
    if (S_ISDIR(st.st_mode))
        return diag_error(dg, ST_INPUT, in->path, "is a directory; give a file that is in it");
    at = S_ISREG(st.st_mode) && st.st_size > 0 ? lseek(in->fd, 0, SEEK_CUR) : -1;
    if (at < 0 || at >= st.st_size)
        return ST_OK;
    if (map_file(in, st.st_size)) {
        in->data = in->base + at;
        in->len = in->base_len - (size_t)at;
        return ST_OK;
    }
    return errno == ENOMEM ? cannot(dg, in->path, errno, "map the file") : ST_OK;
}

enum status input_begin(struct input *in, const char *path, struct diag *dg)
{
    bool standard = strcmp(path, "-") == 0;
    enum status st;

    if (!standard && npz_member(path)) {
        st = npz_open(in, path, dg);
        if (st)
            input_close(in);
        return st;
    }
    *in = (struct input){ .path = path, .fd = STDIN_FILENO };
    if (standard && process.standard_input_used)
        return diag_error(dg, ST_USAGE, NULL,
                          "standard input can be read only once; give a file for the other input");
    if (standard)
        process.standard_input_used = true;
    else
        in->fd = os_open(AT_FDCWD, path, OS_READ);
    if (in->fd < 0)
        return cannot(dg, path, errno, "open");
    st = load(in, dg);
    in->more = !in->mapped;
    if (st)
        input_close(in);
    return st;
}

enum status input_open(struct input *in, const char *path, struct diag *dg)
{
    enum status st = input_begin(in, path, dg);

    if (st == ST_OK)
        st = input_finish(in, dg);
    if (st)
        input_close(in);
    return st;
}

uint64_t input_offset(const struct input *in) { return (uint64_t)(in->data - in->base); }

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
    return diag_error(dg, ST_INPUT, in->path, "the file became shorter while it was being read");
}

void input_close(struct input *in)
{
    if (in->mapped)
        cleanup_unmapped(in->base);
    close_file(in);
    if (in->base)
        os_unmap(in->base, in->base_len);
    in->mapped = false;
    in->base = in->data = NULL;
    in->len = in->base_len = 0;
}
