#include "io/target.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "io/output.h"
#include "os/file.h"
#include "os/process.h"

enum { MAX_LINKS = 40, MAX_DIGITS = 9 };

/* True if a folder lists this process's descriptors: /dev/fd, or on Linux /proc/PID/fd. */
static bool lists_descriptors(const char *folder)
{
    char *real, *end;
    bool lists;

    if (strcmp(folder, "/dev/fd") == 0 || strcmp(folder, "/proc/self/fd") == 0)
        return true;
    real = os_real_path(folder);
    if (!real)
        return false;
    lists = strcmp(real, "/dev/fd") == 0 ||
            (strncmp(real, "/proc/", 6) == 0 && strtol(real + 6, &end, 10) == os_process_id() &&
             strcmp(path_base_name(end), "fd") == 0); /* also of a thread, in task */
    free(real);
    return lists;
}

/* The descriptor that a path names, or -1. */
static int descriptor_named(const char *path, const char *folder)
{
    const char *name = path_base_name(path);
    size_t n = strlen(name);

    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    if (n == 0 || n > MAX_DIGITS || strspn(name, "0123456789") != n || !lists_descriptors(folder))
        return -1;
    return (int)strtol(name, NULL, 10);
}

static enum status cannot(const struct output_target *t, int err, struct diag *dg)
{
    return err == ENOMEM ? diag_nomem(dg)
                         : diag_errno(dg, ST_SYSTEM, t->shown, err, "cannot write");
}

/* Follows links by hand, except from a folder's descriptor: a link may lead to a file that does not
 * exist yet, or to /dev/stdout. Sets path, folder, descriptor (-1: none). Returns 0 or an errno. */
static int follow(struct output_target *t, const char *path)
{
    t->path = mem_strdup(path);
    for (int links = 0; t->path; links++) {
        char link[PATH_MAX], *next;
        ssize_t n;

        t->folder = path_folder(t->path);
        if (!t->folder)
            return ENOMEM;
        t->descriptor = t->at == AT_FDCWD ? descriptor_named(t->path, t->folder) : -1;
        n = t->at == AT_FDCWD && t->descriptor < 0 ? readlink(t->path, link, sizeof link - 1) : -1;
        if (n < 0)
            return 0;
        if (links == MAX_LINKS || (size_t)n == sizeof link - 1)
            return links == MAX_LINKS ? ELOOP : ENAMETOOLONG;
        link[n] = '\0';
        next = path_beside(t->path, link);
        target_free(t);
        t->path = next;
    }
    return ENOMEM;
}

bool output_place(const char *path, struct output_place *place, bool *failed)
{
    struct output_target t = { .at = AT_FDCWD };
    struct stat st;
    int error = follow(&t, path);
    bool found = error == 0 && t.descriptor < 0 && (stat(t.path, &st) != 0 || S_ISREG(st.st_mode));

    *failed = *failed || error == ENOMEM;
    *place = (struct output_place){ .folder = 0 };
    if (found)
        snprintf(place->name, sizeof place->name, "%s", path_base_name(t.path));
    if (found && stat(t.folder, &st) == 0) {
        place->device = st.st_dev;
        place->folder = st.st_ino;
    }
    target_free(&t);
    return found;
}

static enum status find_descriptor(struct output_target *t, struct diag *dg)
{
    int flags = fcntl(t->descriptor, F_GETFL);

    t->kind = TARGET_DESCRIPTOR;
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
        return cannot(t, EBADF, dg);
    if (flags < 0 || fstat(t->descriptor, &t->st) != 0)
        return cannot(t, errno, dg);
    t->exists = true;
    return ST_OK;
}

/* Checks that a regular or new file can be made in the folder. */
static enum status check_file(struct output_target *t, bool no_clobber, struct diag *dg)
{
    if (t->exists && no_clobber)
        return diag_error(dg, ST_SYSTEM, t->shown,
                          "already exists, and --no-clobber does not allow replacing it");
    if (!t->exists && fstatat(t->at, t->folder, &t->st, 0) != 0)
        return diag_errno(dg, ST_SYSTEM, t->shown, errno, "cannot write: folder '%s'", t->folder);
    if (faccessat(t->at, t->folder, W_OK | X_OK, 0) != 0)
        return diag_errno(dg, ST_SYSTEM, t->shown, errno, "cannot write in folder '%s'", t->folder);
    return ST_OK;
}

static enum status refuse_kind(const struct output_target *t, struct diag *dg)
{
    mode_t mode = t->st.st_mode;

    return diag_error(dg, ST_SYSTEM, t->shown, "cannot write: it is %s, not a regular file",
                      S_ISDIR(mode)    ? "a directory"
                      : S_ISFIFO(mode) ? "a FIFO"
                      : S_ISSOCK(mode) ? "a socket"
                      : S_ISLNK(mode)  ? "a symbolic link"
                                       : "a device");
}

enum status target_find(struct output_target *t, int at, const char *path, const char *shown,
                        bool no_clobber, struct diag *dg)
{
    bool beneath = at != AT_FDCWD, standard = !beneath && strcmp(path, "-") == 0;
    int err;

    *t = (struct output_target){ .shown = shown,
                                 .descriptor = standard ? STDOUT_FILENO : -1,
                                 .at = at };
    if (!*path)
        return diag_error(dg, ST_SYSTEM, NULL, "cannot write: the name of an output is empty");
    err = standard ? 0 : follow(t, path);
    if (err)
        return cannot(t, err, dg);
    if (t->descriptor >= 0)
        return find_descriptor(t, dg);
    t->exists = fstatat(at, t->path, &t->st, beneath ? AT_SYMLINK_NOFOLLOW : 0) == 0;
    if (!t->exists && errno != ENOENT)
        return cannot(t, errno, dg);
    if (t->exists && beneath && !S_ISREG(t->st.st_mode))
        return refuse_kind(t, dg);
    if (t->exists && S_ISDIR(t->st.st_mode))
        return diag_error(dg, ST_SYSTEM, shown, "cannot write: is a directory");
    if (!*path_base_name(t->path))
        return diag_error(dg, ST_SYSTEM, shown,
                          "cannot write: a file name is missing after the last '/'");
    if (t->exists && !S_ISREG(t->st.st_mode)) {
        t->kind = TARGET_SPECIAL;
        return ST_OK;
    }
    return check_file(t, no_clobber, dg);
}

bool target_same(const struct output_target *a, const struct output_target *b)
{
    struct stat null;

    if (a->kind == TARGET_DESCRIPTOR && b->kind == TARGET_DESCRIPTOR &&
        a->descriptor == b->descriptor)
        return true;
    if (a->exists != b->exists || a->st.st_dev != b->st.st_dev || a->st.st_ino != b->st.st_ino)
        return false;
    if (!a->exists)
        return strcmp(path_base_name(a->path), path_base_name(b->path)) == 0;
    if (!S_ISCHR(a->st.st_mode))
        return true;
    return a->kind == TARGET_SPECIAL && b->kind == TARGET_SPECIAL &&
           (stat("/dev/null", &null) != 0 || null.st_rdev != a->st.st_rdev);
}

void target_free(struct output_target *t)
{
    free(t->path);
    free(t->folder);
    t->path = t->folder = NULL;
    if (t->at >= 0)
        close(t->at);
    t->at = AT_FDCWD;
}
