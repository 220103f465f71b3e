#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

const char os_separators[] = "/";

size_t os_path_root(const char *path) { return *path == '/'; }

int os_open(int at, const char *path, enum os_open how)
{
    static const int flags[] = {
        [OS_READ] = O_RDONLY | O_NOCTTY,
        [OS_WRITE] = O_WRONLY | O_NOCTTY,
        [OS_NEW] = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
        [OS_FOLDER] = O_RDONLY | O_DIRECTORY,
        [OS_PLACE] = O_PATH | O_DIRECTORY,
        [OS_PLACE_HERE] = O_PATH | O_DIRECTORY | O_NOFOLLOW,
    };
    int fd;

    do
        fd = openat(at, path, flags[how] | O_CLOEXEC, 0600);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* True if a failed call is to be repeated: after a signal, or when a pipe or terminal that somebody
 * made non-blocking is ready. */
static bool again(int fd, short events)
{
    if (errno == EAGAIN)
        poll(&(struct pollfd){ .fd = fd, .events = events }, 1, -1);
    return errno == EAGAIN || errno == EINTR;
}

bool os_write(int fd, const void *bytes, size_t n)
{
    for (const char *p = bytes, *end = p + n; p < end;) {
        ssize_t done = write(fd, p, (size_t)(end - p));

        if (done < 0 && !again(fd, POLLOUT))
            return false;
        p += done > 0 ? done : 0;
    }
    return true;
}

ptrdiff_t os_read(int fd, void *buf, size_t n)
{
    ssize_t done;

    do
        done = read(fd, buf, n);
    while (done < 0 && again(fd, POLLIN));
    return done;
}

bool os_sync(int fd)
{
    int result;

    do
        result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

bool os_reserve_room(int fd, uint64_t from, uint64_t n)
{
    while (fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)n) != 0)
        if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) {
            int err = errno; /* what was reserved is given back */

            (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)n);
            errno = err;
            return false;
        } else if (errno != EINTR)
            break; /* some file systems cannot; writing finds a full disk */
    return true;
}

ptrdiff_t os_copy_range(int from, uint64_t *offset, int to, size_t n)
{
    off_t at = (off_t)*offset;
    ssize_t done;

    do
        done = copy_file_range(from, &at, to, NULL, n, 0);
    while (done < 0 && errno == EINTR);
    *offset = (uint64_t)at;
    return done;
}

bool os_set_mode(int fd, const struct stat *replaced)
{
    mode_t mask;

    if (replaced) {
        if (fchown(fd, replaced->st_uid, replaced->st_gid) != 0)
            (void)!fchown(fd, (uid_t)-1, replaced->st_gid);
        return fchmod(fd, replaced->st_mode & 0777) == 0;
    }
    mask = umask(077); /* it can only be read by setting it */
    umask(mask);
    return fchmod(fd, 0666 & ~mask) == 0;
}

bool os_rename_new(int at, const char *path, const char *target)
{
#ifdef RENAME_NOREPLACE
    if (renameat2(at, path, at, target, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
#endif
    /* the file system cannot: makes a second name and removes the first */
    if (linkat(at, path, at, target, 0) != 0)
        return false;
    unlinkat(at, path, 0);
    return true;
}

char *os_real_path(const char *path) { return realpath(path, NULL); }
