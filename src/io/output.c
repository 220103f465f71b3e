#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "io/cleanup.h"

enum { BUFFER_BYTES = 64 << 10, NAME_PART = 100 /* of the target's name in a temporary's */ };

struct output {
    char *path;     /* as given, for messages */
    char *target;   /* where the file goes: links resolved; NULL for what is written in place */
    char *folder;   /* of target */
    char *temp;     /* the temporary, once it is there */
    int fd;         /* -1 until the first write */
    bool standard;  /* standard output */
    bool exists;    /* there was a file to replace; mode is its mode */
    mode_t mode;
    dev_t dev;      /* identity: of the target where it exists, else of its folder */
    ino_t ino;
    size_t used;
    char buffer[BUFFER_BYTES];
};

static const char *shown(const struct output *f)
{
    return f->standard ? "standard output" : f->path;
}

static enum status failed(struct diag *dg, const struct output *f, int err, const char *what)
{
    if (err == EPIPE) /* the reader wants no more; SIGPIPE, if not ignored, would have ended us without a word */
        return ST_SYSTEM;
    return diag_errno(dg, ST_SYSTEM, shown(f), err, "cannot %s", what);
}

static void output_free(struct output *f)
{
    if (!f)
        return;
    if (f->fd >= 0 && !f->standard)
        close(f->fd);
    if (f->temp)
        cleanup_remove(f->temp);
    free(f->temp);
    free(f->folder);
    free(f->target);
    free(f->path);
    free(f);
}

/* Follows links by hand as far as they go, so that a link to a file that is not there yet works too. */
static char *resolve(const char *path, int *err)
{
    char *at = mem_strdup(path);

    for (int links = 0; at; links++) {
        char link[PATH_MAX];
        ssize_t n = readlink(at, link, sizeof link - 1);
        char *slash = strrchr(at, '/'), *next;

        if (n < 0)
            return at;
        if (links == 40 || (size_t)n == sizeof link - 1) {
            *err = links == 40 ? ELOOP : ENAMETOOLONG;
            free(at);
            return NULL;
        }
        link[n] = '\0';
        if (link[0] == '/' || !slash)
            next = mem_strdup(link);
        else
            next = str_format("%.*s/%s", (int)(slash - at), at, link);
        free(at);
        at = next;
    }
    *err = ENOMEM;
    return NULL;
}

/* Paths that name an open descriptor, or lead to one, are written in place whatever lies behind them. */
static bool names_descriptor(const char *path)
{
    return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0 ||
           strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0;
}

/* Finds out what path is; fills in target, folder, identity. */
static enum status examine(struct output *f, bool no_clobber, struct diag *dg)
{
    struct stat st;
    char *slash;
    int err = 0;

    if (!*f->path)
        return diag_error(dg, ST_SYSTEM, NULL, "cannot write: the name of an output is empty");
    if (names_descriptor(f->path))
        return ST_OK;
    f->target = resolve(f->path, &err);
    if (!f->target)
        return err == ENOMEM ? diag_nomem(dg) : failed(dg, f, err, "write");
    slash = strrchr(f->target, '/');
    f->folder = slash == f->target ? mem_strdup("/") : slash ? str_format("%.*s", (int)(slash - f->target), f->target)
                                                             : mem_strdup(".");
    if (!f->folder)
        return diag_nomem(dg);
    if (slash && !slash[1])
        return diag_error(dg, ST_SYSTEM, shown(f), "cannot write: a file name is missing after the last '/'");
    if (stat(f->target, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return diag_error(dg, ST_SYSTEM, shown(f), "cannot write: is a directory");
        if (!S_ISREG(st.st_mode)) {
            free(f->target);
            f->target = NULL;
            return ST_OK;
        }
        if (no_clobber)
            return diag_error(dg, ST_SYSTEM, shown(f), "exists already, and --no-clobber forbids to replace it");
        f->exists = true;
        f->mode = st.st_mode & 07777;
    } else if (errno != ENOENT)
        return failed(dg, f, errno, "write");
    else if (stat(f->folder, &st) != 0)
        return diag_errno(dg, ST_SYSTEM, shown(f), errno, "cannot write: folder '%s'", f->folder);
    else if (!S_ISDIR(st.st_mode))
        return diag_errno(dg, ST_SYSTEM, shown(f), ENOTDIR, "cannot write: '%s'", f->folder);
    f->dev = st.st_dev;
    f->ino = st.st_ino;
    if (access(f->folder, W_OK | X_OK) != 0)
        return diag_errno(dg, ST_SYSTEM, shown(f), errno, "cannot write in folder '%s'", f->folder);
    return ST_OK;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool same_file(const struct output *a, const struct output *b)
{
    if (a->standard && b->standard)
        return true;
    if (!a->target || !b->target)
        return !a->standard && !b->standard && !a->target && !b->target && strcmp(a->path, b->path) == 0 &&
               strcmp(a->path, "/dev/null") != 0;
    if (a->exists != b->exists || a->dev != b->dev || a->ino != b->ino)
        return false;
    return a->exists || strcmp(base_name(a->target), base_name(b->target)) == 0;
}

static enum status one_file(const struct output *a, const struct output *b, struct diag *dg)
{
    return diag_error(dg, ST_USAGE, NULL, "two outputs go to one file: %s and %s", shown(a), shown(b));
}

enum status outputs_check_apart(const struct outputs *a, const struct outputs *b, struct diag *dg)
{
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < b->n; j++)
            if (same_file(a->v[i], b->v[j]))
                return one_file(a->v[i], b->v[j], dg);
    return ST_OK;
}

enum status outputs_add(struct outputs *o, const char *path, struct diag *dg)
{
    struct output *f;
    enum status st;

