#include "part/set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/mem.h"
#include "base/path.h"
#include "io/file.h"
#include "io/npy.h"
#include "os/file.h"

static bool is_gone(const char *path) { return access(path, F_OK) != 0 && errno == ENOENT; }

enum status part_record_read(struct record *r, const char *path, enum part_found *found,
                             char error[RECORD_ERROR], struct diag *dg)
{
    struct str unsaid = { 0 };
    struct diag silent = *dg;
    struct input in;
    enum record_result result;
    enum status st;

    *found = PART_NONE;
    if (is_gone(path))
        return ST_OK;
    *found = PART_UNSOUND;
    snprintf(error, RECORD_ERROR, "is not a regular file");
    if (file_is_special(path))
        return ST_OK;
    silent.text = &unsaid;
    st = input_open(&in, path, &silent);
    str_free(&unsaid);
    if (st && is_gone(path)) { /* another task of the part has removed it */
        *found = PART_NONE;
        return ST_OK;
    }
    st = st ? input_open(&in, path, dg) : ST_OK;
    if (st)
        return st;
    result = record_read(r, (const char *)in.data, in.len, error);
    st = input_intact(&in, dg);
    input_close(&in);
    if (result == RECORD_NOMEM)
        return diag_nomem(dg);
    if (result == RECORD_OK)
        *found = PART_SOUND;
    return st;
}

enum status part_files_there(const struct record *r, const char *path, bool checksums,
                             bool *complete, struct diag *dg)
{
    enum status st = ST_OK;

    *complete = true;
    for (unsigned i = 0; i < r->job.files && *complete; i++) {
        char name[RECORD_NAME],
            *file = path_beside(path, record_name(name, r->part, r->job.parts, i));
        struct input in = { .path = NULL };
        struct stat is;

        if (!file)
            return diag_nomem(dg);
        *complete =
            stat(file, &is) == 0 && S_ISREG(is.st_mode) && (uint64_t)is.st_size == r->file[i].bytes;
        if (*complete && checksums) {
            st = input_open(&in, file, dg);
            *complete = st == ST_OK && digest_of(in.data, in.len) == r->file[i].xxh3 &&
                        input_intact(&in, dg) == ST_OK;
            input_close(&in);
        }
        free(file);
    }
    return st == ST_INPUT ? ST_OK : st;
}

bool part_is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

enum status part_list(const char *folder, size_t most, uint64_t *parts, uint64_t **v, size_t *n,
                      struct diag *dg)
{
    enum status st = ST_OK;
    const struct dirent *e;
    char name[RECORD_NAME];
    uint64_t part, of;
    size_t cap = 0;
    DIR *d = opendir(folder);

    if (!d)
        return diag_errno(dg, ST_INPUT, folder, errno, "cannot open");
    while (st == ST_OK && *n < most && (e = readdir(d)))
        if (record_name_read(e->d_name, &part, &of)) {
            if (mem_reserve(v, *n, &cap, sizeof **v))
                (*v)[(*n)++] = of << 32 | part; /* both are at most a million */
            else
                st = diag_nomem(dg);
        }
    closedir(d);
    if (*n)
        qsort(*v, *n, sizeof **v, samples_ascending);
    if (*n && *parts == 0)
        *parts = (*v)[*n / 2] >> 32;
    for (size_t i = 0; i < *n && st == ST_OK; i++) {
        of = (*v)[i] >> 32;
        (*v)[i] &= UINT32_MAX;
        if (of != *parts)
            st = diag_input(dg, folder,
                            "%s is of another job: %ju parts, not %ju; remove the parts of one",
                            record_name(name, (*v)[i], of, RECORD_FILES), of, *parts);
    }
    return st;
}

/* True if the file at a path, relative to the folder `at`, is the one that st describes. */
static bool is_file(int at, const char *path, const struct stat *st)
{
    struct stat found;

    return fstatat(at, path, &found, 0) == 0 && found.st_dev == st->st_dev &&
           found.st_ino == st->st_ino;
}

enum status part_check_output(const char *path, const char *output, struct diag *dg)
{
    const char *file = !output ? "" : strcmp(output, "-") == 0 ? "/dev/stdout" : output;
    char *folder = part_is_folder(path) ? mem_strdup(path) : path_folder(path);
    enum status st = folder ? ST_OK : diag_nomem(dg);
    struct output_place place; /* a record need not exist */
    const struct dirent *e;
    uint64_t part, parts;
    struct stat to;
    bool exists = st == ST_OK && stat(file, &to) == 0;
    bool found = exists && is_file(AT_FDCWD, path, &to), failed = false;
    DIR *d = exists && S_ISREG(to.st_mode) ? opendir(folder) : NULL;

    while (d && !found && (e = readdir(d))) /* links have inodes of their own */
        found = strncmp(e->d_name, "part-", 5) == 0 &&
                (e->d_ino == to.st_ino || e->d_type != DT_REG) && is_file(dirfd(d), e->d_name, &to);
    if (d)
        closedir(d);
    if (st == ST_OK && !found && output_place(file, &place, &failed))
        found = record_name_read(place.name, &part, &parts) && stat(folder, &to) == 0 &&
                to.st_dev == place.device && to.st_ino == place.folder;
    if (found)
        st =
            diag_error(dg, ST_USAGE, file, "belongs to the parts in %s; give another file", folder);
    else if (failed)
        st = diag_nomem(dg);
    free(folder);
    return st;
}

char *part_set_path(const struct part_set *s, uint64_t part, unsigned file)
{
    const char *source = s->paths[s->v[part].source - 1];
    char name[RECORD_NAME];

    record_name(name, part, s->job.parts, file);
    if (part_is_folder(source))
        return str_format("%s/%s", source, name);
    return file == RECORD_FILES ? mem_strdup(source) : path_beside(source, name);
}

