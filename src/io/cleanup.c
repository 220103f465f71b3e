#include "io/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/util.h"

static const int fatal[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGXCPU };

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
    raise(sig); /* SA_RESETHAND has put the default action back; delivered when the handler returns */
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

int cleanup_rename(const char *path, const char *target)
{
    int result = rename(path, target);

    if (result == 0)
        forget(path);
    return result;
}
