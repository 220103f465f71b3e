#include "part/set_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/mem.h"
#include "base/path.h"
#include "io/npy.h"
#include "part/record_file.h"

bool part_is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *part_set_path(const struct part_set *s, uint64_t part, unsigned file)
{
    const char *source = s->paths[s->v[part].source - 1];
    char name[RECORD_NAME];

    record_name(name, part, s->first.parts, file);
    if (part_is_folder(source))
        return str_format("%s/%s", source, name);
    return file == RECORD_FILES ? mem_strdup(source) : path_beside(source, name);
}

enum status part_damaged(uint64_t part, const char *path, const char *what, struct diag *dg)
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
        return part_damaged(part, w->path, "the file is not a sound .npy", dg);
    if (h.type != (file == 0 ? first->type : first->index_type) ||
        npy_is_big_endian(h.type, h.swapped) || h.fortran || h.rank != rank ||
        memcmp(h.sizes, sizes, rank * sizeof sizes[0]) != 0 ||
        w->input.len - h.data_offset != h.data_bytes)
        return part_damaged(part, w->path, "the file does not hold the part's share", dg);
    if (file == 0 && s->found > 0 && h.is_bool != s->is_bool)
        return part_damaged(part, w->path, "the file has another type than the parts before it",
                            dg);
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
    w->path = part_set_path(s, part, file);
    if (!w->path)
        return diag_nomem(dg);
    st = part_file_open(&w->input, w->path, dg);
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

enum status part_set_check_files(struct part_set *s, const struct record *r, struct diag *dg)
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
        if (!s->unchecked && digest_of(w->input.data, w->input.len) != r->file[i].xxh3)
            return part_damaged(r->part, w->path, "checksum differs", dg);
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
