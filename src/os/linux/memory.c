#include "os/memory.h"

#include <sys/mman.h>
#include <unistd.h>

enum { ANONYMOUS = MAP_PRIVATE | MAP_ANONYMOUS };

static void *or_null(void *p) { return p == MAP_FAILED ? NULL : p; }

size_t os_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void *os_pages_new(size_t n)
{
    return or_null(mmap(NULL, n, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0));
}

void *os_pages_grow(void *p, size_t old, size_t n)
{
    return or_null(mremap(p, old, n, MREMAP_MAYMOVE));
}

void os_pages_large(void *p, size_t n) { madvise(p, n, MADV_HUGEPAGE); }

void *os_map_file(int fd, size_t n)
{
    return or_null(mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0));
}

void os_map_expect(void *p, size_t n, bool sequential)
{
    madvise(p, n, sequential ? MADV_SEQUENTIAL : MADV_RANDOM);
}

void os_pages_drop(void *p, size_t n) { madvise(p, n, MADV_DONTNEED); }

void os_unmap(void *p, size_t n) { munmap(p, n); }
