#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "part/record_file.h"
#include "part/set_files.h"

static void add_range(struct str *ranges, uint64_t from, uint64_t to)
{
    str_printf(ranges, "%s%" PRIu64, ranges->len ? "," : "", from);
    if (to > from)
        str_printf(ranges, "-%" PRIu64, to);
}

uint64_t part_set_ranges(const struct part_entry *v, uint64_t parts, struct str *ranges)
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
        st = part_is_folder(s->paths[i]) ? look_in_folder(s, s->paths[i], parts, dg)
                                    : look(s->v, parts, s->paths[i], dg);
    *missing = part_set_ranges(s->v, parts, ranges);
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
            char *path = part_set_path(s, part, turn == 0 ? RECORD_FILES : turn - 1);

            st = path ? remove_file(path, dg) : diag_nomem(dg);
            free(path);
        }
    for (unsigned i = 0; i < s->n && st == ST_OK; i++)
        if (part_is_folder(s->paths[i]))
            (void)rmdir(s->paths[i]); /* stays where something else is in it */
    return st;
}
