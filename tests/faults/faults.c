/* Makes calls of the system and of the allocator fail, one at a time. Linked into a dmlop of its
 * own by the linker's
 * --wrap (see the Makefile), under the sanitizers too. The environment says what fails:
 *
 *     DMLOP_FAULT=CALL:N:ERRNO    the N-th call, counted from 1, fails with that errno, a number
 *     DMLOP_FAULT=CALL:N+:ERRNO   so do all after it
 *     DMLOP_FAULT=CALL:N:short    the N-th read, write or copy_file_range moves only the first byte
 *     DMLOP_FAULT_LOG=FILE        afterwards FILE has a line 'CALL COUNT' for each call, and first
 * of all, where one failed, 'hit PATH', the file it was about, or - for none
 *
 * CALL is alloc (malloc, calloc, realloc, aligned_alloc, and cJSON's), open, read, mmap, mremap,
 * write, fsync, close, rename, fallocate, copy_file_range, fstat, lseek, fchmod, mkdir, link, dup,
 * mprotect or thread (pthread_create). */
#include <cJSON.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum call {
    ALLOC,
    OPEN,
    READ,
    MMAP,
    MREMAP,
    WRITE,
    FSYNC,
    CLOSE,
    RENAME,
    FALLOCATE,
    COPY,
    FSTAT,
    LSEEK,
    FCHMOD,
    MKDIR,
    LINK,
    DUP,
    MPROTECT,
    THREAD,
    CALLS
};

static const char *const names[CALLS] = {
    "alloc", "open", "read", "mmap", "mremap", "write", "fsync", "close", "rename", "fallocate",
    "copy_file_range",
    "fstat", "lseek", "fchmod", "mkdir", "link", "dup", "mprotect", "thread",
};

static unsigned long counts[CALLS], fail_at;
static int fail_call = -1, fail_errno;
static int fail_short, fail_on;
static char hit[PATH_MAX];

/* What a call is to do. */
enum fate { WORK, FAIL, SHORT };

static enum fate fate_of(enum call call)
{
    unsigned long n = __atomic_add_fetch(&counts[call], 1, __ATOMIC_RELAXED);

    if ((int)call != fail_call || (fail_on ? n < fail_at : n != fail_at))
        return WORK;
    if (fail_short)
        return SHORT;
    errno = fail_errno;
    return FAIL;
}

static void note_path(const char *path)
{
    int saved = errno;

    if (!*hit)
        snprintf(hit, sizeof hit, "%s", path);
    errno = saved;
}

static void note_fd(int fd)
{
    char link[64], path[PATH_MAX];
    int saved = errno;
    ssize_t n;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    note_path(path);
    errno = saved;
}

static enum fate fate_fd(enum call call, int fd)
{
    enum fate f = fate_of(call);

    if (f != WORK)
        note_fd(fd);
    return f;
}

static enum fate fate_path(enum call call, const char *path)
{
    enum fate f = fate_of(call);

    if (f != WORK)
        note_path(path);
    return f;
}

/* The same for a path relative to a folder's descriptor. */
static enum fate fate_at(enum call call, int at, const char *path)
{
    enum fate f = fate_of(call);
    int saved = errno;
    size_t n;

    if (f == WORK || *hit)
        return f;
    if (at >= 0 && *path != '/')
        note_fd(at);
    n = strlen(hit);
    snprintf(hit + n, sizeof hit - n, "%s%s", n ? "/" : "", path);
    errno = saved;
    return f;
}

#define REAL(type, name, ...) \
    type __real_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)

REAL(void *, malloc, size_t n) { return fate_of(ALLOC) == FAIL ? NULL : __real_malloc(n); }

REAL(void *, calloc, size_t n, size_t size)
{
    return fate_of(ALLOC) == FAIL ? NULL : __real_calloc(n, size);
}

REAL(void *, realloc, void *p, size_t n)
{
    return fate_of(ALLOC) == FAIL ? NULL : __real_realloc(p, n);
}

REAL(void *, aligned_alloc, size_t align, size_t n)
{
    return fate_of(ALLOC) == FAIL ? NULL : __real_aligned_alloc(align, n);
}

int __wrap_open(const char *path, int flags, ...);
int __wrap___open_2(const char *path, int flags);
int __real_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
    mode_t mode = 0;

    if (flags & O_CREAT) {
        va_list ap;

        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    return fate_path(OPEN, path) == FAIL ? -1 : __real_open(path, flags, mode);
}

int __wrap___open_2(const char *path, int flags) { return __wrap_open(path, flags); }

int __wrap_openat(int at, const char *path, int flags, ...);
int __wrap___openat_2(int at, const char *path, int flags);
int __real_openat(int at, const char *path, int flags, ...);

