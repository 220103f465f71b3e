#include <dirent.h>

#include "base/path.h"
#include "io/kind.h"
#include "os/file.h"

static bool is_named(const char *path)
{
    size_t n = strlen(path), suffix = strlen(".parts");

    while (n > 1 && strchr(os_separators, path[n - 1]))
        n--;
    return n > suffix && strncasecmp(path + n - suffix, ".parts", suffix) == 0;
}

bool parts_folder_is(const char *path)
{
    DIR *d = opendir(path);
    bool found = d && is_named(path);
    const struct dirent *e;

    while (d && !found && (e = readdir(d)))
        found = strncmp(e->d_name, "part-", 5) == 0 && strstr(e->d_name, "-of-");
    if (d)
        closedir(d);
    return found;
}

void parts_folder_add_join(struct str *b, const char *path)
{
    str_puts(b, "dmlop join ");
    path_add_word(b, path, NULL);
    str_puts(b, is_named(path) ? "" : " -o FILE.npy");
}

enum status parts_folder_refuse(const char *path, struct diag *dg)
{
    struct str message = { 0 };

    if (!parts_folder_is(path))
        return ST_OK;
    str_puts(&message, "is a folder of parts; join them with: ");
    parts_folder_add_join(&message, path);
    return diag_str(dg, ST_INPUT, path, &message);
}
