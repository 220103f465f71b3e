#include "io/peek.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_BYTES = 1 << 17 /* more than any header of the types that are read takes */ };

bool npy_peek_stream(ptrdiff_t (*read)(void *context, void *buf, size_t n), void *context, struct npy_peek *p)
{
    char bytes[HEADER_BYTES];
    size_t have = 0;
    ptrdiff_t n = 1;

    *p = (struct npy_peek){ .length = p->length };
    while (have < sizeof bytes && (n = read(context, bytes + have, sizeof bytes - have)) > 0)
        have += (size_t)n;
    if (n < 0)
        return false;
    if (!npy_is(bytes, have))
        return true;
    p->is_npy = npy_read_header(bytes, have, &p->header, p->error);
    return p->is_npy;
}

static ptrdiff_t read_file(void *fd, void *buf, size_t n)
{
    ssize_t got;

    do
        got = read(*(const int *)fd, buf, n);
    while (got < 0 && errno == EINTR);
    return got;
}

bool npy_peek(const char *path, struct npy_peek *p)
{
    struct stat sb;
    bool good = false;
    int fd;

    *p = (struct npy_peek){ 0 };
    do
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    if (fd < 0 || fstat(fd, &sb) != 0)
        snprintf(p->error, sizeof p->error, "%s", strerror(errno));
    else if (!S_ISREG(sb.st_mode))
        snprintf(p->error, sizeof p->error, "it is no regular file");
    else {
        p->length = (uint64_t)sb.st_size;
        good = npy_peek_stream(read_file, &fd, p);
        if (!good && !*p->error)
            snprintf(p->error, sizeof p->error, "%s", strerror(errno));
    }
    if (fd >= 0)
        close(fd);
    return good;
}
