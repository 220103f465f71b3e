#pragma once

/* Functions of POSIX that the C library of Windows lacks, or has for narrow names and files of 2
 * GiB only. The build includes this header first in every file. Paths are UTF-8, with '/' or '\\',
 * of any length; descriptors are those of the C library and read and write bytes as they are. */

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#undef PATH_MAX
#define PATH_MAX 4096
#define NAME_MAX 765 /* 255 UTF-16 units in UTF-8 */

#define AT_FDCWD            (-100)
#define AT_SYMLINK_NOFOLLOW 1

#define S_IFLNK     0xA000
#define S_ISLNK(m)  (((m)&S_IFMT) == S_IFLNK)
#define S_ISSOCK(m) ((void)(m), 0)

#define dev_t uint64_t
#define ino_t uint64_t

struct posix_stat {
    dev_t st_dev, st_rdev;
    ino_t st_ino;
    mode_t st_mode;
    int64_t st_size;
};

#undef stat
#undef fstat
#define stat                  posix_stat
#define fstat(fd, st)         posix_fstat(fd, st)
#define access(path, how)     faccessat(AT_FDCWD, path, how, 0)
#define mkdir(path, mode)     mkdirat(AT_FDCWD, path, mode)
#define readlink(path, to, n) readlinkat(AT_FDCWD, path, to, n)
#define isatty(fd)            posix_isatty(fd)
#define strerror(error)       posix_strerror(error)
#define fflush(f)             posix_fflush(f)
#define fwrite(p, size, n, f) posix_fwrite(p, size, n, f)
#define fprintf               posix_fprintf
#define fputs(s, f)           posix_fprintf(f, "%s", s)
#define fputc(c, f)           posix_fprintf(f, "%c", c)
#define printf(...)           posix_fprintf(stdout, __VA_ARGS__)
#define puts(s)               posix_fprintf(stdout, "%s\n", s)
#define putchar(c)            posix_fprintf(stdout, "%c", c)
#define fcntl(fd, command)    posix_status_flags(fd)
#define write(fd, p, n)       write(fd, p, (unsigned)(n))
#define free                  posix_free
#define main                  posix_main /* arguments are made UTF-8 before it */

enum { F_GETFL = 3 };

int posix_stat(const char *path, struct posix_stat *st);
int posix_fstat(int fd, struct posix_stat *st);
int fstatat(int at, const char *path, struct posix_stat *st, int flags);
int faccessat(int at, const char *path, int how, int flags);
int mkdirat(int at, const char *path, unsigned mode);
int unlinkat(int at, const char *path, int flags);
int renameat(int at, const char *path, int to, const char *target);
ssize_t readlinkat(int at, const char *path, char *to, size_t n);
ssize_t pread(int fd, void *to, size_t n, int64_t offset);

/* A console only; the C library counts NUL, too. */
int posix_isatty(int fd);

/* O_RDONLY, O_WRONLY or O_RDWR, as the descriptor was opened. */
int posix_status_flags(int fd);

const char *posix_strerror(int error);

/* The C library drops what it cannot write, and gives consoles byte after byte in their code page.
 * Here standard output and error go through os_write: whole messages, errors as errno. */
int posix_fflush(FILE *f);
size_t posix_fwrite(const void *p, size_t size, size_t n, FILE *f);
int posix_fprintf(FILE *f, const char *fmt, ...);

/* The C library has no aligned memory that free() takes. Here it is whole pages, at multiples of 64
 * KiB, where the heap has none. */
void *aligned_alloc(size_t alignment, size_t n);
void posix_free(void *p);

void *memmem(const void *text, size_t n, const void *word, size_t length);
char *stpcpy(char *to, const char *from);
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);