/* Compares a file's header with the type of the output and the part's share. */
static enum status check_header(struct part_set *s, struct part_window *w, uint64_t part,
                                unsigned file, struct diag *dg)
{
    const struct share_shape *shape = &s->job.shape;
    char error[NPY_ERROR_TEXT];
    struct npy_header h;
    struct share share;

    share_at(shape, &s->job.grid, part, &share);
    if (!npy_is(w->input.data, w->input.len) ||
        !npy_read_header(w->input.data, w->input.len, &h, error))
        return part_damaged(part, w->path, "the file is not a sound .npy", dg);
    if (h.type != s->job.type[file] || npy_is_big_endian(h.type, h.swapped) || h.fortran ||
        h.rank != shape->rank || memcmp(h.sizes, share.sizes, h.rank * sizeof h.sizes[0]) != 0 ||
        w->input.len - h.data_offset != h.data_bytes)
        return part_damaged(part, w->path, "the file does not hold the part's share", dg);
    if (file == 0 && s->found > 0 && h.is_bool != s->is_bool)
        return part_damaged(part, w->path, "the file has another type than the parts before it",
                            dg);
    if (file == 0)
        s->is_bool = h.is_bool;
    w->offset = h.data_offset;
    return ST_OK;
}

static void close_window(struct part_window *w)
{
    input_close(&w->input);
    free(w->path);
    *w = (struct part_window){ .key = 0 };
}

/* Maps a file, and compares it with its checksum, unless that was done or is not wanted. */
static enum status open_window(struct part_set *s, uint64_t part, unsigned file,
                               struct part_window **window, struct diag *dg)
{
    uint64_t number = part * s->job.files + file;
    struct part_window *w = *window = &s->windows[number % s->slots];
    struct part_entry *e = &s->v[part];
    enum status st = ST_OK;
    struct stat is;

    if (w->key != number + 1) {
        if (w->key)
            close_window(w);
        w->path = part_set_path(s, part, file);
        if (!w->path)
            return diag_nomem(dg);
        st = file_is_special(w->path) ? diag_input(dg, w->path, "is not a regular file")
                                      : input_open(&w->input, w->path, dg);
        s->unreadable = st != ST_OK && access(w->path, F_OK) == 0 && !file_is_special(w->path);
        if (st == ST_OK) {
            w->key = number + 1;
            if (fstat(w->input.fd, &is) == 0) {
                w->device = is.st_dev;
                w->inode = is.st_ino;
            }
            input_detach(&w->input);
            st = check_header(s, w, part, file, dg);
        }
        if (st)
            close_window(w);
    }
    if (st || s->unchecked || e->compared[file])
        return st;
    e->compared[file] = true;
    return digest_of(w->input.data, w->input.len) == e->xxh3[file]
               ? ST_OK
               : part_damaged(part, w->path, "checksum differs", dg);
}

enum status part_set_data(struct part_set *s, uint64_t part, unsigned file, const char **data,
                          struct diag *dg)
{
    struct part_window *w;
    enum status st = open_window(s, part, file, &w, dg);

    *data = st ? NULL : (const char *)w->input.data + w->offset;
    return st;
}

enum status part_set_copy(struct part_set *s, uint64_t part, unsigned file, uint64_t from,
                          uint64_t bytes, struct output *target, struct diag *dg)
{
    enum { SHARE_LEAST = 1 << 16 /* bytes that are worth opening the file again */ };
    struct part_window *w;
    enum status st = open_window(s, part, file, &w, dg);
    const unsigned char *data = w->input.data + w->offset + from;
    struct stat is;
    int fd = -1;

    if (st)
        return st;
    if (bytes >= SHARE_LEAST)
        fd = os_open(AT_FDCWD, w->path, OS_READ);
    if (fd >= 0 && fstat(fd, &is) == 0 && is.st_dev == w->device && is.st_ino == w->inode)
        st = output_copy(target, data, (size_t)bytes, fd, w->offset + from, dg);
    else /* another file has its name now */
        st = output_write(target, data, (size_t)bytes, dg);
    if (fd >= 0)
        close(fd);
    return st;
}

enum status part_set_check_files(struct part_set *s, const struct record *r, struct diag *dg)
{
    for (unsigned i = 0; i < r->job.files; i++) {
        struct part_window *w;
        enum status st = open_window(s, r->part, i, &w, dg);

        if (st)
            return st;
        if (w->input.len != r->file[i].bytes)
            return diag_input(dg, w->path, "part %ju: the file has %zu bytes, its record says %ju",
                              r->part, w->input.len, r->file[i].bytes);
    }
    return ST_OK;
}

void part_set_close(struct part_set *s)
{
    for (size_t i = 0; s->windows && i < s->slots; i++)
        if (s->windows[i].key)
            close_window(&s->windows[i]);
    free(s->windows);
    free(s->v);
}

enum status part_set_remove(const struct part_set *s, struct diag *dg)
{
    enum status st = ST_OK;

    for (unsigned turn = 0; turn <= s->job.files; turn++) /* 0: the records */
        for (uint64_t part = 0; part < s->job.parts && st == ST_OK; part++) {
            char *path = part_set_path(s, part, turn == 0 ? RECORD_FILES : turn - 1);

            if (!path)
                st = diag_nomem(dg);
            else if (unlink(path) != 0 && errno != ENOENT)
                st = diag_errno(dg, ST_SYSTEM, path, errno, "cannot remove the part");
            free(path);
        }
    for (unsigned i = 0; i < s->n && st == ST_OK; i++)
        if (part_is_folder(s->paths[i]))
            (void)rmdir(s->paths[i]); /* fails, as intended, unless it is empty */
    return st;
}
