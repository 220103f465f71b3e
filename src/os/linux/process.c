#include "os/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/file.h"

#ifdef __GLIBC__
static ssize_t write_text(void *cookie, const char *bytes, size_t n)
{
    (void)cookie;
    return os_write(STDOUT_FILENO, bytes, n) ? (ssize_t)n : 0;
}

/* The C library gives up after a signal, and loses its buffer. */
static void replace_stdout(void)
{
    FILE *f = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_text });

    if (!f)
        return;
    if (isatty(STDOUT_FILENO))
        (void)setvbuf(f, NULL, _IOLBF, BUFSIZ);
    stdout = f;
}
#else
static void replace_stdout(void) {}
#endif

void os_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    replace_stdout();
}

int os_duplicate(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); }

bool os_redirect(int fd, int onto) { return dup2(fd, onto) >= 0; }

bool os_close(int fd) { return close(fd) == 0 || errno == EINTR; }

unsigned os_terminal_columns(void)
{
    struct winsize size;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

long os_process_id(void) { return getpid(); }

void os_host_name(char *name, size_t most)
{
    struct utsname host;

    snprintf(name, most, "%s", uname(&host) == 0 ? host.nodename : "");
}

bool os_process_lives(long id) { return kill((pid_t)id, 0) == 0 || errno != ESRCH; }

/* Waits for a child; true if it ended with status 0. */
static bool succeeded(pid_t child)
{
    int status = 0;
    pid_t got;

    do
        got = waitpid(child, &status, 0);
    while (got < 0 && errno == EINTR);
    return got == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool os_show_manual(const char *page)
{
    pid_t child = fork();

    if (child == 0) {
        if (freopen("/dev/null", "w", stderr))
            execlp("man", "man", page, (char *)NULL);
        _Exit(127);
    }
    return child > 0 && succeeded(child);
}

bool os_same_module(const void *a, const void *b)
{
    Dl_info first, second;

    return !dladdr(a, &first) || !dladdr(b, &second) || first.dli_fbase == second.dli_fbase;
}

size_t os_stack_bytes(void)
{
    pthread_attr_t attr;
    size_t bytes = SIZE_MAX;

    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstacksize(&attr, &bytes);
        pthread_attr_destroy(&attr);
    }
    return bytes;
}
