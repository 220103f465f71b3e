#include "part/record_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

static bool is_regular(const char *path)
{
    struct stat st;

    return stat(path, &st) != 0 || S_ISREG(st.st_mode); /* none at all fails where it is opened */
}

enum status part_file_open(struct input *in, const char *path, struct diag *dg)
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
