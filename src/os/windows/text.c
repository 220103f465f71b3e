#include <stdio.h>

#include "os/process.h"
#include "os/windows/handle.h"

void *memmem(const void *text, size_t n, const void *word, size_t length)
{
    const char *p = text, *end = p + n;

    if (length == 0)
        return (void *)(uintptr_t)text;
    while ((size_t)(end - p) >= length &&
           (p = memchr(p, *(const char *)word, (size_t)(end - p) - length + 1))) {
        if (memcmp(p, word, length) == 0)
            return (void *)(uintptr_t)p;
        p++;
    }
    return NULL;
}

char *stpcpy(char *to, const char *from)
{
    size_t n = strlen(from);

    memcpy(to, from, n + 1);
    return to + n;
}

int setenv(const char *name, const char *value, int replace)
{
    return replace || !getenv(name) ? _putenv_s(name, value) : 0;
}

int unsetenv(const char *name) { return _putenv_s(name, ""); }

const char *posix_strerror(int error)
{
    static const struct {
        int error;
        const char *text;
    } own[] = {
        { EILSEQ, name_fault },
        { EBUSY, "another program (an editor, a virus scanner, an indexer, a backup) or dmlop "
                 "itself has the file open or mapped" },
        { ELOOP, "Too many levels of symbolic links" },
        { ENAMETOOLONG, "File name too long" },
        { EXDEV, "Invalid cross-device link" },
        { ENOTSUP, "Operation not supported" },
        { EIO, "Input/output error" },
    };

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].error == error)
            return own[i].text;
    return (strerror)(error);
}
