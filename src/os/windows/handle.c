#include "os/windows/handle.h"

enum { PATH_UNITS = 32768 }; /* the longest path of the system */

int set_error(DWORD error)
{
    static const struct {
        int number; /* 0: unknown */
    } meanings[] = {
#include "os/errors_rows.h"
    };
    bool known = error < sizeof meanings / sizeof *meanings && meanings[error].number;

    errno = known ? meanings[error].number : EIO;
    return -1;
}

wchar_t *wide(const char *text)
{
    int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *w = n > 0 ? malloc((size_t)n * sizeof *w) : NULL;

    if (w)
        MultiByteToWideChar(CP_UTF8, 0, text, -1, w, n);
    errno = n > 0 ? ENOMEM : ENOENT; /* no name of the system is broken UTF-8 */
    return w;
}

char *narrow(const wchar_t *text, size_t n)
{
    int bytes = n > 0 ? WideCharToMultiByte(CP_UTF8, 0, text, (int)n, NULL, 0, NULL, NULL) : 0;
    char *s = malloc((size_t)bytes + 1);

    if (!s)
        return NULL;
    if (n > 0)
        WideCharToMultiByte(CP_UTF8, 0, text, (int)n, s, bytes, NULL, NULL);
    s[bytes] = '\0';
    return s;
}

/* The system's name of a path, which may be long: \??\C:\x, \??\UNC\server\share\x, \??\NUL. */
static wchar_t *full_name(const char *path)
{
    static const wchar_t unc[] = L"UNC\\";
    wchar_t *w = wide(strcmp(path, "/dev/null") == 0 ? "NUL" : path);
    wchar_t *full = w ? malloc((PATH_UNITS + 8) * sizeof *full) : NULL;
    DWORD n = full ? GetFullPathNameW(w, PATH_UNITS, full + 8, NULL) : 0;
    wchar_t *from = full ? full + 8 : NULL;

    free(w);
    if (n == 0 || n >= PATH_UNITS) {
        if (full)
            set_error(n == 0 ? GetLastError() : ERROR_FILENAME_EXCED_RANGE);
        free(full);
        return NULL;
    }
    if (from[0] == '\\' && from[1] == '\\' && (from[2] == '.' || from[2] == '?') && from[3] == '\\')
        from += 4;
    else if (from[0] == '\\' && from[1] == '\\') {
        from -= 2;
        memcpy(from, unc, sizeof unc - sizeof *unc);
    }
    from -= 4;
    memcpy(from, L"\\??\\", 4 * sizeof *from);
    memmove(full, from, (wcslen(from) + 1) * sizeof *full);
    return full;
}

char name_fault[64];

/* False, with EILSEQ and name_fault, for a path with a name that means a device, whatever its
 * extension, or has a character that no name has. */
static bool check_names(const char *path)
{
    for (size_t n; *path; path += n + (path[n] != '\0')) {
        size_t stem = strcspn(path, ". :/\\"), good = strcspn(path, "\"<>|?*/\\");
        wchar_t name[8] = L"", full[16] = L"";

        n = strcspn(path, "/\\");
        MultiByteToWideChar(CP_UTF8, 0, path, stem < 8 ? (int)stem : 0, name, 7);
        GetFullPathNameW(name, 16, full, NULL);
        if (good == n && wcsncmp(full, L"\\\\.\\", 4) != 0)
            continue;
        snprintf(name_fault, sizeof name_fault,
                 good < n ? "'%.*s' is not allowed in a file's name"
                          : "'%.*s' is the name of a device",
                 good < n ? 1 : (int)stem, good < n ? path + good : path);
        errno = EILSEQ;
        return false;
    }
    return true;
}

/* The system's name of a path below an open folder, "" for the folder itself. Dots and blanks at
 * the end of a name, which are dropped from other paths, would make files that programs cannot use.
 */
static wchar_t *name_below(const char *path)
{
    char *s = malloc(strlen(path) + 2), *to = s;
    wchar_t *w;

    if (!s)
        return NULL;
    for (size_t n; *path; path += n + strspn(path + n, "/\\")) {
        n = strcspn(path, "/\\");
        if (n == 0 || (n == 1 && *path == '.'))
            continue;
        if (memchr(path, ':', n) || strchr(". ", path[n - 1])) {
            free(s);
            errno = EINVAL;
            return NULL;
        }
        if (to > s)
            *to++ = '\\';
        memcpy(to, path, n);
        to += n;
    }
    *to = '\0';
    w = wide(s);
    free(s);
    return w;
}

wchar_t *handle_name(int at, const char *path)
{
    bool system = at == AT_FDCWD && (strcasecmp(path, "NUL") == 0 ||
                                     (strspn(path, "/\\") == 2 && strchr(".?", path[2])));

    if (!*path) {
        errno = ENOENT;
        return NULL;
    }
    if (!system && !check_names(path))
        return NULL;
    return at == AT_FDCWD ? full_name(path) : name_below(path);
}

HANDLE handle_open(int at, const char *path, ACCESS_MASK access, ULONG disposition, ULONG options)
{
    enum { SHARE = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };
    wchar_t *name = handle_name(at, path);
    UNICODE_STRING text;
    OBJECT_ATTRIBUTES object;
    IO_STATUS_BLOCK io;
    HANDLE h = NULL;
    NTSTATUS status;

    if (!name)
        return NULL;
    text = (UNICODE_STRING){ .Buffer = name, .Length = (USHORT)(wcslen(name) * sizeof *name) };
    text.MaximumLength = text.Length;
    InitializeObjectAttributes(&object, &text, OBJ_CASE_INSENSITIVE,
                               at == AT_FDCWD ? NULL : handle_of(at), NULL);
    status = NtCreateFile(&h, access | SYNCHRONIZE | FILE_READ_ATTRIBUTES, &object, &io, NULL,
                          FILE_ATTRIBUTE_NORMAL, SHARE, disposition,
                          options | FILE_SYNCHRONOUS_IO_NONALERT, NULL, 0);
    free(name);
    if (NT_SUCCESS(status))
        return h;
    set_error(RtlNtStatusToDosError(status));
    return NULL;
}

HANDLE handle_of(int fd) { return (HANDLE)_get_osfhandle(fd); }

int handle_descriptor(HANDLE h, int flags)
{
    int fd = _open_osfhandle((intptr_t)h, flags | _O_BINARY | _O_NOINHERIT);

    if (fd < 0)
        CloseHandle(h);
    return fd;
}
