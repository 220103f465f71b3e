#include "part/set.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/mem.h"
#include "base/path.h"
#include "io/npy.h"

enum { WINDOWS = 1 << 15 /* a process may have twice as many mappings */ };

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_regular(const char *path)
{
    struct stat st;

    return stat(path, &st) != 0 || S_ISREG(st.st_mode); /* none at all fails where it is opened */
}

/* Only regular files are opened: another might never end, or never begin. */
static enum status open_regular(struct input *in, const char *path, struct diag *dg)
{
    return is_regular(path) ? input_open(in, path, dg)
                            : diag_error(dg, ST_INPUT, path, "is not a regular file");
}

enum status part_record_read(struct record *r, const char *path, enum part_found *found,
                             char error[RECORD_ERROR], struct diag *dg)
{
    struct input in;
    enum record_result result;
    enum status st;

    *found = PART_NONE;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return ST_OK;
    *found = PART_UNSOUND;
    snprintf(error, RECORD_ERROR, "is not a regular file");
    if (!is_regular(path))
        return ST_OK;
    st = input_open(&in, path, dg);
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

enum status part_files_there(const struct record *r, const char *path, bool *there,
                             struct diag *dg)
{
    *there = true;
    for (unsigned i = 0; i < r->files && *there; i++) {
        char name[RECORD_NAME], *file = path_beside(path, record_name(name, r->part, r->parts, i));
        struct stat st;

        if (!file)
            return diag_nomem(dg);
        *there = stat(file, &st) == 0 && S_ISREG(st.st_mode) &&
                 (uint64_t)st.st_size == r->file[i].bytes;
        free(file);
    }
    return ST_OK;
}

/* The path of a part's file, or of its record; NULL where memory is short. */
static char *path_of(const struct part_set *s, uint64_t part, unsigned file)
{
    const char *source = s->paths[s->v[part].source - 1];
    char name[RECORD_NAME];

    record_name(name, part, s->first.parts, file);
    if (is_folder(source))
        return str_format("%s/%s", source, name);
    return file == RECORD_FILES ? mem_strdup(source) : path_beside(source, name);
}

static enum status damaged(uint64_t part, const char *path, const char *what, struct diag *dg)
{
    return diag_error(dg, ST_INPUT, path, "part %" PRIu64 ": %s", part, what);
}

/* Holds a file's header against what the job's output and the part's sizes say. */
static enum status check_header(struct part_set *s, const struct part_window *w, uint64_t part,
                                unsigned file, uint64_t *offset, struct diag *dg)
{
    uint64_t place[DML_MAX_RANK], sizes[DML_MAX_RANK];
    const struct record *first = &s->first;
    unsigned rank = first->shape.rank;
    char error[NPY_ERROR_TEXT];
    struct npy_header h;
    struct share share;

    share_at(&first->shape, &first->grid, part, &share);
    share_place(&first->shape, &share, place, sizes);
    if (!npy_is(w->input.data, w->input.len) ||
        !npy_read_header(w->input.data, w->input.len, &h, error))
        return damaged(part, w->path, "the file is not a sound .npy", dg);
    if (h.type != (file == 0 ? first->type : first->index_type) || h.swapped || h.fortran ||
        h.rank != rank || memcmp(h.sizes, sizes, rank * sizeof sizes[0]) != 0 ||
        w->input.len - h.data_offset != h.data_bytes)
        return damaged(part, w->path, "the file does not hold the part's share", dg);
    if (file == 0 && s->found > 0 && h.is_bool != s->is_bool)
        return damaged(part, w->path, "the file has another type than the parts before it", dg);
    if (file == 0)
        s->is_bool = h.is_bool;
    *offset = h.data_offset;
    return ST_OK;
}

static void close_window(struct part_window *w)
{
    input_close(&w->input);
    free(w->path);
    *w = (struct part_window){ .key = 0 };
}

/* Maps a part's file, checked but for its checksum. */
static enum status open_window(struct part_set *s, uint64_t part, unsigned file,
                               struct part_window **window, struct diag *dg)
{
    uint64_t number = part * s->first.files + file;
    struct part_window *w = &s->windows[number % s->slots];
    enum status st;

    *window = w;
    if (w->key == number + 1)
        return ST_OK;
    if (w->key)
        close_window(w);
    w->path = path_of(s, part, file);
    if (!w->path)
        return diag_nomem(dg);
    st = open_regular(&w->input, w->path, dg);
    if (st == ST_OK) {
        w->key = number + 1;
        input_detach(&w->input);
        st = check_header(s, w, part, file, &w->offset, dg);
    }
    if (st)
        close_window(w);
    return st;
}

enum status part_set_data(struct part_set *s, uint64_t part, unsigned file, const char **data,
                          struct diag *dg)
{
    struct part_window *w;
    enum status st = open_window(s, part, file, &w, dg);

    *data = st ? NULL : (const char *)w->input.data + w->offset;
    return st;
}

/* The part's files are whole and hold what its record says. */
static enum status check_files(struct part_set *s, const struct record *r, struct diag *dg)
{
    for (unsigned i = 0; i < r->files; i++) {
        struct part_window *w;
        enum status st = open_window(s, r->part, i, &w, dg);

        if (st)
            return st;
        if (w->input.len != r->file[i].bytes)
            return diag_error(dg, ST_INPUT, w->path,
                              "part %" PRIu64 ": the file has %zu bytes, its record says %" PRIu64,
                              r->part, w->input.len, r->file[i].bytes);
        if (digest_of(w->input.data, w->input.len) != r->file[i].xxh3)
            return damaged(r->part, w->path, "checksum differs", dg);
    }
    return ST_OK;
}

/* The first record says what job it is. */
static enum status begin(struct part_set *s, const struct record *r, struct diag *dg)
{
    s->first = *r;
    s->slots = (size_t)u64_min(r->parts * r->files, WINDOWS);
    s->v = mem_zalloc(r->parts, sizeof *s->v);
    s->windows = mem_zalloc(s->slots, sizeof *s->windows);
    return s->v && s->windows ? ST_OK : diag_nomem(dg);
}

static enum status twice(const struct part_set *s, uint64_t part, const char *path,
                         struct diag *dg)
{
    char *other = path_of(s, part, RECORD_FILES);
    enum status st = other ? diag_error(dg, ST_INPUT, NULL, "part %" PRIu64 " twice: %s, %s", part,
                                        other, path)
                           : diag_nomem(dg);

    free(other);
    return st;
}

static void add_up(uint64_t *sum, uint64_t v)
{
    if (!u64_add(*sum, v, sum))
        *sum = UINT64_MAX;
}

/* Adds the part of a record that was read from a path. */
static enum status add(struct part_set *s, const struct record *r, const char *path,
                       unsigned source, struct diag *dg)
{
    char error[RECORD_ERROR];
    enum status st = s->v ? ST_OK : begin(s, r, dg);

    if (st)
        return st;
    if (!record_same_job(r, &s->first)) {
        record_difference(r, &s->first, error);
        return diag_error(dg, ST_INPUT, path, "part %" PRIu64 " is of another job: %s", r->part,
                          error);
    }
    if (s->v[r->part].source)
        return twice(s, r->part, path, dg);
    if (!record_is_share(r, error))
        return damaged(r->part, path, error, dg);
    s->v[r->part] = (struct part_entry){ source + 1, r->times.compute_ns, r->host };
    st = check_files(s, r, dg);
    s->found++;
    add_up(&s->bytes_in, r->times.bytes_in);
    add_up(&s->bytes_out, r->times.bytes_out);
    add_up(&s->operations, r->times.operations);
    return st;
}

/* The record at a path; where there is none, that is an error only of one that was named. */
static enum status add_path(struct part_set *s, const char *path, unsigned source, bool named,
                            struct diag *dg)
{
    char error[RECORD_ERROR];
    enum part_found found;
    struct record r;
    enum status st = part_record_read(&r, path, &found, error, dg);

    if (st)
        return st;
    if (found == PART_SOUND)
        return add(s, &r, path, source, dg);
    if (found == PART_UNSOUND)
        return diag_error(dg, ST_INPUT, path, "%s", error);
    return named ? diag_errno(dg, ST_INPUT, path, ENOENT, "cannot open") : ST_OK;
}

/* The number of parts that names of records in a folder say; 0 where there are none. */
static enum status count_parts(const char *path, uint64_t *parts, struct diag *dg)
{
    uint64_t part, n, most = 0, least = UINT64_MAX, of_most = 0;
    DIR *folder = opendir(path);
    struct dirent *e;

    if (!folder)
        return diag_errno(dg, ST_INPUT, path, errno, "cannot open");
    while ((e = readdir(folder)))
        if (record_name_read(e->d_name, &part, &n)) {
            least = u64_min(least, n);
            if (n > most)
                of_most = part;
            most = u64_max(most, n);
        }
    closedir(folder);
    *parts = most;
    if (most && least != most)
        return diag_error(dg, ST_INPUT, path,
                          "part %" PRIu64 " is of another job: %" PRIu64 " parts, not %" PRIu64
                          "; remove the parts of one", of_most, most, least);
    return ST_OK;
}

static enum status add_folder(struct part_set *s, unsigned source, uint64_t parts, struct diag *dg)
{
    enum status st = ST_OK;

    for (uint64_t i = 0; i < parts && st == ST_OK; i++) {
        char name[RECORD_NAME], *path;

        path = str_format("%s/%s", s->paths[source], record_name(name, i, parts, RECORD_FILES));
        st = path ? add_path(s, path, source, false, dg) : diag_nomem(dg);
        free(path);
    }
    return st;
}

static void add_range(struct str *ranges, uint64_t from, uint64_t to)
{
    str_printf(ranges, "%s%" PRIu64, ranges->len ? "," : "", from);
    if (to > from)
        str_printf(ranges, "-%" PRIu64, to);
}

/* The parts that are not among v's as ranges. */
static uint64_t find_missing(const struct part_entry *v, uint64_t parts, struct str *ranges)
{
    uint64_t missing = 0;

    for (uint64_t i = 0; i < parts; i++) {
        uint64_t from = i;

        if (v[i].source)
            continue;
        while (i + 1 < parts && !v[i + 1].source)
            i++;
        add_range(ranges, from, i);
        missing += i - from + 1;
    }
    return missing;
}

static enum status check_complete(const struct part_set *s, struct diag *dg)
{
    struct str ranges = { 0 };
    enum status st = ST_OK;
    uint64_t missing;

    if (!s->v)
        return diag_error(dg, ST_INPUT, s->paths[0], "there is no record of a part");
    missing = find_missing(s->v, s->first.parts, &ranges);
    if (ranges.failed)
        st = diag_nomem(dg);
    else if (missing)
        st = diag_error(dg, ST_INPUT, NULL, "%" PRIu64 " of %" PRIu64 " part%s missing: %s",
                        missing, s->first.parts, s->first.parts == 1 ? " is" : "s are", ranges.s);
    str_free(&ranges);
    return st;
}

enum status part_set_load(struct part_set *s, struct diag *dg)
{
    enum status st = ST_OK;

    for (unsigned i = 0; i < s->n && st == ST_OK; i++) {
        uint64_t parts = 0;

        if (!is_folder(s->paths[i])) {
            st = add_path(s, s->paths[i], i, true, dg);
            continue;
        }
        st = count_parts(s->paths[i], &parts, dg);
        if (st == ST_OK)
            st = add_folder(s, i, parts, dg);
    }
    return st ? st : check_complete(s, dg);
}

/* Notes the part of a record, if it is there: one that is not sound is only told of with -v. */
static enum status look(struct part_entry *v, uint64_t parts, const char *path, struct diag *dg)
{
    char error[RECORD_ERROR];
    enum part_found found;
    bool there = false;
    struct record r;
    enum status st = part_record_read(&r, path, &found, error, dg);

    if (st == ST_OK && found == PART_UNSOUND)
        diag_note(dg, path, "%s", error);
    if (st == ST_OK && found == PART_SOUND && r.parts == parts)
        st = part_files_there(&r, path, &there, dg);
    if (there)
        v[r.part].source = 1;
    return st;
}

static enum status look_in_folder(struct part_set *s, const char *folder, uint64_t parts,
                                  struct diag *dg)
{
    enum status st = ST_OK;

    for (uint64_t part = 0; part < parts && st == ST_OK; part++) {
        char name[RECORD_NAME], *path;

        path = str_format("%s/%s", folder, record_name(name, part, parts, RECORD_FILES));
        st = path ? look(s->v, parts, path, dg) : diag_nomem(dg);
        free(path);
    }
    return st;
}

enum status part_set_missing(struct part_set *s, uint64_t parts, struct str *ranges,
                             uint64_t *missing, struct diag *dg)
{
    enum status st = ST_OK;

    s->v = mem_zalloc(parts, sizeof *s->v);
    if (!s->v)
        return diag_nomem(dg);
    for (unsigned i = 0; i < s->n && st == ST_OK; i++)
        st = is_folder(s->paths[i]) ? look_in_folder(s, s->paths[i], parts, dg)
                                    : look(s->v, parts, s->paths[i], dg);
    *missing = find_missing(s->v, parts, ranges);
    return st == ST_OK && ranges->failed ? diag_nomem(dg) : st;
}

static enum status remove_file(const char *path, struct diag *dg)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return ST_OK;
    return diag_errno(dg, ST_SYSTEM, path, errno, "cannot remove the part");
}

enum status part_set_remove(const struct part_set *s, struct diag *dg)
{
    enum status st = ST_OK;

    for (unsigned turn = 0; turn <= s->first.files; turn++) /* the records first */
        for (uint64_t part = 0; part < s->first.parts && st == ST_OK; part++) {
            char *path = path_of(s, part, turn == 0 ? RECORD_FILES : turn - 1);

            st = path ? remove_file(path, dg) : diag_nomem(dg);
            free(path);
        }
    for (unsigned i = 0; i < s->n && st == ST_OK; i++)
        if (is_folder(s->paths[i]))
            (void)rmdir(s->paths[i]); /* stays where something else is in it */
    return st;
}

void part_set_close(struct part_set *s)
{
    for (size_t i = 0; s->windows && i < s->slots; i++)
        if (s->windows[i].key)
            close_window(&s->windows[i]);
    free(s->windows);
    free(s->v);
}