int __wrap_openat(int at, const char *path, int flags, ...)
{
    mode_t mode = 0;

    if (flags & O_CREAT) {
        va_list ap;

        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    return fate_at(OPEN, at, path) == FAIL ? -1 : __real_openat(at, path, flags, mode);
}

int __wrap___openat_2(int at, const char *path, int flags)
{
    return __wrap_openat(at, path, flags);
}

REAL(ssize_t, read, int fd, void *buf, size_t n)
{
    enum fate f = fate_fd(READ, fd);

    return f == FAIL ? -1 : __real_read(fd, buf, f == SHORT && n > 1 ? 1 : n);
}

REAL(void *, mmap, void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
    return (fd < 0 ? fate_path(MMAP, "-") : fate_fd(MMAP, fd)) == FAIL
               ? MAP_FAILED
               : __real_mmap(at, n, prot, flags, fd, offset);
}

REAL(int, mprotect, void *at, size_t n, int prot)
{
    return fate_path(MPROTECT, "-") == FAIL && prot != PROT_NONE ? -1
                                                                 : __real_mprotect(at, n, prot);
}

void *__real_mremap(void *old, size_t old_n, size_t n, int flags, ...);
void *__wrap_mremap(void *old, size_t old_n, size_t n, int flags, ...);

void *__wrap_mremap(void *old, size_t old_n, size_t n, int flags, ...)
{
    return fate_path(MREMAP, "-") == FAIL ? MAP_FAILED : __real_mremap(old, old_n, n, flags);
}

REAL(ssize_t, write, int fd, const void *buf, size_t n)
{
    enum fate f = fate_fd(WRITE, fd);

    return f == FAIL ? -1 : __real_write(fd, buf, f == SHORT && n > 1 ? 1 : n);
}

REAL(int, fsync, int fd) { return fate_fd(FSYNC, fd) == FAIL ? -1 : __real_fsync(fd); }

REAL(int, close, int fd)
{
    enum fate f = fate_fd(CLOSE, fd); /* what fails to close is closed all the same */
    int saved = errno, result = __real_close(fd);

    errno = f == FAIL ? saved : errno;
    return f == FAIL ? -1 : result;
}

REAL(int, renameat, int a, const char *from, int b, const char *to)
{
    return fate_at(RENAME, b, to) == FAIL ? -1 : __real_renameat(a, from, b, to);
}

REAL(int, renameat2, int a, const char *from, int b, const char *to, unsigned flags)
{
    return fate_at(RENAME, b, to) == FAIL ? -1 : __real_renameat2(a, from, b, to, flags);
}

REAL(int, linkat, int a, const char *from, int b, const char *to, int flags)
{
    return fate_at(LINK, b, to) == FAIL ? -1 : __real_linkat(a, from, b, to, flags);
}

REAL(int, fallocate, int fd, int mode, off_t at, off_t n)
{
    return fate_fd(FALLOCATE, fd) == FAIL ? -1 : __real_fallocate(fd, mode, at, n);
}

REAL(ssize_t, copy_file_range, int in, off_t *at, int out, off_t *to, size_t n, unsigned flags)
{
    enum fate f = fate_fd(COPY, out);

    return f == FAIL ? -1
                     : __real_copy_file_range(in, at, out, to, f == SHORT && n > 1 ? 1 : n, flags);
}

REAL(int, fstat, int fd, struct stat *st)
{
    return fate_fd(FSTAT, fd) == FAIL ? -1 : __real_fstat(fd, st);
}

REAL(off_t, lseek, int fd, off_t to, int whence)
{
    return fate_fd(LSEEK, fd) == FAIL ? -1 : __real_lseek(fd, to, whence);
}

REAL(int, fchmod, int fd, mode_t mode)
{
    return fate_fd(FCHMOD, fd) == FAIL ? -1 : __real_fchmod(fd, mode);
}

REAL(int, mkdir, const char *path, mode_t mode)
{
    return fate_path(MKDIR, path) == FAIL ? -1 : __real_mkdir(path, mode);
}

REAL(int, mkdirat, int at, const char *path, mode_t mode)
{
    return fate_at(MKDIR, at, path) == FAIL ? -1 : __real_mkdirat(at, path, mode);
}

int __wrap_fcntl(int fd, int command, ...);
int __real_fcntl(int fd, int command, ...);

int __wrap_fcntl(int fd, int command, ...)
{
    va_list ap;
    long argument;

    va_start(ap, command);
    argument = va_arg(ap, long);
    va_end(ap);
    if (command == F_DUPFD_CLOEXEC && fate_fd(DUP, fd) == FAIL)
        return -1;
    return __real_fcntl(fd, command, argument);
}

int __interceptor_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*run)(void *),
                                 void *context) __attribute__((weak)); /* a sanitizer's */

/* --wrap does not see the calls of a shared OpenMP library, which finds this function before the C
 * library's. */
int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*run)(void *), void *context)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    if (fate_path(THREAD, "-") == FAIL)
        return fail_errno;
    if (__interceptor_pthread_create)
        return __interceptor_pthread_create(id, attr, run, context);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return real(id, attr, run, context);
}

__attribute__((constructor)) static void begin(void)
{
    const char *fault = getenv("DMLOP_FAULT");
    cJSON_Hooks hooks = { __wrap_malloc, free };
    char name[32], what[16];

    cJSON_InitHooks(&hooks);
    if (!fault || sscanf(fault, "%31[^:]:%lu", name, &fail_at) != 2)
        return;
    fail_on = strchr(fault, '+') != NULL;
    if (sscanf(strrchr(fault, ':'), ":%15s", what) == 1)
        fail_errno = atoi(what);
    fail_short = strcmp(what, "short") == 0;
    for (int i = 0; i < CALLS; i++)
        if (strcmp(name, names[i]) == 0)
            fail_call = i;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("DMLOP_FAULT_LOG");
    FILE *log;

    fail_call = -1;
    log = path ? fopen(path, "w") : NULL;
    if (!log)
        return;
    if (*hit)
        fprintf(log, "hit %s\n", hit);
    for (int i = 0; i < CALLS; i++)
        fprintf(log, "%s %lu\n", names[i], counts[i]);
    fclose(log);
}
