#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Files, as far as systems differ. Paths are relative to the folder `at`, as for openat(2).
 * Functions fail with errno. */

/* The characters that separate names in a path. */
extern const char os_separators[];

/* The bytes of a path that name its root: 1 of "/x", on Windows 3 of "C:\\x"; 0: it is relative. */
size_t os_path_root(const char *path);

enum os_open {
    OS_READ,      /* a file, pipe or device */
    OS_WRITE,     /* a pipe or device that exists */
    OS_NEW,       /* a new file, mode 0600, for writing */
    OS_FOLDER,    /* a folder, for os_sync */
    OS_PLACE,     /* a folder, as the `at` of other functions */
    OS_PLACE_HERE /* the same, unless it is a link */
};

/* Opens a file that children do not inherit; repeated after signals. -1 on failure. */
int os_open(int at, const char *path, enum os_open how);

/* Writes all n bytes, also after signals and to a full pipe that does not block. */
bool os_write(int fd, const void *bytes, size_t n);

/* Reads at most n bytes, and waits for the first, also after signals. 0 at the end, -1 on
 * failure. */
ptrdiff_t os_read(int fd, void *buf, size_t n);

/* Makes the bytes of a file, or the names in a folder, durable. */
bool os_sync(int fd);

/* Reserves room for n bytes of an open file from byte `from` on. False only if there is none. */
bool os_reserve_room(int fd, uint64_t from, uint64_t n);

/* Copies n bytes from *offset in a file to the end of another inside the system, which may share
 * them, and moves *offset. Returns their number, which may be less; 0 or -1 if it cannot. */
ptrdiff_t os_copy_range(int from, uint64_t *offset, int to, size_t n);

/* Gives a new file the permissions, and if that is allowed owner and group, of the file that it
 * replaces, without set-user-ID and set-group-ID, which any write clears; NULL: those of new
 * files. */
bool os_set_mode(int fd, const struct stat *replaced);

/* Renames a file in a folder to a name that must not exist (EEXIST). */
bool os_rename_new(int at, const char *path, const char *target);

/* The path without links; to be freed; NULL on failure. */
char *os_real_path(const char *path);
