#include "io/peek.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { HEADER_BYTES = 1 << 17 /* more than any header of the types that are read takes */ };

bool npy_peek_stream(ptrdiff_t (*read)(void *context, void *buf, size_t n), void *context,
                     struct npy_peek *p)
{
    char *bytes = mem_alloc(HEADER_BYTES, 1); /* a small stack would not hold them */
    size_t have = 0;
    ptrdiff_t n = bytes ? 1 : -1;
    bool good;

    *p = (struct npy_peek){ .length = p->length, .failed = !bytes };
    while (n > 0 && have < HEADER_BYTES) {
        n = read(context, bytes + have, HEADER_BYTES - have);
        have += n > 0 ? (size_t)n : 0;
    }
    good = n >= 0;
    if (good && npy_is(bytes, have))
        good = p->is_npy = npy_read_header(bytes, have, &p->header, p->error);
    free(bytes);
    return good;
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
        snprintf(p->error, sizeof p->error, "it is not a regular file");
    else {
        p->length = (uint64_t)sb.st_size;
        good = npy_peek_stream(read_file, &fd, p);
        if (!good && !p->failed && !*p->error)
            snprintf(p->error, sizeof p->error, "%s", strerror(errno));
    }
    if (fd >= 0)
        close(fd);
    return good;
}
