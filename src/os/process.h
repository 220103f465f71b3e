#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The process and what surrounds it: streams, libraries, signals. */

/* Opens standard streams that the caller closed, so that no file gets their number; for the wrong
 * direction, so that using them still fails. Text to stdout then goes on after signals. To be
 * called once, before anything is printed. */
void os_standard_streams(void);

/* A new number for an open file, above the standard streams' and closed in children; -1 with
 * errno. A system without this gives fd itself back, and os_close leaves standard streams open. */
int os_duplicate(int fd);

/* Makes `onto` another number of an open file; false with errno if the system cannot. */
bool os_redirect(int fd, int onto);

/* False with errno if bytes written before may be lost. */
bool os_close(int fd);

/* Columns of the terminal that standard output is; 0: it is none. */
unsigned os_terminal_columns(void);

/* A number that no other process of this machine has. */
long os_process_id(void);

/* The machine's name; "" if it has none. */
void os_host_name(char *name, size_t most);

/* Columns that a character takes up on a terminal; -1: it cannot be printed. */
int os_columns(uint32_t c);

/* Opens the manual page of that name in the user's reader; false if there is no reader or page. */
bool os_show_manual(const char *page);

/* False only if a process of that number has certainly ended. */
bool os_process_lives(long id);

/* A shared library by the first of these names that exists, NULL-terminated; NULL: none. It stays
 * loaded. */
void *os_library(const char *const *names);

/* Sets a pointer to a function of a library; `function` is its address. False if there is none. */
bool os_library_symbol(void *library, const char *name, void *function);

/* False if two functions certainly belong to different programs or shared libraries. */
bool os_same_module(const void *a, const void *b);

/* The size of the calling thread's stack; SIZE_MAX: unknown. */
size_t os_stack_bytes(void);

/* Handlers for the end of the program. `end` is called before a signal ends it, also when it
 * aborts: `aborted` says so. `fault` is called when reading mapped memory fails at an address. Both
 * may run on any thread, must be safe in a signal handler, and return to let the program end. */
void os_on_end(void (*end)(bool aborted), void (*fault)(const void *address));
