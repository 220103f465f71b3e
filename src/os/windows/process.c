#include "os/process.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>

#include "os/file.h"
#include "os/memory.h"
#include "os/windows/handle.h"

enum { NAME_UNITS = 32768, POLL_MS = 5 };

static void (*at_end)(bool aborted);
static void (*at_fault)(const void *address);

int _dowildcard = -1; /* the shells leave "*.json" to the program */

int wmain(int argc, wchar_t **argv);
int posix_main(int argc, char **argv);

int wmain(int argc, wchar_t **argv)
{
    char **v = calloc((size_t)argc + 1, sizeof *v);

    for (int i = 0; v && i < argc; i++)
        if (!(v[i] = narrow(argv[i], wcslen(argv[i]))))
            v = NULL;
    if (v)
        return posix_main(argc, v);
    fputs("dmlop: out of memory\n", stderr);
    return 4;
}

void os_standard_streams(void)
{
    HANDLE h = handle_of(STDOUT_FILENO);
    DWORD mode;

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        _setmode(fd, _O_BINARY);
    if ((GetConsoleMode(h, &mode) || GetConsoleMode(h = handle_of(STDERR_FILENO), &mode)) &&
        SetConsoleMode(h, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING))
        setenv("TERM", "xterm", 0); /* colors: the console knows their sequences */
}

int os_duplicate(int fd) { return _dup(fd); }

bool os_redirect(int fd, int onto) { return _dup2(fd, onto) == 0; }

bool os_close(int fd) { return close(fd) == 0; }

unsigned os_terminal_columns(void)
{
    CONSOLE_SCREEN_BUFFER_INFO screen;

    if (!GetConsoleScreenBufferInfo(handle_of(STDOUT_FILENO), &screen))
        return 0;
    return (unsigned)(screen.srWindow.Right - screen.srWindow.Left + 1);
}

int posix_isatty(int fd)
{
    DWORD mode;

    return GetConsoleMode(handle_of(fd), &mode) != 0;
}

int posix_status_flags(int fd)
{
    PUBLIC_OBJECT_BASIC_INFORMATION object;
    HANDLE h = handle_of(fd);
    bool reads, writes;

    if (h == INVALID_HANDLE_VALUE ||
        !NT_SUCCESS(NtQueryObject(h, ObjectBasicInformation, &object, sizeof object, NULL))) {
        errno = EBADF;
        return -1;
    }
    reads = object.GrantedAccess & FILE_READ_DATA;
    writes = object.GrantedAccess & (FILE_WRITE_DATA | FILE_APPEND_DATA);
    return !writes ? O_RDONLY : reads ? O_RDWR : O_WRONLY;
}

long os_process_id(void) { return (long)GetCurrentProcessId(); }

bool os_process_lives(long id)
{
    HANDLE h = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)id);
    bool lives =
        h ? WaitForSingleObject(h, 0) == WAIT_TIMEOUT : GetLastError() != ERROR_INVALID_PARAMETER;

    if (h)
        CloseHandle(h);
    return lives;
}

void os_host_name(char *name, size_t most)
{
    DWORD n = (DWORD)most;

    if (!GetComputerNameA(name, &n) && most > 0)
        *name = '\0';
}

/* The pages are texts in the folder `man` beside the program. */
bool os_show_manual(const char *page)
{
    wchar_t *program = malloc(NAME_UNITS * sizeof *program);
    DWORD n = program ? GetModuleFileNameW(NULL, program, NAME_UNITS) : 0;
    char *path = n > 0 && n < NAME_UNITS ? narrow(program, n) : NULL, *file = NULL;
    bool shown = false;
    struct stat st;
    char *text;
    int fd = -1;

    free(program);
    if (path && (file = malloc(strlen(path) + strlen(page) + sizeof "/man/.txt"))) {
        *strrchr(path, '\\') = '\0';
        sprintf(file, "%s/man/%s.txt", path, page);
        fd = os_open(AT_FDCWD, file, OS_READ);
    }
    (void)fflush(stdout);
    if (fd >= 0 && fstat(fd, &st) == 0 && (text = os_map_file(fd, (size_t)st.st_size))) {
        shown = os_write(STDOUT_FILENO, text, (size_t)st.st_size);
        os_unmap(text, (size_t)st.st_size);
    }
    if (fd >= 0)
        close(fd);
    free(path);
    free(file);
    return shown;
}

/* Pipes do not say when they can be read, so they are asked again and again. Those that wine has
 * from Unix do not answer, and are read if there is time to `wait` in that. */
static bool readable(int fd, bool wait)
{
    HANDLE h = handle_of(fd);
    DWORD n;

    if (GetFileType(h) != FILE_TYPE_PIPE)
        return true;
    if (PeekNamedPipe(h, NULL, 0, NULL, &n, NULL))
        return n > 0;
    return wait || GetLastError() == ERROR_BROKEN_PIPE;
}

int poll(struct pollfd *fds, size_t n, int milliseconds)
{
    for (int waited = 0;; waited += POLL_MS) {
        int ready = 0;

        for (size_t i = n; i-- > 0;) {
            bool reads = fds[i].fd >= 0 && (fds[i].events & POLLIN) &&
                         readable(fds[i].fd, milliseconds != 0 && ready == 0);

            fds[i].revents = (short)(reads ? POLLIN : fds[i].fd >= 0 ? fds[i].events & POLLOUT : 0);
            ready += fds[i].revents != 0;
        }
        if (ready > 0 || (milliseconds >= 0 && waited >= milliseconds))
            return ready;
        Sleep(POLL_MS);
    }
}

/* Ctrl-C, or the console, the session or Windows ends; the system then ends the process. */
static BOOL WINAPI end_by_console(DWORD event)
{
    at_end(false);
    return FALSE;
}

static void end_by_abort(int sig)
{
    at_end(true);
    (void)signal(sig, SIG_DFL);
}

/* A mapped file that cannot be read: it became shorter, or its disk or network is gone. */
static LONG WINAPI end_by_fault(EXCEPTION_POINTERS *e)
{
    const EXCEPTION_RECORD *r = e->ExceptionRecord;

    if (r->ExceptionCode != EXCEPTION_IN_PAGE_ERROR &&
        r->ExceptionCode != EXCEPTION_ACCESS_VIOLATION)
        return EXCEPTION_CONTINUE_SEARCH;
    at_end(false);
    if (r->ExceptionCode == EXCEPTION_IN_PAGE_ERROR && r->NumberParameters >= 2)
        at_fault((const void *)r->ExceptionInformation[1]);
    return EXCEPTION_CONTINUE_SEARCH;
}

void os_on_end(void (*end)(bool aborted), void (*fault)(const void *address))
{
    at_end = end;
    at_fault = fault;
    SetConsoleCtrlHandler(end_by_console, TRUE);
    AddVectoredExceptionHandler(1, end_by_fault);
    (void)signal(SIGABRT, end_by_abort);
}
