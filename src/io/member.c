#include "io/npz.h"

#include <unistd.h>

#include "base/path.h"
#include "io/file.h"
#include "os/file.h"

static bool has_magic(const char *path, const char *magic, size_t n)
{
    char bytes[NPY_MAGIC_LEN];

    return file_head(path, bytes, n, NULL) == (ptrdiff_t)n && memcmp(bytes, magic, n) == 0;
}

bool npz_has_magic(const char *path) { return has_magic(path, "PK\x03\x04", 4); }

bool member_find(const char *path, struct member *m)
{
    const char *colon = strchr(path + os_path_root(path), ':');

    if (colon && access(path, F_OK) == 0)
        return false;
    for (; colon; colon = strchr(colon + 1, ':')) {
        size_t n = (size_t)(colon - path);
        bool npy;

        if (n == 0 || !colon[1] || n >= sizeof m->file)
            continue;
        memcpy(m->file, path, n);
        m->file[n] = '\0';
        m->name = colon + 1;
        npy = strcmp(m->file, "-") == 0 || has_magic(m->file, NPY_MAGIC, NPY_MAGIC_LEN);
        m->archived = !npy && (path_has_extension(m->file, ".npz") || npz_has_magic(m->file));
        if (npy || m->archived || path_has_extension(m->file, ".npy"))
            return true;
    }
    return false;
}

const char *npz_member(const char *path)
{
    struct member m;

    return member_find(path, &m) ? m.name : NULL;
}
