#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/mem.h"
#include "base/path.h"
#include "io/archive.h"
#include "io/cleanup.h"
#include "io/file.h"
#include "io/npz.h"
#include "io/target.h"
#include "os/file.h"
#include "os/process.h"

enum {
    BUFFER_BYTES = 64 << 10,
    NAME_BYTES = 100,        /* of the target's name in a temporary's */
    RESERVE_BYTES = 1 << 20, /* for less, reserving takes longer than writing */
    BLOCK = 4096,            /* of file systems that share blocks between files */
};

struct output {
    char *path; /* as given */
    struct output_target target;
    char *temp;              /* the temporary beside target, once it exists */
    int fd;                  /* -1 until the first write */
    struct archive *archive; /* NULL: none */
    struct digest *digest;   /* of all bytes; NULL: not wanted */
    bool shared;             /* as in struct outputs */
    uint64_t bytes;          /* written so far */
    size_t used;
    char buffer[BUFFER_BYTES];
};

static enum status failed(struct diag *dg, const struct output *f, int err, const char *what)
{
    /* EPIPE: the reader closed; no message, as SIGPIPE would end the program silently */
    if (err == EPIPE)
        return ST_SYSTEM;
    return diag_errno(dg, ST_SYSTEM, f->target.shown, err, "cannot %s", what);
}

static void output_free(struct output *f)
{
    if (f->fd >= 0)
        os_close(f->fd);
    if (f->temp)
        cleanup_remove(f->temp);
    free(f->temp);
    target_free(&f->target);
    if (f->archive)
        archive_free(f->archive);
    if (f->digest)
        digest_free(f->digest);
    free(f->path);
    free(f);
}

enum status outputs_check_apart(const struct outputs *a, const struct outputs *b, struct diag *dg)
{
    for (size_t i = 0; i < b->n; i++)
        for (size_t j = 0; j < a->n; j++)
            if (target_same(&a->v[j]->target, &b->v[i]->target))
                return diag_usage(dg, "two outputs would be written to the same file: %s and %s",
                                  a->v[j]->target.shown, b->v[i]->target.shown);
    return ST_OK;
}

static const char *standard_output = "standard output"; /* or the file that it leads to */

enum status outputs_add_at(struct outputs *o, int at, const char *name, const char *path,
                           struct diag *dg)
{
    struct output *f = mem_zalloc(1, sizeof *f);
    const char *shown = at == AT_FDCWD && strcmp(path, "-") == 0 ? standard_output : path;
    enum status st;

    assert(o->n < OUTPUTS_MAX);
    if (!f) {
        if (at >= 0)
            close(at);
        return diag_nomem(dg);
    }
    f->fd = -1;
    f->target.at = at;
    f->path = mem_strdup(path);
    f->shared = o->shared;
    f->digest = o->digests ? digest_new() : NULL;
    if (f->path && (f->digest || !o->digests))
        st = target_find(&f->target, at, name, shown == path ? f->path : shown, o->no_clobber, dg);
    else
        st = diag_nomem(dg);
    st = st ? st : outputs_check_apart(o, &(struct outputs){ .v = { f }, .n = 1 }, dg);
    if (st)
        output_free(f);
    else
        o->v[o->n++] = f;
    return st;
}

enum status outputs_add(struct outputs *o, const char *path, struct diag *dg)
{
    if (npz_member(path))
        return diag_error(dg, ST_USAGE, path,
                          "this is not an array, but the name is that of one; use another");
    return outputs_add_at(o, AT_FDCWD, path, path, dg);
}

/* Makes the last output an archive. */
static enum status begin_archive(struct output *f, bool named, struct diag *dg)
{
    if (f->target.kind != TARGET_FILE)
        return diag_error(dg, ST_SYSTEM, f->path, "an archive is written to a file only");
    if (named && f->target.exists)
        return diag_error(dg, ST_SYSTEM, f->path,
                          "already exists, and arrays are not added to an archive; give another "
                          "file, or no ':NAME' to replace it");
    f->archive = archive_new();
    return f->archive ? ST_OK : diag_nomem(dg);
}

