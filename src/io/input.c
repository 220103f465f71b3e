#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reading starts with this much address space and doubles; pages not touched cost nothing. */
enum { FIRST_BYTES = 1 << 20 };

static enum status cannot(struct diag *dg, const char *path, int err, const char *what)
{
    return diag_errno(dg, err == ENOMEM ? ST_SYSTEM : ST_INPUT, path, err, "cannot %s", what);
}

/* False where the file cannot be mapped, as those of sysfs; errno then says why. */
static bool map_file(struct input *in, int fd, off_t size)
{
    void *p = MAP_FAILED;

    errno = ENOMEM;
    if ((uintmax_t)size <= SIZE_MAX)
        p = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED)
        return false;
    in->base = p;
    in->base_len = (size_t)size;
    in->mapped = true;
    return true;
}

/* Grows the anonymous region to at least twice its size. */
static bool grow(struct input *in)
{
    size_t want = in->base_len ? in->base_len * 2 : FIRST_BYTES;
    void *p;

    if (want < in->base_len)
        return false;
    if (!in->base) {
        p = mmap(NULL, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            return false;
    } else {
#ifdef __linux__
        p = mremap(in->base, in->base_len, want, MREMAP_MAYMOVE);
        if (p == MAP_FAILED)
            return false;
#else
        p = mmap(NULL, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            return false;
        memcpy(p, in->base, in->len);
        munmap(in->base, in->base_len);
#endif
    }
    in->base = p;
    in->base_len = want;
    return true;
}

static enum status read_all(struct input *in, int fd, struct diag *dg)
{
    for (;;) {
        ssize_t n;

        if (in->len == in->base_len && !grow(in))
            return diag_nomem(dg);
        n = read(fd, in->base + in->len, in->base_len - in->len);
        if (n == 0)
            return ST_OK;
        if (n < 0 && errno == EAGAIN) /* somebody made the pipe non-blocking */
            poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, -1);
        else if (n < 0 && errno != EINTR)
            return cannot(dg, in->path, errno, "read");
        if (n > 0)
            in->len += (size_t)n;
    }
}

/* A regular file with a size is mapped from the current offset on; all else, and what cannot be mapped, is read. */
static enum status load(struct input *in, int fd, struct diag *dg)
{
    struct stat st;
    off_t at;
    enum status status;

    if (fstat(fd, &st) != 0)
        return cannot(dg, in->path, errno, "read");
    if (S_ISDIR(st.st_mode))
        return diag_error(dg, ST_INPUT, in->path, "is a directory; give a tensor file");
    at = S_ISREG(st.st_mode) && st.st_size > 0 ? lseek(fd, 0, SEEK_CUR) : -1;
    if (at >= 0 && at < st.st_size && map_file(in, fd, st.st_size)) {
        in->data = in->base + at;
        in->len = in->base_len - (size_t)at;
        return ST_OK;
    }
    if (at >= 0 && at < st.st_size && errno == ENOMEM)
        return cannot(dg, in->path, errno, "map the file");
    status = read_all(in, fd, dg);
    in->data = in->base;
    return status;
}

enum status input_open(struct input *in, const char *path, struct diag *dg)
{
    static bool standard_input_used;
    bool standard = strcmp(path, "-") == 0;
    enum status st;
    int fd = STDIN_FILENO;

    *in = (struct input){ .path = path };
    if (standard && standard_input_used)
        return diag_error(dg, ST_USAGE, NULL, "standard input can be read only once; give the other input a file");
    if (standard)
        standard_input_used = true;
    else {
        do
            fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        while (fd < 0 && errno == EINTR);
        if (fd < 0)
            return cannot(dg, path, errno, "open");
    }
    st = load(in, fd, dg);
    if (!standard)
        close(fd);
    if (st)
        input_close(in);
    return st;
}

void input_drop(struct input *in, size_t offset)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t end = (size_t)(in->data - in->base) + offset;

    end -= end % page;
    if (in->base && end > in->dropped) {
        madvise(in->base + in->dropped, end - in->dropped, MADV_DONTNEED);
        in->dropped = end;
    }
}

void input_close(struct input *in)
{
    if (in->base)
        munmap(in->base, in->base_len);
    in->base = in->data = NULL;
    in->len = in->base_len = 0;
}
