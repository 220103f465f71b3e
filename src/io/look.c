#include "io/look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { HEADER_BYTES = 1 << 17 /* more than any header of the formats that are written takes */ };

static enum status read_header(int fd, struct npy_look *s, char *error)
{
    char *bytes = mem_alloc(HEADER_BYTES, 1);
    size_t have = 0;
    ssize_t n = 1;
    enum status st = ST_OK;

    if (!bytes)
        return ST_SYSTEM;
    while (have < HEADER_BYTES && (n = read(fd, bytes + have, HEADER_BYTES - have)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        have += (size_t)n;
    }
    if (n < 0) {
        snprintf(error, NPY_ERROR_TEXT, "%s", strerror(errno));
        st = ST_INPUT;
    } else if (npy_is(bytes, have)) {
        s->is_npy = true;
        st = npy_parse_header(bytes, have, &s->header, error) == 0 ? ST_OK : ST_INPUT;
    }
    free(bytes);
    return st;
}

enum status npy_look(const char *path, struct npy_look *s, char *error)
{
    struct stat sb;
    enum status st = ST_INPUT;
    int fd;

    *s = (struct npy_look){ 0 };
    *error = '\0';
    do
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    if (fd < 0 || fstat(fd, &sb) != 0)
        snprintf(error, NPY_ERROR_TEXT, "%s", strerror(errno));
    else if (!S_ISREG(sb.st_mode))
        snprintf(error, NPY_ERROR_TEXT, "it is no regular file");
    else {
        s->length = (uint64_t)sb.st_size;
        st = read_header(fd, s, error);
    }
    if (fd >= 0)
        close(fd);
    return st;
}
