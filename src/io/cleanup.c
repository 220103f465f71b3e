#include "io/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "base/util.h"

/* All that end a program by default: asked for, out of a limit, or by a fault (SIGBUS: a mapped input was cut). */
static const int fatal[] = {
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2,
    SIGPROF, SIGVTALRM, SIGSYS, SIGTRAP, SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT,
};

/* A name stands here before its file is made and until after it is gone, so that the handler, which may run on
 * any thread, misses none; names carry the process id, so it removes no other's. */
static const char *volatile files[8];

static void remove_all(void)
{
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (files[i])
            unlink(files[i]);
}

static void end_by(int sig)
{
    int saved = errno;

    remove_all();
    errno = saved;
    (void)raise(sig); /* SA_RESETHAND has put the default action back; delivered when the handler returns */
}

/* Inputs that are mapped; base is set last and cleared first. */
static struct {
    const char *volatile base;
    size_t n;
    const char *path;
} inputs[64];
static volatile size_t unnamed; /* mapped, but not there for want of room */

static const char *input_at(const void *address)
{
    uintptr_t at = (uintptr_t)address;

    for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
        if (inputs[i].base && at - (uintptr_t)inputs[i].base < inputs[i].n)
            return inputs[i].path;
    return unnamed ? "an input" : NULL;
}

/* In one piece, and by write alone: this runs in a signal's handler. */
static void say_cut(const char *path)
{
    char text[4096] = "dmlop: ";
    static const char after[] = ": the file became shorter while it was being read\n";
    size_t n = strlen(text);

    if (strcmp(path, "-") == 0)
        path = "standard input";
    for (; *path && n < sizeof text - sizeof after; path++)
        text[n++] = *path;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            text[i] = '?';
    memcpy(text + n, after, sizeof after - 1);
    (void)!write(STDERR_FILENO, text, n + sizeof after - 1);
}

static struct sigaction bus_before;
static bool said;

/* A mapped input that was cut short; anything else as it was before. */
static void bus_error(int sig, siginfo_t *info, void *context)
{
    const char *path = info->si_code > 0 ? input_at(info->si_addr) : NULL;

    (void)context;
    remove_all();
    if (path) {
        while (__atomic_exchange_n(&said, true, __ATOMIC_ACQ_REL))
            pause(); /* another thread is ending the program */
        say_cut(path);
        _exit(ST_INPUT);
    }
    sigaction(sig, &bus_before, NULL); /* the access is tried again */
    if (info->si_code <= 0)
        (void)raise(sig);
}

static void install_bus_error(void)
{
    static bool installed;
    struct sigaction act = { .sa_sigaction = bus_error, .sa_flags = SA_SIGINFO };

    if (installed)
        return;
    installed = true;
    for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
        sigaddset(&act.sa_mask, fatal[i]);
    if (sigaction(SIGBUS, NULL, &bus_before) == 0 && bus_before.sa_handler != SIG_IGN)
        sigaction(SIGBUS, &act, NULL);
}

void cleanup_mapped(const void *base, size_t n, const char *path)
{
    size_t i = 0;

    install_bus_error();
    while (i < ARRAY_LEN(inputs) && inputs[i].base)
        i++;
    if (i == ARRAY_LEN(inputs)) {
        unnamed++;
        return;
    }
    inputs[i].n = n;
    inputs[i].path = path;
    inputs[i].base = base;
}

void cleanup_unmapped(const void *base)
{
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
        if (inputs[i].base == base) {
            inputs[i].base = NULL;
            return;
        }
    unnamed--;
}

static void install(void)
{
    static bool installed;
    struct sigaction act = { .sa_handler = end_by, .sa_flags = (int)SA_RESETHAND };

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
    do
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    while (fd < 0 && errno == EINTR);
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
