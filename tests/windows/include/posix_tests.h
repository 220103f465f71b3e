#pragma once

/* What unit tests and kernel checkers use of POSIX beyond src/os/windows/posix.h. The build
 * includes this header first in every test for Windows. */

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-function"

enum { _SC_PAGESIZE = 1 };
#define sysconf(name) 4096L

/* Never work here; tests that need them are skipped. */
#define fork()         (errno = ENOSYS, -1)
#define symlink(to, l) ((void)(to), (void)(l), errno = ENOSYS, -1)

/* Text files get no carriage returns. */
__attribute__((constructor)) static void test_binary(void) { _fmode = _O_BINARY; }

/* The program does this before its end. */
__attribute__((destructor)) static void test_flush(void) { fflush(stdout), fflush(stderr); }

static char *mkdtemp(char *name) { return mktemp(name) && mkdir(name, 0700) == 0 ? name : NULL; }

static FILE *test_tmpfile(void)
{
    char name[] = "/tmp/unit-test-XXXXXX";

    return mktemp(name) ? fopen(name, "w+bD") : NULL; /* D: it goes when it is closed */
}

static void clearenv(void)
{
    while (*_environ) {
        char name[4096];
        size_t n = strcspn(*_environ + 1, "=") + 1;

        snprintf(name, sizeof name, "%.*s", (int)n, *_environ);
        _putenv_s(name, "");
    }
}

/* Files that become memory when they are closed; few are open at once. They stay open for the next
 * text: wine takes milliseconds to make one. */
static struct {
    FILE *file;
    char **text; /* NULL: free */
    size_t *size;
} test_streams[8];

static FILE *open_memstream(char **text, size_t *size)
{
    for (int i = 0; i < 8; i++) {
        if (test_streams[i].text)
            continue;
        if (!test_streams[i].file)
            test_streams[i].file = test_tmpfile();
        if (!test_streams[i].file)
            return NULL;
        test_streams[i].text = text;
        test_streams[i].size = size;
        *text = NULL;
        return test_streams[i].file;
    }
    return NULL;
}

static int test_fclose(FILE *f)
{
    for (int i = 0; f && i < 8; i++)
        if (test_streams[i].file == f) {
            long n = ftell(f);
            char *text = calloc(1, (size_t)n + 1);

            rewind(f);
            *test_streams[i].size = fread(text, 1, (size_t)n, f);
            *test_streams[i].text = text;
            test_streams[i].text = NULL;
            rewind(f);
            return 0;
        }
    return fclose(f);
}

#define fclose  test_fclose
#define tmpfile test_tmpfile
