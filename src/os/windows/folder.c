#include <dirent.h>

#include "os/file.h"
#include "os/windows/handle.h"

/* What readdir has read: some entries, of which `next` is the next. */
struct folder {
    int fd;
    bool ended;
    FILE_ID_BOTH_DIR_INFO *next;
    struct dirent entry;
    _Alignas(16) unsigned char entries[1 << 16];
};

DIR *opendir(const char *path)
{
    DIR *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->fd = os_open(AT_FDCWD, path, OS_PLACE);
    if (d->fd >= 0)
        return d;
    free(d);
    return NULL;
}

struct dirent *readdir(DIR *d)
{
    FILE_ID_BOTH_DIR_INFO *e = d->next;
    int n;

    if (!e && !d->ended) {
        e = (void *)d->entries;
        d->ended = !GetFileInformationByHandleEx(handle_of(d->fd), FileIdBothDirectoryInfo, e,
                                                 sizeof d->entries);
    }
    if (d->ended)
        return NULL;
    d->next = e->NextEntryOffset ? (void *)((char *)e + e->NextEntryOffset) : NULL;
    n = WideCharToMultiByte(CP_UTF8, 0, e->FileName, (int)(e->FileNameLength / sizeof(WCHAR)),
                            d->entry.d_name, sizeof d->entry.d_name - 1, NULL, NULL);
    d->entry.d_name[n] = '\0';
    d->entry.d_ino = (uint64_t)e->FileId.QuadPart;
    d->entry.d_type = e->FileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)
                          ? DT_UNKNOWN
                          : DT_REG;
    return &d->entry;
}

int dirfd(DIR *d) { return d->fd; }

int closedir(DIR *d)
{
    close(d->fd);
    free(d);
    return 0;
}
