#include "os/process.h"

#include <errno.h>
#include <stdint.h>

/* Systems without fork, where the program is one module. */

bool os_has_children(void) { return false; }

bool os_child_begin(struct os_child *c, bool (*work)(const void *context, int fd),
                    const void *context)
{
    (void)c;
    (void)work;
    (void)context;
    errno = ENOTSUP;
    return false;
}

bool os_child_end(struct os_child *c, bool kill)
{
    (void)c;
    (void)kill;
    return false;
}

bool os_same_module(const void *a, const void *b)
{
    (void)a;
    (void)b;
    return true;
}

size_t os_stack_bytes(void) { return SIZE_MAX; }
