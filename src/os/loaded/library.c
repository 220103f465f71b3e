#include <dlfcn.h>
#include <string.h>

#include "os/process.h"

void *os_library(const char *const *names)
{
    void *library = NULL;

    while (*names && !library)
        library = dlopen(*names++, RTLD_NOW | RTLD_LOCAL);
    return library;
}

bool os_library_symbol(void *library, const char *name, void *function)
{
    void *p = dlsym(library, name);

    memcpy(function, &p, sizeof p);
    return p != NULL;
}
