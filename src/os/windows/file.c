#include "os/file.h"

#include "os/windows/handle.h"

const char os_separators[] = "/\\";

enum { CHUNK = 1 << 26 }; /* of a read or write: the C library counts in int */

size_t os_path_root(const char *path)
{
    size_t drive = isalpha((unsigned char)path[0]) && path[1] == ':' ? 2 : 0;

    return drive + strspn(path + drive, os_separators);
}

/* True if opening h did not follow a link. */
static bool is_link(HANDLE h)
{
    FILE_ATTRIBUTE_TAG_INFO tag;

    return GetFileInformationByHandleEx(h, FileAttributeTagInfo, &tag, sizeof tag) &&
           (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
           IsReparseTagNameSurrogate(tag.ReparseTag);
}

int os_open(int at, const char *path, enum os_open how)
{
    enum { FOLDER = FILE_DIRECTORY_FILE | FILE_OPEN_FOR_BACKUP_INTENT };
    static const struct {
        ACCESS_MASK access;
        ULONG disposition, options;
        int flags;
    } modes[] = {
        [OS_READ] = { FILE_GENERIC_READ, FILE_OPEN, 0, _O_RDONLY },
        [OS_WRITE] = { FILE_GENERIC_WRITE, FILE_OPEN, 0, _O_WRONLY },
        [OS_NEW] = { FILE_GENERIC_WRITE, FILE_CREATE, FILE_NON_DIRECTORY_FILE, _O_WRONLY },
        [OS_FOLDER] = { FILE_GENERIC_READ, FILE_OPEN, FOLDER, _O_RDONLY },
        [OS_PLACE] = { FILE_GENERIC_READ, FILE_OPEN, FOLDER, _O_RDONLY },
        [OS_PLACE_HERE] = { FILE_GENERIC_READ, FILE_OPEN, FOLDER | FILE_OPEN_REPARSE_POINT,
                            _O_RDONLY },
    };
    HANDLE h = handle_open(at, path, modes[how].access, modes[how].disposition, modes[how].options);

    if (!h)
        return -1;
    if (how == OS_PLACE_HERE && is_link(h)) {
        CloseHandle(h);
        errno = ELOOP;
        return -1;
    }
    return handle_descriptor(h, modes[how].flags);
}

/* Writes UTF-8 to a console, in pieces of whole characters, whatever its code page is. */
static bool write_console(HANDLE h, const char *p, size_t n)
{
    enum { MOST = 8192 };
    wchar_t units[MOST];
    size_t take;
    DWORD done;

    for (; n > 0; p += take, n -= take) {
        take = n < MOST ? n : MOST;
        while (take < n && take > MOST - 4 && (p[take] & 0xc0) == 0x80)
            take--;
        done = (DWORD)MultiByteToWideChar(CP_UTF8, 0, p, (int)take, units, MOST);
        if (!WriteConsoleW(h, units, done, &done, NULL))
            return set_error(GetLastError()) == 0;
    }
    return true;
}

bool os_write(int fd, const void *bytes, size_t n)
{
    DWORD done;

    if (isatty(fd))
        return write_console(handle_of(fd), bytes, n);
    for (const char *p = bytes, *end = p + n; p < end; p += done) {
        if (!WriteFile(handle_of(fd), p, (DWORD)(end - p < CHUNK ? end - p : CHUNK), &done, NULL))
            return set_error(GetLastError()) == 0;
        if (done == 0) {
            errno = ENOSPC;
            return false;
        }
    }
    return true;
}

/* What standard output and standard error have not written. */
static struct stream {
    char text[1 << 14];
    size_t n;
    int error; /* the last errno; 0: none */
} streams[2];

int posix_fflush(FILE *f)
{
    struct stream *s = &streams[f == stderr];

    if (f != stdout && f != stderr)
        return (fflush)(f);
    if (!os_write(fileno(f), s->text, s->n))
        s->error = errno;
    s->n = 0;
    errno = s->error ? s->error : errno;
    return s->error ? EOF : 0;
}

size_t posix_fwrite(const void *p, size_t size, size_t n, FILE *f)
{
    struct stream *s = &streams[f == stderr];
    size_t bytes = size * n;
    bool line = f == stderr && bytes > 0 && ((const char *)p)[bytes - 1] == '\n';

    if (f != stdout && f != stderr)
        return (fwrite)(p, size, n, f);
    if (bytes > sizeof s->text - s->n && posix_fflush(f) != 0)
        return 0;
    if (bytes > sizeof s->text)
        return os_write(fileno(f), p, bytes) ? n : 0;
    memcpy(s->text + s->n, p, bytes);
    s->n += bytes;
    return line && posix_fflush(f) != 0 ? 0 : n;
}

int posix_fprintf(FILE *f, const char *fmt, ...)
{
    char *text;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n < 0)
        return n;
    if (posix_fwrite(text, 1, (size_t)n, f) < (size_t)n)
        n = -1;
    free(text);
    return n;
}

