#include "io/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/util.h"

/* All that end a program by default: asked for, out of a limit, or by a fault (SIGBUS: a mapped input was cut). */
static const int fatal[] = {
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2,
    SIGPROF, SIGVTALRM, SIGSYS, SIGTRAP, SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT,
};

/* A name stands here before its file is made and until after it is gone, so that the handler, which may run on
 * any thread, misses none; names carry the process id, so it removes no other's. */
static const char *volatile files[8];

static void remove_all(int sig)
{
    int saved = errno;

    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (files[i])
            unlink(files[i]);
    errno = saved;
    (void)raise(sig); /* SA_RESETHAND has put the default action back; delivered when the handler returns */
}

static void install(void)
{
    static bool installed;
    struct sigaction act = { .sa_handler = remove_all, .sa_flags = (int)SA_RESETHAND };

    if (installed)
        return;
    installed = true;
    for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
        sigaddset(&act.sa_mask, fatal[i]);
    for (size_t i = 0; i < ARRAY_LEN(fatal); i++) {
        struct sigaction old;

        if (sigaction(fatal[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(fatal[i], &act, NULL);
    }
}

static size_t place_of(const char *path)
{
    size_t i = 0;

    while (i < ARRAY_LEN(files) && files[i] != path)
        i++;
    return i;
}

int cleanup_create(const char *path)
{
    size_t place = place_of(NULL);
    int fd, err;

    if (place == ARRAY_LEN(files)) {
        errno = EMFILE;
        return -1;
    }
    install();
    files[place] = path;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    err = errno;
    if (fd < 0)
        files[place] = NULL;
    errno = err;
    return fd;
}

static void forget(const char *path)
{
    size_t place = place_of(path);

    if (place < ARRAY_LEN(files))
        files[place] = NULL;
}

void cleanup_remove(const char *path)
{
    unlink(path);
    forget(path);
}

/* Where the file system cannot rename so, a second name is made, and the first removed. */
static int rename_new(const char *path, const char *target)
{
#ifdef RENAME_NOREPLACE
    if (renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
#endif
    if (link(path, target) != 0)
        return -1;
    unlink(path);
    return 0;
}

int cleanup_rename(const char *path, const char *target, bool replace)
{
    int result = replace ? rename(path, target) : rename_new(path, target);

    if (result == 0)
        forget(path);
    return result;
}
