#include "io/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/process.h"
#include "base/str.h"
#include "base/util.h"
#include "io/file.h"

/* All signals that end a program by default: on request, at a limit, or by a fault (SIGBUS: a
 * mapped input was cut short). */
static const int fatal[] = {
    SIGINT,  SIGTERM,   SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2,
    SIGPROF, SIGVTALRM, SIGSYS, SIGTRAP, SIGBUS,  SIGSEGV, SIGFPE,  SIGILL,  SIGABRT,
};

/* The state of the handlers, which have no arguments and may run on any thread. */

/* The temporary files: a name is here from before its file is created until after it is removed.
 * Names contain the process id, so no other process's file is removed. */
static const char *volatile files[8];
static volatile int folders[ARRAY_LEN(files)]; /* of their names */

/* The mapped inputs: base is set last and cleared first. */
static volatile struct {
    const char *base;
    size_t n;
    const char *path;
} inputs[64];
static const char *volatile command; /* in messages; NULL: unknown */
static volatile size_t unnamed;      /* mapped inputs that `inputs` had no room for */
static struct sigaction bus_before;  /* the action of SIGBUS before */
static bool reported;                /* a thread has reported an input that was cut short */

static void remove_all(void)
{
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (files[i])
            unlinkat(folders[i], files[i], 0);
}

/* An OpenMP library that cannot start a thread ends the program: GCC's by exit, LLVM's by abort. */
static void end_without_threads(void)
{
    static const char *const places[] = { "GOMP_CPU_AFFINITY", "OMP_PLACES", "KMP_AFFINITY" };
    struct diag dg = { .err = stderr, .command = command };
    const char *place = NULL; /* a variable that may name processors that there are not */

    if (process.threads_starting == 0)
        return;
    remove_all();
    for (size_t i = 0; i < ARRAY_LEN(places) && !place; i++)
        place = getenv(places[i]) ? places[i] : NULL;
    diag_error(&dg, ST_SYSTEM, NULL,
               "cannot start %d threads; choose fewer with --threads or OMP_NUM_THREADS%s%s",
               process.threads_starting, place ? ", or unset " : "", place ? place : "");
    _exit(ST_SYSTEM);
}

static void end_by_signal(int sig)
{
    if (sig == SIGABRT)
        end_without_threads();
    remove_all();
    /* SA_RESETHAND has restored the default action; delivered when the handler returns */
    (void)raise(sig);
}

static const char *input_at(const void *address)
{
    uintptr_t at = (uintptr_t)address;

    for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
        if (inputs[i].base && at - (uintptr_t)inputs[i].base < inputs[i].n)
            return inputs[i].path;
    return unnamed ? "an input" : NULL;
}

/* Writes a message as diag_error does, with functions that are safe in a signal handler. */
static void report_cut(const char *path)
{
    char text[4096] = "dmlop: ";
    static const char after[] = ": the file became shorter while it was being read\n";
    size_t n = strlen(text), used;

    if (command)
        n = (size_t)(stpcpy(stpcpy(text + n, command), ": ") - text);
    if (strcmp(path, "-") == 0)
        path = "standard input";
    for (; *path && n < sizeof text - sizeof after - STR_ESCAPE; path += used)
        n += str_escape(path, strlen(path), text + n, &used);
    memcpy(text + n, after, sizeof after - 1);
    (void)!write(STDERR_FILENO, text, n + sizeof after - 1);
}

/* Reports a mapped input that was cut short; other faults are handled as before. */
static void bus_error(int sig, siginfo_t *info, void *context)
{
    const char *path = info->si_code > 0 ? input_at(info->si_addr) : NULL;

    (void)context;
    remove_all();
    if (path) {
        while (__atomic_exchange_n(&reported, true, __ATOMIC_ACQ_REL))
            pause(); /* another thread ends the program */
        report_cut(path);
        _exit(ST_INPUT);
    }
    sigaction(sig, &bus_before, NULL); /* the access is tried again */
    if (info->si_code <= 0)
        (void)raise(sig);
}

void cleanup_begin(const char *name)
{
    struct sigaction end = { .sa_handler = end_by_signal, .sa_flags = (int)SA_RESETHAND };
    struct sigaction bus = { .sa_sigaction = bus_error, .sa_flags = SA_SIGINFO }, old;

    for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
        sigaddset(&end.sa_mask, fatal[i]);
    bus.sa_mask = end.sa_mask;
    for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
        if (fatal[i] == SIGBUS) {
            if (sigaction(SIGBUS, NULL, &bus_before) == 0 && bus_before.sa_handler != SIG_IGN)
                sigaction(SIGBUS, &bus, NULL);
        } else if (sigaction(fatal[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(fatal[i], &end, NULL);
    command = name;
    (void)atexit(end_without_threads);
}

void cleanup_mapped(const void *base, size_t n, const char *path)
{
    size_t i = 0;

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

static size_t index_of(const char *path)
{
    size_t i = 0;

    while (i < ARRAY_LEN(files) && files[i] != path)
        i++;
    return i;
}

int cleanup_create(int at, const char *path)
{
    size_t slot = index_of(NULL);
    int fd;

    if (slot == ARRAY_LEN(files)) {
        errno = EMFILE;
        return -1;
    }
    folders[slot] = at;
    files[slot] = path;
    fd = file_open(at, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (fd < 0)
        files[slot] = NULL;
    return fd;
}

void cleanup_remove(const char *path)
{
    size_t slot = index_of(path);

    unlinkat(folders[slot], path, 0);
    files[slot] = NULL;
}

/* Renames to a name that must not exist; makes a second name and removes the first if the file
 * system cannot. */
static bool rename_new(int at, const char *path, const char *target)
{
#ifdef RENAME_NOREPLACE
    if (renameat2(at, path, at, target, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
#endif
    if (linkat(at, path, at, target, 0) != 0)
        return false;
    unlinkat(at, path, 0);
    return true;
}

bool cleanup_rename(const char *path, const char *target, bool replace)
{
    size_t slot = index_of(path);
    int at = folders[slot];
    bool renamed = replace ? renameat(at, path, at, target) == 0 : rename_new(at, path, target);

    if (renamed)
        files[slot] = NULL;
    return renamed;
}