ptrdiff_t os_read(int fd, void *buf, size_t n)
{
    return read(fd, buf, (unsigned)(n < CHUNK ? n : CHUNK));
}

bool os_sync(int fd)
{
    struct stat st;

    /* names are durable with the file system's journal */
    return (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) || FlushFileBuffers(handle_of(fd)) ||
           set_error(GetLastError()) == 0;
}

bool os_reserve_room(int fd, uint64_t from, uint64_t n)
{
    FILE_ALLOCATION_INFO room = { .AllocationSize.QuadPart = (LONGLONG)(from + n) };

    if (SetFileInformationByHandle(handle_of(fd), FileAllocationInfo, &room, sizeof room) ||
        GetLastError() != ERROR_DISK_FULL)
        return true; /* some file systems cannot; writing finds a full disk */
    errno = ENOSPC;
    return false;
}

/* Waits, each time longer and at most 5 seconds in all, after another program kept a file from
 * being replaced or removed: scanners and indexers have new files open for a moment. False for what
 * will not change: other errors, folders, and files that are only read. */
static bool wait_again(int at, const char *path, DWORD *waited)
{
    enum { LONGEST = 5000 };
    DWORD pause = 1 + *waited / 2;
    int error = errno;
    struct stat st;
    bool again = (error == EBUSY || error == EACCES) && *waited < LONGEST &&
                 (fstatat(at, path, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
                  (!S_ISDIR(st.st_mode) && (st.st_mode & 0222)));

    if (again)
        Sleep(pause < LONGEST - *waited ? pause : LONGEST - *waited);
    *waited += pause;
    errno = error;
    return again;
}

/* Renames a file; with `replace` set also to a name that exists, even if that file is open. */
static bool rename_at(int at, const char *path, const char *target, bool replace)
{
    enum { REPLACE = 1, POSIX_SEMANTICS = 2 };
    static const FILE_INFORMATION_CLASS rename = 10, rename_ex = 65;
    static const NTSTATUS exists = (NTSTATUS)0xC0000035;
    wchar_t *name = handle_name(at, target);
    size_t bytes = name ? wcslen(name) * sizeof *name : 0;
    struct {
        ULONG flags;
        HANDLE root;
        ULONG length;
        WCHAR name[];
    } *to = name ? calloc(1, sizeof *to + bytes) : NULL;
    NTSTATUS status = (NTSTATUS)STATUS_NO_MEMORY;
    DWORD waited = 0;
    IO_STATUS_BLOCK io;
    HANDLE h;

    do {
        h = to ? handle_open(at, path, DELETE, FILE_OPEN, FILE_OPEN_REPARSE_POINT) : NULL;
        if (!h)
            continue;
        to->flags = replace ? REPLACE | POSIX_SEMANTICS : 0;
        to->root = at == AT_FDCWD ? NULL : handle_of(at);
        to->length = (ULONG)bytes;
        memcpy(to->name, name, bytes);
        status = NtSetInformationFile(h, &io, to, (ULONG)(sizeof *to + bytes), rename_ex);
        if (!NT_SUCCESS(status) && status != exists) {
            to->flags = replace; /* before Windows 10, or on other file systems */
            status = NtSetInformationFile(h, &io, to, (ULONG)(sizeof *to + bytes), rename);
        }
        set_error(RtlNtStatusToDosError(status));
        CloseHandle(h);
    } while (!NT_SUCCESS(status) && wait_again(at, target, &waited));
    free(to);
    free(name);
    return NT_SUCCESS(status);
}

/* `to` is `at`. */
int renameat(int at, const char *path, int to, const char *target)
{
    if (rename_at(at, path, target, true))
        return 0;
    if (errno == EACCES && faccessat(at, target, W_OK, 0) == 0)
        errno = EBUSY; /* it is mapped */
    return -1;
}

bool os_rename_new(int at, const char *path, const char *target)
{
    return rename_at(at, path, target, false);
}

int unlinkat(int at, const char *path, int flags)
{
    enum { DELETED = 1, POSIX_SEMANTICS = 2 };
    static const FILE_INFORMATION_CLASS disposition_ex = 64;
    ULONG how = DELETED | POSIX_SEMANTICS;
    FILE_DISPOSITION_INFO old = { .DeleteFile = TRUE };
    IO_STATUS_BLOCK io;
    DWORD waited = 0;
    bool removed;

    do {
        HANDLE h = handle_open(at, path, DELETE, FILE_OPEN, FILE_OPEN_REPARSE_POINT);

        removed =
            h && (NT_SUCCESS(NtSetInformationFile(h, &io, &how, sizeof how, disposition_ex)) ||
                  SetFileInformationByHandle(h, FileDispositionInfo, &old, sizeof old) ||
                  set_error(GetLastError()) == 0);
        if (h)
            CloseHandle(h);
    } while (!removed && wait_again(at, path, &waited));
    return removed ? 0 : -1;
}

int mkdirat(int at, const char *path, unsigned mode)
{
    HANDLE h = handle_open(at, path, FILE_LIST_DIRECTORY, FILE_CREATE, FILE_DIRECTORY_FILE);

    if (h)
        CloseHandle(h);
    return h ? 0 : -1;
}

static int describe(HANDLE h, struct stat *st)
{
    BY_HANDLE_FILE_INFORMATION i;
    FILE_STANDARD_INFO unnamed;
    DWORD type = GetFileType(h);

    *st = (struct stat){ .st_mode = S_IFREG | 0444 };
    if (type == FILE_TYPE_CHAR || type == FILE_TYPE_PIPE) {
        st->st_mode = 0666 | (type == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR);
        st->st_ino = (uintptr_t)h;
        return 0;
    }
    if (!GetFileInformationByHandle(h, &i)) {
        /* wine: a redirected stream has no name */
        if (!GetFileInformationByHandleEx(h, FileStandardInfo, &unnamed, sizeof unnamed))
            return set_error(GetLastError());
        st->st_mode |= 0222;
        st->st_ino = (uintptr_t)h;
        st->st_size = unnamed.EndOfFile.QuadPart;
        return 0;
    }
    if (i.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
        st->st_mode = S_IFDIR | 0555;
    if (is_link(h))
        st->st_mode = S_IFLNK | 0444;
    if (!(i.dwFileAttributes & FILE_ATTRIBUTE_READONLY))
        st->st_mode |= 0222;
    st->st_dev = i.dwVolumeSerialNumber;
    st->st_ino = (uint64_t)i.nFileIndexHigh << 32 | i.nFileIndexLow;
    st->st_size = (int64_t)((uint64_t)i.nFileSizeHigh << 32 | i.nFileSizeLow);
    return 0;
}

int posix_fstat(int fd, struct stat *st)
{
    HANDLE h = handle_of(fd);

    if (h != INVALID_HANDLE_VALUE)
        return describe(h, st);
    errno = EBADF;
    return -1;
}

int fstatat(int at, const char *path, struct stat *st, int flags)
{
    static const char *const standard[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };
    HANDLE h;
    int result;

    for (int fd = 0; fd < 3; fd++)
        if (strcmp(path, standard[fd]) == 0)
            return fstat(fd, st);
    h = handle_open(at, path, 0, FILE_OPEN,
                    flags & AT_SYMLINK_NOFOLLOW ? FILE_OPEN_REPARSE_POINT : 0);
    if (!h)
        return -1;
    result = describe(h, st);
    CloseHandle(h);
    return result;
}

int posix_stat(const char *path, struct stat *st) { return fstatat(AT_FDCWD, path, st, 0); }

int faccessat(int at, const char *path, int how, int flags)
{
    struct stat st;

    if (fstatat(at, path, &st, 0) != 0)
        return -1;
    if (!(how & W_OK) || (st.st_mode & 0222) || S_ISDIR(st.st_mode))
        return 0; /* for folders the attribute means something else */
    errno = EACCES;
    return -1;
}

ssize_t pread(int fd, void *to, size_t n, int64_t offset)
{
    OVERLAPPED at = { .Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32) };
    DWORD got = 0;

    if (ReadFile(handle_of(fd), to, (DWORD)(n < CHUNK ? n : CHUNK), &got, &at) ||
        GetLastError() == ERROR_HANDLE_EOF)
        return (ssize_t)got;
    return set_error(GetLastError());
}

ssize_t readlinkat(int at, const char *path, char *to, size_t n)
{
    struct {
        ULONG tag;
        USHORT bytes, reserved;
        USHORT target, target_bytes, shown, shown_bytes; /* in bytes of the names */
        WCHAR names[MAXIMUM_REPARSE_DATA_BUFFER_SIZE / sizeof(WCHAR)];
    } link;
    HANDLE h = handle_open(at, path, 0, FILE_OPEN, FILE_OPEN_REPARSE_POINT);
    const WCHAR *names = link.names;
    size_t length = 0;
    DWORD got;
    char *s = NULL;

    if (!h)
        return -1;
    if (is_link(h) &&
        DeviceIoControl(h, FSCTL_GET_REPARSE_POINT, NULL, 0, &link, sizeof link, &got, NULL)) {
        names += link.tag == IO_REPARSE_TAG_SYMLINK ? 2 : 0; /* flags are before the names */
        if (link.tag == IO_REPARSE_TAG_SYMLINK || link.tag == IO_REPARSE_TAG_MOUNT_POINT)
            s = narrow(names + link.shown / sizeof *names, link.shown_bytes / sizeof *names);
    }
    CloseHandle(h);
    if (!s) {
        errno = EINVAL;
        return -1;
    }
    for (; length < n && s[length]; length++)
        to[length] = (char)(s[length] == '\\' ? '/' : s[length]);
    free(s);
    return (ssize_t)length;
}

char *os_real_path(const char *path)
{
    HANDLE h = handle_open(AT_FDCWD, path, 0, FILE_OPEN, FILE_OPEN_FOR_BACKUP_INTENT);
    DWORD units = h ? GetFinalPathNameByHandleW(h, NULL, 0, FILE_NAME_NORMALIZED) : 0;
    wchar_t *w = units > 0 ? malloc(units * sizeof *w) : NULL;
    char *s = NULL;

    if (w && GetFinalPathNameByHandleW(h, w, units, FILE_NAME_NORMALIZED) < units)
        s = wcsncmp(w, L"\\\\?\\UNC\\", 8) == 0 ? narrow(w + 6, wcslen(w + 6))
                                                : narrow(w + 4, wcslen(w + 4));
    if (h)
        CloseHandle(h);
    for (char *p = s; p && *p; p++)
        *p = (char)(*p == '\\' ? '/' : *p);
    if (s && wcsncmp(w, L"\\\\?\\UNC\\", 8) == 0)
        s[0] = '/';
    free(w);
    return s;
}
