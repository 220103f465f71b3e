#pragma once

#include <windows.h>
#undef far
#undef near

/* Memory of whole pages that is no file's, which is all that tests map. */

enum { PROT_NONE = 0, PROT_READ = 1, PROT_WRITE = 2 };
enum { MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE };
#define MAP_FAILED ((void *)-1)

static inline int mprotect(void *p, size_t n, int how)
{
    static const DWORD rights[] = { PAGE_NOACCESS, PAGE_READONLY, PAGE_READWRITE, PAGE_READWRITE };
    DWORD old;

    return VirtualProtect(p, n, rights[how], &old) ? 0 : -1;
}

static inline void *mmap(void *at, size_t n, int how, int flags, int fd, long offset)
{
    void *p = VirtualAlloc(at, n, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);

    (void)flags;
    (void)fd;
    (void)offset;
    return p && mprotect(p, n, how) == 0 ? p : MAP_FAILED;
}

static inline int munmap(void *p, size_t n)
{
    (void)n;
    return VirtualFree(p, 0, MEM_RELEASE) ? 0 : -1;
}
