#pragma once

#include <stddef.h>
#include <wchar.h>

#include <windows.h>
#include <winternl.h>

/* What the files of this folder share. */

/* UTF-8 to UTF-16 and back; to be freed; NULL with errno on failure. A wide text has n units. */
wchar_t *wide(const char *text);
char *narrow(const wchar_t *text, size_t n);

/* Sets errno to what a Windows error means, and returns -1. */
int set_error(DWORD error);

/* The handle of a descriptor of the C library. */
HANDLE handle_of(int fd);

/* What EILSEQ means: why the system has no file of a name. */
extern char name_fault[64];

/* The system's name of a path relative to the folder `at`; to be freed; NULL with errno. */
wchar_t *handle_name(int at, const char *path);

/* Opens a file relative to the folder `at`. Below an open folder the system goes through handles,
 * so that later changes of the folder's path do not matter; such a path has no "..", no stream and
 * no name that programs cannot use. `disposition` and `options` are NtCreateFile's. NULL with errno
 * on failure. */
HANDLE handle_open(int at, const char *path, ACCESS_MASK access, ULONG disposition, ULONG options);

/* Makes a descriptor of a handle, which is closed if that fails: -1 with errno. */
int handle_descriptor(HANDLE h, int flags);
