#include "io/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "io/folder.h"

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

enum { MAX_LINKS = 40 };

/* A path at being followed. */
struct walk {
    int root;
    const char *root_path;
    char *path;         /* from root; owned */
    int at;             /* the folder that the part before `rest` leads to; -1: none */
    const char *rest;   /* into path */
    int links;          /* that were followed so far */
};

/* The length of the first name of a path; *next is the name after it, or the end. */
static size_t first_name(const char *path, const char **next)
{
    size_t n = strcspn(path, "/");

    *next = path + n + strspn(path + n, "/");
    return n;
}

/* What an absolute link leads to, from root on; NULL where that is not below root. */
static const char *below_root(const struct walk *w, const char *link)
{
    char *root = realpath(w->root_path, NULL);
    size_t n = root ? strlen(root) : 0;
    bool below = root && strncmp(link, root, n) == 0 && (n == 1 || link[n] == '/');

    free(root);
    return below ? link + n : NULL;
}

/* Begins again at root with another path: the first n bytes of this one, `middle`, and `tail`. */
static bool begin_again(struct walk *w, size_t n, const char *middle, const char *tail)
{
    char *path = str_format("%.*s%s%s", (int)n, n > 0 ? w->path : "", middle, tail);

    free(w->path);
    w->path = path;
    if (!path) {
        errno = ENOMEM;
        return false;
    }
    w->rest = path + strspn(path, "/");
    if (w->at >= 0)
        close(w->at);
    w->at = fcntl(w->root, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return w->at >= 0;
}

/* Puts the text of a link in place of the first n bytes of `rest`. */
static bool follow(struct walk *w, const char *link, size_t n)
{
    const char *from_root = *link == '/' ? below_root(w, link) : link;

    if (!from_root || w->links++ == MAX_LINKS) {
        errno = from_root ? ELOOP : EXDEV;
        return false;
    }
    return begin_again(w, *link == '/' ? 0 : (size_t)(w->rest - w->path), from_root, w->rest + n);
}

/* Takes ".." at `rest` together with the name before it, which is a folder and no link. */
static bool go_up(struct walk *w, const char *next)
{
    size_t n = (size_t)(w->rest - w->path);

    while (n > 0 && w->path[n - 1] == '/')
        n--;
    if (n == 0) {
        errno = EXDEV;
        return false;
    }
    while (n > 0 && w->path[n - 1] != '/')
        n--;
    return begin_again(w, n, "", next);
}

/* Follows the first name of `rest` where it is a link; false, with errno 0 where it is none. */
static bool follow_link(struct walk *w, const char *name, size_t n)
{
    char link[PATH_MAX];
    ssize_t length = readlinkat(w->at, name, link, sizeof link - 1);

    if (length < 0) {
        errno = errno == EINVAL || errno == ENOENT ? 0 : errno;
        return false;
    }
    link[length] = '\0';
    return follow(w, link, n);
}

static int open_folder(int at, const char *path, int more)
{
    int fd;

    do
        fd = openat(at, path, O_PATH | O_DIRECTORY | O_CLOEXEC | more);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Opens a folder by its name in another, and makes it where it is missing. */
static int open_or_make(int at, const char *name)
{
    int fd = open_folder(at, name, O_NOFOLLOW);

    if (fd >= 0 || errno != ENOENT)
        return fd;
    if (mkdirat(at, name, 0777) == 0)
        folder_sync(at, ".");
    else if (errno != EEXIST)
        return -1;
    return open_folder(at, name, O_NOFOLLOW);
}

/* Goes one folder down. No link is followed by the system, so that the folder is below root. */
static bool step(struct walk *w, size_t n, const char *next)
{
    char *name = str_format("%.*s", (int)n, w->rest);
    int fd = name ? open_or_make(w->at, name) : -1, err = name ? errno : ENOMEM;
    bool good = fd >= 0;

    if (good) {
        close(w->at);
        w->at = fd;
        w->rest = next;
    } else if (name && (err == ENOTDIR || err == ELOOP)) {
        good = follow_link(w, name, n);
        err = errno ? errno : err;
    }
    free(name);
    errno = err;
    return good;
}

/* Goes down to the folder of the last name, and follows that where it is a link. */
static bool walk(struct walk *w)
{
    for (;;) {
        const char *next;
        size_t n = first_name(w->rest, &next);

        if (n == 1 && *w->rest == '.')
            w->rest = next;
        else if (n == 2 && memcmp(w->rest, "..", 2) == 0) {
            if (!go_up(w, next))
                return false;
        } else if (*next) {
            if (!step(w, n, next))
                return false;
        } else if (n == 0 || w->rest[n] == '/') {
            errno = EISDIR;
            return false;
        } else if (!follow_link(w, w->rest, n))
            return errno == 0;
    }
}

int beneath_open(const char *root, const char *path, char **name)
{
    struct walk w = { .root_path = root, .at = -1 };
    int err;

    *name = NULL;
    w.root = open_folder(AT_FDCWD, root, 0);
    if (w.root < 0)
        return -1;
    if (strlen(path) >= PATH_MAX)
        errno = ENAMETOOLONG;
    else if (begin_again(&w, 0, path, "") && walk(&w)) {
        *name = mem_strdup(w.rest);
        errno = ENOMEM;
    }
    err = errno;
    if (!*name && w.at >= 0)
        close(w.at);
    close(w.root);
    free(w.path);
    errno = err;
    return *name ? w.at : -1;
}