enum status outputs_add_tensor(struct outputs *o, const char *path, const char *member,
                               struct output **f, struct diag *dg)
{
    bool named = member && !path_has_extension(path, ".npz");
    size_t after = named ? strlen(member) + 1 : 0, i = 0;
    char *file = str_format("%.*s", (int)(strlen(path) - after), path);
    enum status st = ST_OK;

    if (!file)
        return diag_nomem(dg);
    while (i < o->n && !(member && o->v[i]->archive && strcmp(o->v[i]->path, file) == 0))
        i++;
    if (i == o->n) {
        st = outputs_add(o, file, dg);
        if (st == ST_OK && member)
            st = begin_archive(o->v[i], named, dg);
    }
    if (st == ST_OK && member)
        st = archive_add(o->v[i]->archive, member, file, dg);
    *f = st == ST_OK ? o->v[i] : NULL;
    free(file);
    return st;
}

static enum status open_temporary(struct output *f, struct diag *dg)
{
    const char *folder = f->target.folder, *name = path_base_name(f->target.path);
    int err = EEXIST;

    for (int tries = 0; err == EEXIST && tries < 100; tries++) {
        char *temp = str_format("%s/.%.*s.dmlop-%ld-%d.tmp", folder, NAME_BYTES, name,
                                os_process_id(), tries);

        if (!temp)
            return diag_nomem(dg);
        f->fd = cleanup_create(f->target.at, temp);
        if (f->fd >= 0) {
            f->temp = temp;
            return ST_OK;
        }
        err = errno;
        free(temp);
    }
    return diag_errno(dg, ST_SYSTEM, f->target.shown, err, "cannot create a temporary file in '%s'",
                      folder);
}

static enum status open_output(struct output *f, struct diag *dg)
{
    if (f->fd >= 0)
        return ST_OK;
    if (f->target.kind == TARGET_FILE)
        return open_temporary(f, dg);
    /* duplicated, not opened again: it may append, or be in the middle of a file */
    if (f->target.kind == TARGET_DESCRIPTOR)
        f->fd = os_duplicate(f->target.descriptor);
    else
        f->fd = os_open(AT_FDCWD, f->path, OS_WRITE);
    return f->fd < 0 ? failed(dg, f, errno, "open") : ST_OK;
}

enum status output_redirect(struct output *f, int onto, struct diag *dg)
{
    enum status st = open_output(f, dg);

    standard_output = onto == STDOUT_FILENO ? f->target.shown : standard_output;
    return st || os_redirect(f->fd, onto) ? st : failed(dg, f, errno, "write");
}

static enum status write_out(struct output *f, const char *p, size_t n, struct diag *dg)
{
    if (os_write(f->fd, p, n))
        return ST_OK;
    /* a mapped input was cut short: reading it raises SIGBUS, whose handler reports that */
    for (size_t i = 0; errno == EFAULT && i < n; i += 512)
        (void)*(const volatile char *)(p + i);
    return failed(dg, f, errno, "write");
}

static enum status flush(struct output *f, struct diag *dg)
{
    enum status st = write_out(f, f->buffer, f->used, dg);

    f->used = 0;
    return st;
}

static void note_bytes(struct output *f, const void *bytes, size_t n)
{
    f->bytes += n;
    if (f->digest)
        digest_add(f->digest, bytes, n);
    if (f->archive)
        archive_note(f->archive, bytes, n);
}

uint64_t output_digest(const struct output *f, uint64_t *bytes)
{
    *bytes = f->bytes;
    return digest_value(f->digest);
}

enum status output_write(struct output *f, const void *bytes, size_t n, struct diag *dg)
{
    enum status st = open_output(f, dg);

    note_bytes(f, bytes, n);
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

enum status output_text(struct output *f, struct str *text, struct diag *dg)
{
    enum status st = text->failed ? diag_nomem(dg) : output_write(f, text->s, text->len, dg);

