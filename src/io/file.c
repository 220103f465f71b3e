#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "os/file.h"

enum { MAX_LINKS = 40 };

bool file_is_special(const char *path)
{
    struct stat st;

    return strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

/* True if a path, or FILE of FILE:NAME, is the regular file that st describes. */
static bool is_file(const char *path, const struct stat *st)
{
    char file[PATH_MAX], *colon;
    struct stat found = { .st_mode = 0 };

    snprintf(file, sizeof file, "%s", strcmp(path, "-") == 0 ? "/dev/stdin" : path);
    while (stat(file, &found) != 0 && (colon = path_last_colon(file)))
        *colon = '\0';
    return S_ISREG(found.st_mode) && found.st_dev == st->st_dev && found.st_ino == st->st_ino;
}

enum status file_check_apart(const char *input, const char *output, struct diag *dg)
{
    const char *file = output && strcmp(output, "-") == 0 ? "/dev/stdout" : output;
    struct stat to;

    return input && file && stat(file, &to) == 0 && is_file(input, &to)
               ? diag_error(dg, ST_USAGE, file, "is an input, too; give another file")
               : ST_OK;
}

ptrdiff_t file_head(const char *path, void *buf, size_t n, uint64_t *length)
{
    ssize_t have = 0, got = -1;
    struct stat st;
    int fd, err;

    if (file_is_special(path)) {
        errno = ESPIPE;
        return -1;
    }
    fd = os_open(AT_FDCWD, path, OS_READ);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0) {
        got = 1;
        if (length)
            *length = (uint64_t)st.st_size;
    }
    while ((got > 0 && (size_t)have < n) || (got < 0 && errno == EINTR)) {
        got = pread(fd, (char *)buf + have, n - (size_t)have, have);
        have += got > 0 ? got : 0;
    }
    err = got < 0 ? errno : 0; /* the system may leave any number there on success */
    close(fd);
    errno = err;
    return got < 0 ? -1 : have;
}

void folder_sync(int at, const char *path)
{
    int fd = os_open(at, path, OS_FOLDER);

    if (fd < 0)
        return;
    (void)os_sync(fd);
    close(fd);
}

enum status folder_make(const char *path, struct diag *dg)
{
    struct stat st;
    char *above;

    if (mkdir(path, 0777) != 0) {
        if (errno != EEXIST)
            return diag_errno(dg, ST_SYSTEM, path, errno, "cannot make the folder");
        if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
            return diag_error(dg, ST_SYSTEM, path, "is not a folder");
        return ST_OK;
    }
    above = path_folder(path);
    if (!above)
        return diag_nomem(dg);
    folder_sync(AT_FDCWD, above);
    free(above);
    return ST_OK;
}

/* A path that is being followed. */
struct walk {
    int root;
    const char *root_path;
    char *path;       /* from root; owned */
    int at;           /* the folder before `rest`; -1: none */
    const char *rest; /* into path */
    int links;        /* followed so far */
};

static bool is_separator(char c) { return c && strchr(os_separators, c); }

/* The path from root of an absolute link's target; NULL if that is not below root. */
static const char *below_root(const struct walk *w, const char *link)
{
    char *root = os_real_path(w->root_path);
    size_t n = root ? strlen(root) : 0;
    bool below = root && strncmp(link, root, n) == 0 && (n == 1 || is_separator(link[n]));

    free(root);
    return below ? link + n : NULL;
}

/* Begins again at root with the first n bytes of the path, `middle` and `tail`. */
static bool begin_again(struct walk *w, size_t n, const char *middle, const char *tail)
{
    char *path = str_format("%.*s%s%s", (int)n, n > 0 ? w->path : "", middle, tail);

    free(w->path);
    w->path = path;
    if (!path) {
        errno = ENOMEM;
        return false;
    }
    w->rest = path + strspn(path, os_separators);
    if (w->at >= 0)
        close(w->at);
    w->at = os_open(w->root, ".", OS_PLACE);
    return w->at >= 0;
}

/* Removes "." at `rest`, or ".." together with the name before it, which is a folder and no link.
 */
static bool skip_dots(struct walk *w, bool up, const char *next)
{
    size_t n = (size_t)(w->rest - w->path);

    while (up && n > 0 && is_separator(w->path[n - 1]))
        n--;
    if (up && n == 0) {
        errno = EXDEV;
        return false;
    }
    while (up && n > 0 && !is_separator(w->path[n - 1]))
        n--;
    return begin_again(w, n, "", next);
}

/* Follows `name`, the first n bytes of `rest`; false, with errno 0, if it is no link. */
static bool follow_link(struct walk *w, const char *name, size_t n)
{
    char link[PATH_MAX];
    ssize_t length = readlinkat(w->at, name, link, sizeof link - 1);
    const char *from_root = link;

    if (length < 0) {
        errno = errno == EINVAL || errno == ENOENT ? 0 : errno;
        return false;
    }
    link[length] = '\0';
    if (os_path_root(link))
        from_root = below_root(w, link);
    if (!from_root || w->links++ == MAX_LINKS) {
        errno = from_root ? ELOOP : EXDEV;
        return false;
    }
    return begin_again(w, os_path_root(link) ? 0 : (size_t)(w->rest - w->path), from_root,
                       w->rest + n);
}

/* Opens a folder by its name in another; makes it if it is missing. */
static int open_or_make(int at, const char *name)
{
    int fd = os_open(at, name, OS_PLACE_HERE);

    if (fd >= 0 || errno != ENOENT)
        return fd;
    if (mkdirat(at, name, 0777) == 0)
        folder_sync(at, ".");
    else if (errno != EEXIST)
        return -1;
    return os_open(at, name, OS_PLACE_HERE);
}

/* Goes to the folder of the last name, which it copies; if that is a link, to the folder of its
 * target. The system follows no link to a folder, so it is below root. */
static bool walk(struct walk *w, char *name)
{
    for (;;) {
        size_t n = strcspn(w->rest, os_separators);
        const char *next = w->rest + n + strspn(w->rest + n, os_separators);
        int fd;

        if (n > 0 && n <= 2 && memcmp(w->rest, "..", n) == 0) {
            if (!skip_dots(w, n == 2, next))
                return false;
            continue;
        }
        if (n == 0 || (!*next && w->rest[n]) || n > NAME_MAX) {
            errno = n > NAME_MAX ? ENAMETOOLONG : EISDIR;
            return false;
        }
        memcpy(name, w->rest, n);
        name[n] = '\0';
        if (follow_link(w, name, n))
            continue;
        if (errno || !*next)
            return errno == 0;
        fd = open_or_make(w->at, name);
        if (fd < 0)
            return false;
        close(w->at);
        w->at = fd;
        w->rest = next;
    }
}

int folder_open_beneath(const char *root, const char *path, char *name)
{
    struct walk w = { .root_path = root, .at = -1 };
    bool found = false;
    int err;

    w.root = os_open(AT_FDCWD, root, OS_PLACE);
    if (w.root < 0)
        return -1;
    if (strlen(path) >= PATH_MAX)
        errno = ENAMETOOLONG;
    else if (begin_again(&w, 0, path, "") && walk(&w, name))
        found = true;
    err = errno;
    if (!found && w.at >= 0)
        close(w.at);
    close(w.root);
    free(w.path);
    errno = err;
    return found ? w.at : -1;
}
