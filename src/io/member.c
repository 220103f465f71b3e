#include "io/member.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "io/file.h"
#include "io/npy.h"
#include "os/file.h"

static bool has_magic(const char *path, const char *magic, size_t n)
{
    char bytes[NPY_MAGIC_LEN];

    return file_head(path, bytes, n, NULL) == (ptrdiff_t)n && memcmp(bytes, magic, n) == 0;
}

bool npz_has_magic(const char *path) { return has_magic(path, "PK\x03\x04", 4); }

/* The colon of FILE:NAME; NULL if the path names no member. *archived is set for FILE. */
static const char *find_colon(const char *path, bool *archived)
{
    char file[PATH_MAX]; /* no longer path can be opened */
    const char *colon = strchr(path + os_path_root(path), ':');

    if (!colon || access(path, F_OK) == 0)
        return NULL;
    for (; colon; colon = strchr(colon + 1, ':')) {
        size_t n = (size_t)(colon - path);

        if (n == 0 || !colon[1] || n >= sizeof file)
            continue;
        memcpy(file, path, n);
        file[n] = '\0';
        *archived = false;
        if (strcmp(file, "-") == 0 || has_magic(file, NPY_MAGIC, NPY_MAGIC_LEN))
            return colon;
        *archived = path_has_extension(file, ".npz") || npz_has_magic(file);
        if (*archived || path_has_extension(file, ".npy"))
            return colon;
    }
    return NULL;
}

const char *npz_member(const char *path)
{
    bool archived;
    const char *colon = find_colon(path, &archived);

    return colon ? colon + 1 : NULL;
}

bool member_find(const char *path, struct member *m)
{
    const char *colon = find_colon(path, &m->archived);

    if (!colon)
        return false;
    m->file = str_format("%.*s", (int)(colon - path), path);
    m->name = colon + 1;
    return true;
}
