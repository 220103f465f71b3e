#include "part/set.h"

#include <errno.h>

#include "base/mem.h"

enum { WINDOWS = 1 << 15 /* half of the mappings that Linux allows a process */ };

/* Handles the record at a path, which operand number `source` names or contains. */
typedef enum status visit_fn(struct part_set *s, const char *path, unsigned source,
                             struct diag *dg);

/* Calls visit for an operand's record, or each in its folder, of that many parts (0: any). */
static enum status visit_operand(struct part_set *s, unsigned source, uint64_t parts,
                                 visit_fn *visit, struct diag *dg)
{
    const char *folder = s->paths[source];
    uint64_t *v = NULL;
    enum status st;
    size_t n = 0;

    if (!part_is_folder(folder))
        return visit(s, folder, source, dg);
    st = part_list(folder, SIZE_MAX, &parts, &v, &n, dg);
    for (size_t i = 0; i < n && st == ST_OK; i++) {
        char name[RECORD_NAME], *path;

        path = str_format("%s/%s", folder, record_name(name, v[i], parts, RECORD_FILES));
        st = path ? visit(s, path, source, dg) : diag_nomem(dg);
        free(path);
    }
    free(v);
    return st;
}

static enum status report_twice(const struct part_set *s, uint64_t part, const char *path,
                                struct diag *dg)
{
    char *other = part_set_path(s, part, RECORD_FILES);
    enum status st =
        other ? diag_input(dg, NULL, "part %ju twice: %s, %s", part, other, path) : diag_nomem(dg);

    free(other);
    return st;
}

static enum status add(struct part_set *s, const struct record *r, const char *path,
                       unsigned source, struct diag *dg)
{
    char error[RECORD_ERROR];
    enum status st;

    if (!s->v) {
        s->job = r->job;
        s->slots = (size_t)u64_min(r->job.parts * r->job.files, WINDOWS);
        s->v = mem_zalloc(r->job.parts, sizeof *s->v);
        s->windows = mem_zalloc(s->slots, sizeof *s->windows);
        if (!s->v || !s->windows)
            return diag_nomem(dg);
    }
    if (!record_same_job(&r->job, &s->job, error))
        return diag_input(dg, path, "part %ju is of another job: %s", r->part, error);
    if (s->v[r->part].source)
        return report_twice(s, r->part, path, dg);
    s->v[r->part] = (struct part_entry){
        source + 1, { false }, { r->file[0].xxh3, r->file[1].xxh3 }, r->phases.compute, r->host
    };
    st = record_is_share(r, error) ? part_set_check_files(s, r, dg)
                                   : part_damaged(r->part, path, error, dg);
    if (st == ST_INPUT && !s->unreadable) { /* compute it again */
        s->damaged = true;
        s->v[r->part].source = 0;
        return ST_OK;
    }
    s->found++;
    s->work.bytes_in = u64_add_most(s->work.bytes_in, r->work.bytes_in);
    s->work.bytes_out = u64_add_most(s->work.bytes_out, r->work.bytes_out);
    s->work.operations = u64_add_most(s->work.operations, r->work.operations);
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
    if (found == PART_UNSOUND) {
        s->damaged = true;
        return diag_error(dg, ST_OK, path, "%s", error);
    }
    return part_is_folder(s->paths[source]) /* a file of it is gone meanwhile */
               ? ST_OK
               : diag_errno(dg, ST_INPUT, path, ENOENT, "cannot open");
}

uint64_t part_set_ranges(const struct part_set *s, struct str *ranges)
{
    const struct part_entry *v = s->v;
    uint64_t missing = 0, parts = s->job.parts;

    for (uint64_t i = 0; i < parts; i++) {
        uint64_t from = i;

        if (v[i].source)
            continue;
        while (i + 1 < parts && !v[i + 1].source)
            i++;
        str_printf(ranges, "%s%ju", ranges->len ? "," : "", from);
        if (i > from)
            str_printf(ranges, "-%ju", i);
        missing += i - from + 1;
    }
    return missing;
}

static enum status check_complete(const struct part_set *s, struct diag *dg)
{
    struct str ranges = { 0 };
    enum status st = s->damaged ? ST_INPUT : ST_OK;
    uint64_t missing = part_set_ranges(s, &ranges);

    if (ranges.failed)
        st = diag_nomem(dg);
    else if (missing)
        st = diag_input(dg, NULL, "%ju of %ju part%s missing%s: %s%s", missing, s->job.parts,
                        s->job.parts == 1 ? " is" : "s are", s->damaged ? " or damaged" : "",
                        ranges.s,
                        s->damaged ? "; compute them again with --part I/N, without --resume or "
                                     "with --resume --checksums"
                                   : "");
    str_free(&ranges);
    return st;
}

enum status part_set_read(struct part_set *s, struct diag *dg)
{
    enum status st = ST_OK;

    for (unsigned i = 0; i < s->n && st == ST_OK; i++)
        st = visit_operand(s, i, 0, load_record, dg);
    return st || s->v ? st
                      : diag_input(dg, s->paths[0], "there is no %srecord of a part",
                                   s->damaged ? "sound " : "");
}

enum status part_set_load(struct part_set *s, struct diag *dg)
{
    enum status st = part_set_read(s, dg);

    return st ? st : check_complete(s, dg);
}

/* Marks the part of a record as found. An unsound record is only reported by -v. */
static enum status find_part(struct part_set *s, const char *path, unsigned source, struct diag *dg)
{
    char error[RECORD_ERROR];
    enum part_found found;
    bool complete = false;
    struct record r;
    enum status st = part_record_read(&r, path, &found, error, dg);

    if (st == ST_OK && found == PART_UNSOUND)
        diag_note(dg, path, "%s", error);
    if (st == ST_OK && found == PART_SOUND && r.job.parts == s->job.parts)
        st = part_files_there(&r, path, !s->unchecked, &complete, dg);
    if (complete)
        s->v[r.part].source = source + 1;
    return st;
}

enum status part_set_find(struct part_set *s, uint64_t parts, struct diag *dg)
{
    enum status st = ST_OK;

    s->job.parts = parts;
    s->v = mem_zalloc(parts, sizeof *s->v);
    if (!s->v)
        return diag_nomem(dg);
    for (unsigned i = 0; i < s->n && st == ST_OK; i++)
        st = visit_operand(s, i, parts, find_part, dg);
    return st;
}
