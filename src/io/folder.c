#include "io/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

void folder_sync(int at, const char *path)
{
    int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result;

    if (fd < 0)
        return;
    do
        result = fsync(fd);
    while (result != 0 && errno == EINTR);
    close(fd);
}

enum status folder_make(const char *path, struct diag *dg)
{
    struct stat st;
    char *above;

    if (mkdir(path, 0777) != 0) {
        if (errno != EEXIST)
            return diag_errno(dg, ST_SYSTEM, path, errno, "cannot make the folder");
        if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
            return diag_error(dg, ST_SYSTEM, path, "is not a folder");
        return ST_OK;
    }
    above = path_folder(path);
    if (!above)
        return diag_nomem(dg);
    folder_sync(AT_FDCWD, above);
    free(above);
    return ST_OK;
}
