#include "io/cleanup.h"

#include <errno.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/process.h"
#include "base/str.h"
#include "os/file.h"
#include "os/process.h"

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

static void end(bool aborted)
{
    if (aborted)
        end_without_threads();
    remove_all();
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
    (void)os_write(STDERR_FILENO, text, n + sizeof after - 1);
}

/* Reports a mapped input that was cut short. */
static void fault(const void *address)
{
    /* a full table may lack some */
    const char *path = inputs[ARRAY_LEN(inputs) - 1].base ? "an input" : NULL;

    for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
        if (inputs[i].base && (uintptr_t)address - (uintptr_t)inputs[i].base < inputs[i].n)
            path = inputs[i].path;
    if (!path)
        return;
    report_cut(path);
    _exit(ST_INPUT);
}

void cleanup_begin(const char *name)
{
    os_on_end(end, fault);
    command = name;
    (void)atexit(end_without_threads);
}

void cleanup_mapped(const void *base, size_t n, const char *path)
{
    size_t i = 0;

    while (i < ARRAY_LEN(inputs) && inputs[i].base)
        i++;
    if (i == ARRAY_LEN(inputs))
        return;
    inputs[i].n = n;
    inputs[i].path = path;
    inputs[i].base = base;
}

void cleanup_unmapped(const void *base)
{
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
        if (inputs[i].base == base)
            inputs[i].base = NULL;
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
    fd = os_open(at, path, OS_NEW);
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

bool cleanup_rename(const char *path, const char *target, bool replace)
{
    size_t slot = index_of(path);
    int at = folders[slot];
    bool renamed = replace ? renameat(at, path, at, target) == 0 : os_rename_new(at, path, target);

    if (renamed)
        files[slot] = NULL;
    return renamed;
}
