#include "part/set.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "part/record_file.h"
#include "part/set_files.h"

enum { WINDOWS = 1 << 15 /* a process may have twice as many mappings */ };

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
    char *other = part_set_path(s, part, RECORD_FILES);
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
        return part_damaged(r->part, path, error, dg);
    s->v[r->part] = (struct part_entry){ source + 1, r->times.compute_ns, r->host };
    st = part_set_check_files(s, r, dg);
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

static enum status check_complete(const struct part_set *s, struct diag *dg)
{
    struct str ranges = { 0 };
    enum status st = ST_OK;
    uint64_t missing;

    if (!s->v)
        return diag_error(dg, ST_INPUT, s->name ? s->name : s->paths[0],
                          "there is no record of a part");
    missing = part_set_ranges(s->v, s->first.parts, &ranges);
    if (ranges.failed)
        st = diag_nomem(dg);
    else if (missing)
        st = diag_error(dg, ST_INPUT, s->name, "%" PRIu64 " of %" PRIu64 " part%s missing: %s",
                        missing, s->first.parts, s->first.parts == 1 ? " is" : "s are", ranges.s);
    str_free(&ranges);
    return st;
}

enum status part_set_load(struct part_set *s, struct diag *dg)
{
    enum status st = ST_OK;

    for (unsigned i = 0; i < s->n && st == ST_OK; i++) {
        uint64_t parts = 0;

        if (!part_is_folder(s->paths[i])) {
            st = add_path(s, s->paths[i], i, true, dg);
            continue;
        }
        st = count_parts(s->paths[i], &parts, dg);
        if (st == ST_OK)
            st = add_folder(s, i, parts, dg);
    }
    return st ? st : check_complete(s, dg);
}
