#include "base/path.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"

const char *path_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash || slash == path)
        return mem_strdup(slash ? "/" : ".");
    return str_format("%.*s", (int)(slash - path), path);
}

char *path_beside(const char *file, const char *name)
{
    return *name == '/' ? mem_strdup(name)
                        : str_format("%.*s%s", (int)(path_base_name(file) - file), file, name);
}

const char *path_extension(const char *path)
{
    const char *name = path_base_name(path), *dot = strrchr(name, '.');

    return dot && dot > name && dot[1] ? dot : name + strlen(name);
}

bool path_has_extension(const char *path, const char *extension)
{
    size_t n = strlen(path), e = strlen(extension);

    return n > e && strcasecmp(path + n - e, extension) == 0;
}
