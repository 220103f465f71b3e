#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

const char os_separators[] = "/";

size_t os_path_root(const char *path) { return *path == '/'; }

int os_open(int at, const char *path, enum os_open how)
{
    static const int flags[] = {
        [OS_READ] = O_RDONLY,
        [OS_WRITE] = O_WRONLY,
        [OS_NEW] = O_WRONLY | O_CREAT | O_EXCL,
        [OS_FOLDER] = O_RDONLY | O_DIRECTORY,
        [OS_PLACE] = O_RDONLY | O_DIRECTORY,
        [OS_PLACE_HERE] = O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
    };

    return openat(at, path, flags[how], 0600);
}

bool os_write(int fd, const void *bytes, size_t n)
{
    for (const char *p = bytes, *end = p + n; p < end;) {
        ssize_t done = write(fd, p, (size_t)(end - p));

        if (done < 0)
            return false;
        p += done;
    }
    return true;
}

ptrdiff_t os_read(int fd, void *buf, size_t n) { return read(fd, buf, n); }

bool os_sync(int fd) { return true; }

bool os_reserve_room(int fd, uint64_t from, uint64_t n) { return true; }

bool os_rename_new(int at, const char *path, const char *target)
{
    struct stat st;

    if (fstatat(at, target, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return false;
    }
    return renameat(at, path, at, target) == 0;
}

char *os_real_path(const char *path)
{
    errno = ENOTSUP;
    return NULL;
}
