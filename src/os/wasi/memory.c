#include "os/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* WebAssembly has one memory, which grows and cannot be protected. Files are read into it. */

enum { PAGE = 1 << 16 };

size_t os_page_size(void) { return PAGE; }

void *os_pages_new(size_t n) { return calloc(1, n); }

void *os_pages_grow(void *p, size_t old, size_t n)
{
    char *grown = realloc(p, n);

    if (grown && n > old)
        memset(grown + old, 0, n - old);
    return grown;
}

void *os_map_file(int fd, size_t n)
{
    char *p = malloc(n);
    size_t done = 0;
    ssize_t got = 1;

    while (p && done < n && got > 0) {
        got = pread(fd, p + done, n - done, (off_t)done);
        done += got > 0 ? (size_t)got : 0;
    }
    if (p && done < n) {
        free(p);
        errno = got < 0 ? errno : EIO;
        return NULL;
    }
    return p;
}

void os_pages_drop(void *p, size_t n) {}

void os_unmap(void *p, size_t n) { free(p); }
