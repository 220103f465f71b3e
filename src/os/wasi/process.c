#include "os/process.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

/* A module that a host runs alone: no other processes, libraries, signals or terminal. */

/* Debian's run-time library of clang is compiled with a stack protector, which wasi-libc lacks. */
extern uintptr_t __stack_chk_guard;
uintptr_t __stack_chk_guard = 0x7a5bc3d1;
_Noreturn void __stack_chk_fail(void);
_Noreturn void __stack_chk_fail(void) { abort(); }

void os_standard_streams(void) {}

int os_duplicate(int fd) { return fd; }

bool os_redirect(int fd, int onto)
{
    errno = ENOSYS;
    return false;
}

bool os_close(int fd) { return fd <= STDERR_FILENO || close(fd) == 0; }

unsigned os_terminal_columns(void) { return 0; }

int os_columns(uint32_t c) { return wcwidth((wchar_t)c); }

long os_process_id(void) { return 1; }

void os_host_name(char *name, size_t most)
{
    if (most > 0)
        *name = '\0';
}

bool os_process_lives(long id) { return true; }

bool os_show_manual(const char *page) { return false; }

void *os_library(const char *const *names) { return NULL; }

bool os_library_symbol(void *library, const char *name, void *function) { return false; }

void os_on_end(void (*end)(bool aborted), void (*fault)(const void *address)) {}
