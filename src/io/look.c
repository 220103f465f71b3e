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

static int read_header(int fd, struct npy_look *s, char *error)
{
    char *bytes = mem_alloc(HEADER_BYTES, 1);
    size_t have = 0;
    ssize_t n = 1;
    int result = 0;

    if (!bytes) {
        snprintf(error, NPY_ERROR_TEXT, "out of memory");
        return -1;
    }
    while (have < HEADER_BYTES && (n = read(fd, bytes + have, HEADER_BYTES - have)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        have += (size_t)n;
    }
    if (n < 0) {
        snprintf(error, NPY_ERROR_TEXT, "%s", strerror(errno));
        result = -1;
    } else if (npy_is(bytes, have)) {
        s->is_npy = true;
        result = npy_parse_header(bytes, have, &s->header, error);
    }
    free(bytes);
    return result;
}

int npy_look(const char *path, struct npy_look *s, char *error)
{
    struct stat sb;
    int fd, result = -1;

    *s = (struct npy_look){ 0 };
    *error = '\0';
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &sb) != 0)
        snprintf(error, NPY_ERROR_TEXT, "%s", strerror(errno));
    else if (!S_ISREG(sb.st_mode))
        snprintf(error, NPY_ERROR_TEXT, "it is no regular file");
    else {
        s->length = (uint64_t)sb.st_size;
        result = read_header(fd, s, error);
    }
    if (fd >= 0)
        close(fd);
    return result;
}
