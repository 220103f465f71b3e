#include "os/memory.h"

#include <malloc.h>

#include "os/windows/handle.h"

enum { GRANULE = 1 << 16 }; /* addresses that VirtualAlloc returns are multiples of it */

size_t os_page_size(void)
{
    SYSTEM_INFO system;

    GetSystemInfo(&system);
    return system.dwPageSize;
}

void *os_pages_new(size_t n)
{
    void *p = VirtualAlloc(NULL, n, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);

    if (!p)
        set_error(GetLastError());
    return p;
}

void *os_pages_grow(void *p, size_t old, size_t n)
{
    void *grown = os_pages_new(n);

    if (!grown)
        return NULL;
    memcpy(grown, p, old < n ? old : n);
    os_unmap(p, old);
    return grown;
}

void *os_map_file(int fd, size_t n)
{
    HANDLE h = CreateFileMappingW(handle_of(fd), NULL, PAGE_READONLY, 0, 0, NULL);
    void *p = h ? MapViewOfFile(h, FILE_MAP_READ, 0, 0, n) : NULL;

    if (!p)
        set_error(GetLastError());
    if (h)
        CloseHandle(h);
    return p;
}

/* True for a view of a file. */
static bool is_view(const void *p)
{
    MEMORY_BASIC_INFORMATION i;

    return VirtualQuery(p, &i, sizeof i) == sizeof i && i.Type == MEM_MAPPED;
}

void os_pages_drop(void *p, size_t n)
{
    if (n > 0 && is_view(p))
        VirtualUnlock(p, n); /* pages that are not locked leave the working set */
    else if (n > 0 && VirtualFree(p, n, MEM_DECOMMIT))
        VirtualAlloc(p, n, MEM_COMMIT, PAGE_READWRITE);
}

void os_unmap(void *p, size_t n)
{
    if (is_view(p))
        UnmapViewOfFile(p);
    else
        VirtualFree(p, 0, MEM_RELEASE);
}

void *aligned_alloc(size_t alignment, size_t n) { return os_pages_new(n); }

#undef free
void posix_free(void *p)
{
    if (p && (uintptr_t)p % GRANULE == 0)
        VirtualFree(p, 0, MEM_RELEASE);
    else
        free(p);
}