    str_free(text);
    return st;
}

/* Writes a text of an archive, which is not data of an array. */
static enum status write_text(struct output *f, struct str *text, struct diag *dg)
{
    struct archive *archive = f->archive;
    enum status st;

    f->archive = NULL;
    st = output_text(f, text, dg);
    f->archive = archive;
    return st;
}

enum status output_begin(struct output *f, uint64_t bytes, struct diag *dg)
{
    enum status st = open_output(f, dg);
    struct str header = { 0 };

    if (st == ST_OK && f->archive) {
        st = archive_next(f->archive, f->bytes, bytes, f->target.shown, &header, dg);
        st = st ? st : write_text(f, &header, dg);
    }
    if (st || !f->temp || bytes < RESERVE_BYTES || bytes > INT64_MAX - f->bytes)
        return st;
    return os_reserve_room(f->fd, f->bytes, bytes) || f->shared ? ST_OK
                                                                : failed(dg, f, errno, "write");
}

enum status output_copy(struct output *f, const void *bytes, size_t n, int fd, uint64_t offset,
                        struct diag *dg)
{
    const char *p = bytes;
    size_t head = (size_t)(-offset % BLOCK);
    enum status st = open_output(f, dg);

    if (st == ST_OK && head > 0 && head < n && offset % BLOCK == f->bytes % BLOCK) {
        st = output_write(f, p, head, dg); /* whole blocks can be shared */
        p += head;
        n -= head;
        offset += head;
    }
    if (st == ST_OK && f->temp) {
        st = flush(f, dg);
        while (st == ST_OK && n > 0) {
            ptrdiff_t done = os_copy_range(fd, &offset, f->fd, n);

            /* not possible between these file systems, or an error that writing will report */
            if (done <= 0)
                break;
            note_bytes(f, p, (size_t)done);
            p += done;
            n -= (size_t)done;
        }
    }
    return st || n == 0 ? st : output_write(f, p, n, dg);
}

/* Does all but the rename. */
static enum status complete(struct output *f, bool no_sync, struct diag *dg)
{
    /* without any bytes, an empty file */
    enum status st = open_output(f, dg);
    struct str end = { 0 };
    int fd = f->fd;

    if (st == ST_OK && f->archive) {
        archive_end(f->archive, f->bytes, &end);
        st = write_text(f, &end, dg);
    }
    st = st ? st : flush(f, dg);
    if (st)
        return st;
    if (f->archive && !archive_patch(f->archive, fd))
        return failed(dg, f, errno, "write");
    if (f->temp && !os_set_mode(fd, f->target.exists ? &f->target.st : NULL))
        return failed(dg, f, errno, "set the mode");
    if (f->temp && !no_sync && !os_sync(fd))
        return failed(dg, f, errno, "sync");
    f->fd = -1;
    return os_close(fd) ? ST_OK : failed(dg, f, errno, "write");
}

static enum status move_into_place(struct output *f, const struct outputs *o, struct diag *dg)
{
    if (!cleanup_rename(f->temp, f->target.path, !o->no_clobber))
        return failed(dg, f, errno, o->no_clobber ? "write (--no-clobber)" : "replace");
    free(f->temp);
    f->temp = NULL;
    if (!o->no_sync)
        folder_sync(f->target.at, f->target.folder); /* the file is complete either way */
    return ST_OK;
}

enum status outputs_commit(struct outputs *o, struct diag *dg)
{
    enum status st = ST_OK;

    for (size_t i = 0; i < o->n && st == ST_OK; i++)
        st = complete(o->v[i], o->no_sync, dg);
    for (size_t i = 0; i < o->n && st == ST_OK; i++) {
        if (o->v[i]->temp)
            st = move_into_place(o->v[i], o, dg);
        for (size_t j = 0; st && j < i; j++)
            diag_error(dg, st, o->v[j]->target.shown, "was written before this error");
    }
    return st;
}

void outputs_close(struct outputs *o)
{
    for (size_t i = 0; i < o->n; i++)
        output_free(o->v[i]);
    o->n = 0;
}
