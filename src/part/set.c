#include "part/set.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"

enum { WINDOWS = 1 << 15 /* half of the mappings that Linux allows a process */ };

/* Handles the record at a path, which operand number `source` names or contains. */
typedef enum status visit_fn(struct part_set *s, const char *path, unsigned source,
                             struct diag *dg);

/* Calls visit for an operand's record, or for each record path of a folder with that many parts. */
static enum status visit_operand(struct part_set *s, unsigned source, uint64_t parts,
                                 visit_fn *visit, struct diag *dg)
{
    enum status st = ST_OK;

    if (!part_is_folder(s->paths[source]))
        return visit(s, s->paths[source], source, dg);
    for (uint64_t i = 0; i < parts && st == ST_OK; i++) {
        char name[RECORD_NAME], *path;

        path = str_format("%s/%s", s->paths[source], record_name(name, i, parts, RECORD_FILES));
        st = path ? visit(s, path, source, dg) : diag_nomem(dg);
        free(path);
    }
    return st;
}

static enum status begin(struct part_set *s, const struct part_job *job, struct diag *dg)
{
    s->job = *job;
    s->slots = (size_t)u64_min(job->parts * job->files, WINDOWS);
    s->v = mem_zalloc(job->parts, sizeof *s->v);
    s->windows = mem_zalloc(s->slots, sizeof *s->windows);
    return s->v && s->windows ? ST_OK : diag_nomem(dg);
}

static enum status report_twice(const struct part_set *s, uint64_t part, const char *path,
                                struct diag *dg)
{
    char *other = part_set_path(s, part, RECORD_FILES);
    enum status st =
        other ? diag_error(dg, ST_INPUT, NULL, "part %" PRIu64 " twice: %s, %s", part, other, path)
              : diag_nomem(dg);

    free(other);
    return st;
}

static void add_up(uint64_t *sum, uint64_t v)
{
    if (!u64_add(*sum, v, sum))
        *sum = UINT64_MAX;
}

/* Adds the part of a sound record. */
static enum status add(struct part_set *s, const struct record *r, const char *path,
                       unsigned source, struct diag *dg)
{
    char error[RECORD_ERROR];
    enum status st = s->v ? ST_OK : begin(s, &r->job, dg);

    if (st)
        return st;
    if (!record_same_job(&r->job, &s->job)) {
        record_difference(&r->job, &s->job, error);
        return diag_error(dg, ST_INPUT, path, "part %" PRIu64 " is of another job: %s", r->part,
                          error);
    }
    if (s->v[r->part].source)
        return report_twice(s, r->part, path, dg);
    if (!record_is_share(r, error))
        return part_damaged(r->part, path, error, dg);
    s->v[r->part] = (struct part_entry){ source + 1, r->phases.compute, r->host };
    st = part_set_check_files(s, r, dg);
    s->found++;
    add_up(&s->work.bytes_in, r->work.bytes_in);
    add_up(&s->work.bytes_out, r->work.bytes_out);
    add_up(&s->work.operations, r->work.operations);
    return st;
}

static enum status load_record(struct part_set *s, const char *path, unsigned source,
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
    return path == s->paths[source] ? diag_errno(dg, ST_INPUT, path, ENOENT, "cannot open") : ST_OK;
}

/* Sets *parts to the number of parts in the names of a folder's records; 0 if there are none. */
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
                          "; remove the parts of one",
                          of_most, most, least);
    return ST_OK;
}

/* Adds the ranges of missing parts; returns how many are missing. */
static uint64_t add_ranges(const struct part_entry *v, uint64_t parts, struct str *ranges)
{
    uint64_t missing = 0;

    for (uint64_t i = 0; i < parts; i++) {
        uint64_t from = i;

        if (v[i].source)
            continue;
        while (i + 1 < parts && !v[i + 1].source)
            i++;
        str_printf(ranges, "%s%" PRIu64, ranges->len ? "," : "", from);
        if (i > from)
            str_printf(ranges, "-%" PRIu64, i);
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
        return diag_error(dg, ST_INPUT, s->name ? s->name : s->paths[0],
                          "there is no record of a part");
    missing = add_ranges(s->v, s->job.parts, &ranges);
    if (ranges.failed)
        st = diag_nomem(dg);
    else if (missing)
        st = diag_error(dg, ST_INPUT, s->name, "%" PRIu64 " of %" PRIu64 " part%s missing: %s",
                        missing, s->job.parts, s->job.parts == 1 ? " is" : "s are", ranges.s);
    str_free(&ranges);
    return st;
}

enum status part_set_load(struct part_set *s, struct diag *dg)
{
    enum status st = ST_OK;

    for (unsigned i = 0; i < s->n && st == ST_OK; i++) {
        uint64_t parts = 0;

        if (part_is_folder(s->paths[i]))
            st = count_parts(s->paths[i], &parts, dg);
        if (st == ST_OK)
            st = visit_operand(s, i, parts, load_record, dg);
    }
    return st ? st : check_complete(s, dg);
}

/* Marks the part of a record as found. An unsound record is only reported by -v. */
static enum status find_part(struct part_set *s, const char *path, unsigned source, struct diag *dg)
{
    char error[RECORD_ERROR];
    enum part_found found;
    bool there = false;
    struct record r;
    enum status st = part_record_read(&r, path, &found, error, dg);

    if (st == ST_OK && found == PART_UNSOUND)
        diag_note(dg, path, "%s", error);
    if (st == ST_OK && found == PART_SOUND && r.job.parts == s->job.parts)
        st = part_files_there(&r, path, &there, dg);
    if (there)
        s->v[r.part].source = source + 1;
    return st;
}

enum status part_set_missing(struct part_set *s, uint64_t parts, struct str *ranges,
                             uint64_t *missing, struct diag *dg)
{
    enum status st = ST_OK;

    s->job.parts = parts;
    s->v = mem_zalloc(parts, sizeof *s->v);
    if (!s->v)
        return diag_nomem(dg);
    for (unsigned i = 0; i < s->n && st == ST_OK; i++)
        st = visit_operand(s, i, parts, find_part, dg);
    *missing = add_ranges(s->v, parts, ranges);
    return st == ST_OK && ranges->failed ? diag_nomem(dg) : st;
}