    if (o->n == OUTPUTS_MAX)
        return diag_error(dg, ST_USAGE, path, "more than %d outputs", OUTPUTS_MAX);
    f = mem_zalloc(1, sizeof *f);
    if (!f)
        return diag_nomem(dg);
    f->fd = -1;
    f->path = mem_strdup(path);
    if (!f->path) {
        output_free(f);
        return diag_nomem(dg);
    }
    f->standard = strcmp(path, "-") == 0;
    st = f->standard ? ST_OK : examine(f, o->no_clobber, dg);
    for (size_t i = 0; st == ST_OK && i < o->n; i++)
        if (same_file(o->v[i], f))
            st = one_file(o->v[i], f, dg);
    if (st) {
        output_free(f);
        return st;
    }
    o->v[o->n++] = f;
    return ST_OK;
}

/* Creates the temporary beside the target. */
static enum status open_temporary(struct output *f, struct diag *dg)
{
    static unsigned counter;

    for (int tries = 0; tries < 100; tries++) {
        char *temp = str_format("%s/.%.*s.dmlop-%ld-%u.tmp", f->folder, NAME_PART, base_name(f->target), (long)getpid(),
                                counter++);

        if (!temp)
            return diag_nomem(dg);
        f->fd = cleanup_create(temp);
        if (f->fd >= 0) {
            f->temp = temp;
            return ST_OK;
        }
        free(temp);
        if (errno != EEXIST)
            break;
    }
    return diag_errno(dg, ST_SYSTEM, shown(f), errno, "cannot create a temporary file in '%s'", f->folder);
}

static enum status open_output(struct output *f, struct diag *dg)
{
    if (f->fd >= 0)
        return ST_OK;
    if (f->target)
        return open_temporary(f, dg);
    if (f->standard)
        f->fd = STDOUT_FILENO;
    else {
        do
            f->fd = open(f->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        while (f->fd < 0 && errno == EINTR);
    }
    return f->fd < 0 ? failed(dg, f, errno, "open") : ST_OK;
}

static enum status write_out(struct output *f, const char *p, size_t n, struct diag *dg)
{
    while (n > 0) {
        ssize_t done = write(f->fd, p, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return failed(dg, f, errno, "write");
        p += done;
        n -= (size_t)done;
    }
    return ST_OK;
}

static enum status flush(struct output *f, struct diag *dg)
{
    enum status st = write_out(f, f->buffer, f->used, dg);

    f->used = 0;
    return st;
}

enum status outputs_write(struct outputs *o, size_t i, const void *bytes, size_t n, struct diag *dg)
{
    struct output *f = o->v[i];
    enum status st = open_output(f, dg);

    if (st == ST_OK && n > BUFFER_BYTES - f->used)
        st = flush(f, dg);
    if (st)
        return st;
    if (n >= BUFFER_BYTES)
        return write_out(f, bytes, n, dg);
    memcpy(f->buffer + f->used, bytes, n);
    f->used += n;
    return ST_OK;
}

/* The permissions that open(2) would have given: the umask can only be read by setting it. */
static mode_t default_mode(void)
{
    mode_t mask = umask(077);

    umask(mask);
    return 0666 & ~mask;
}

/* Everything but the rename. */
static enum status complete(struct output *f, bool no_sync, struct diag *dg)
{
    enum status st = open_output(f, dg); /* an output that nothing was written to is an empty file */
    int fd = f->fd;

    if (st == ST_OK)
        st = flush(f, dg);
    if (st || f->standard)
        return st;
    if (f->temp && fchmod(fd, f->exists ? f->mode : default_mode()) != 0)
        return failed(dg, f, errno, "set the mode");
    if (f->temp && !no_sync && fsync(fd) != 0)
        return failed(dg, f, errno, "sync");
    f->fd = -1;
    return close(fd) != 0 && errno != EINTR ? failed(dg, f, errno, "write") : ST_OK;
}

static void sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        fsync(fd); /* the file is whole either way; only the moment of its name is at stake */
        close(fd);
    }
}

static enum status move_into_place(struct output *f, const struct outputs *o, struct diag *dg)
{
    if (o->no_clobber) { /* link fails where somebody made the file since */
        if (link(f->temp, f->target) != 0)
            return failed(dg, f, errno, "write (--no-clobber)");
        cleanup_remove(f->temp);
    } else if (cleanup_rename(f->temp, f->target) != 0)
        return failed(dg, f, errno, "replace");
    free(f->temp);
    f->temp = NULL;
    if (!o->no_sync)
        sync_folder(f->folder);
    return ST_OK;
}

enum status outputs_commit(struct outputs *o, struct diag *dg)
{
    size_t moved = 0;

    for (size_t i = 0; i < o->n; i++) {
        enum status st = complete(o->v[i], o->no_sync, dg);

        if (st)
            return st;
    }
    for (size_t i = 0; i < o->n; i++) {
        enum status st = o->v[i]->temp ? move_into_place(o->v[i], o, dg) : ST_OK;

        if (st && moved > 0)
            diag_error(dg, st, shown(o->v[0]), "was written all the same");
        if (st)
            return st;
        moved++;
    }
    return ST_OK;
}

void outputs_close(struct outputs *o)
{
    for (size_t i = 0; i < o->n; i++)
        output_free(o->v[i]);
    o->n = 0;
}
