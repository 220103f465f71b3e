/* Pages for the tests. WebAssembly protects none, so an access beyond them is not seen there. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { PROT_NONE = 0, PROT_READ = 1, PROT_WRITE = 2, MAP_PRIVATE = 2, MAP_ANONYMOUS = 32,
       MAP_NORESERVE = 0 };

#define MAP_FAILED ((void *)-1)

/* Only pages of no file: all bytes are 0. */
static inline void *mmap(void *address, size_t n, int protection, int flags, int fd, off_t offset)
{
    void *p = aligned_alloc(1 << 16, (n + 0xffff) / 0x10000 * 0x10000);

    (void)address, (void)protection, (void)flags, (void)fd, (void)offset;
    return p ? memset(p, 0, n) : MAP_FAILED;
}

static inline int munmap(void *p, size_t n)
{
    (void)n;
    free(p);
    return 0;
}

static inline int mprotect(void *p, size_t n, int protection)
{
    (void)p, (void)n, (void)protection;
    return 0;
}
