#include "part/tensor.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "desc/schema.h"
#include "io/npy.h"
#include "os/file.h"
#include "part/merge.h"

struct part_tensor {
    struct tensor_source source; /* first, so that a pointer to it is one to the part_tensor */
    struct part_set set;
    char *folder; /* owned; set.paths points here */
    unsigned file;
    struct part_merger *merger;
    struct str header;
};

static const char indices_suffix[] = ":indices";

static bool has_records(const char *folder)
{
    DIR *d = opendir(folder);
    const struct dirent *e;
    uint64_t part, parts;
    bool found = false;

    while (d && !found && (e = readdir(d)))
        found = record_name_read(e->d_name, &part, &parts);
    if (d)
        closedir(d);
    return found;
}

/* If the path names parts, sets their folder, without trailing slashes, and the file (RECORD_FILES)
 * of each part; else returns false. */
static bool find_parts(const char *path, char folder[PATH_MAX], unsigned *file)
{
    size_t n = strlen(path), suffix = sizeof indices_suffix - 1;

    *file = n > suffix && strcmp(path + n - suffix, indices_suffix) == 0 && access(path, F_OK) != 0;
    n -= *file ? suffix : 0;
    while (n > 1 && strchr(os_separators, path[n - 1]))
        n--;
    if (strcmp(path, "-") == 0 || n >= PATH_MAX)
        return false;
    memcpy(folder, path, n);
    folder[n] = '\0';
    return part_is_folder(folder) && (path_has_extension(folder, ".parts") || has_records(folder));
}

bool part_tensor_is(const char *path)
{
    char folder[PATH_MAX];
    unsigned file;

    return find_parts(path, folder, &file);
}

enum status part_tensor_check_output(const char *path, const char *output, struct diag *dg)
{
    char folder[PATH_MAX];
    unsigned file;

    return output && find_parts(path, folder, &file) ? part_check_output(folder, output, dg)
                                                     : ST_OK;
}

/* True if a path, or FILE of FILE:NAME, is the regular file that st describes. */
static bool is_file(const char *path, const struct stat *st)
{
    char file[PATH_MAX], *colon;
    struct stat own = { .st_mode = 0 };

    snprintf(file, sizeof file, "%s", strcmp(path, "-") == 0 ? "/dev/stdin" : path);
    while (stat(file, &own) != 0 && (colon = path_last_colon(file)))
        *colon = '\0';
    return S_ISREG(own.st_mode) && own.st_dev == st->st_dev && own.st_ino == st->st_ino;
}

enum status part_tensor_check_other(const char *path, const char *output, struct diag *dg)
{
    const char *file = output && strcmp(output, "-") == 0 ? "/dev/stdout" : output;
    struct stat to;

    if (path && file && stat(file, &to) == 0 && is_file(path, &to))
        return diag_error(dg, ST_USAGE, file, "is an input, too; give another file");
    return path ? part_tensor_check_output(path, output, dg) : ST_OK;
}

char *part_tensor_file(const char *path)
{
    char name[PATH_MAX];
    const char *extension;
    unsigned file;

    if (!find_parts(path, name, &file))
        return mem_strdup(path);
    if (path_has_extension(name, ".parts"))
        name[strlen(name) - strlen(".parts")] = '\0';
    extension = file == 0 ? name + strlen(name) : path_extension(name);
    return str_format("%.*s%s%s", (int)(extension - name), name, file == 0 ? "" : ".indices",
                      extension);
}

/* A window, and the box of it that is copied next: [at, at + n) on each axis. */
struct gather {
    struct part_set *s;
    unsigned file;
    const struct tensor_window *w;
    char *to;
    uint64_t at[DML_MAX_RANK], n[DML_MAX_RANK];
    struct diag *dg;
};

/* The index in the whole of index i of the window. */
static uint64_t index_at(const struct tensor_window *w, unsigned axis, uint64_t i)
{
    return w->start[axis] + i * (uint64_t)w->step[axis]; /* modulo 2^64; the result fits the axis */
}

/* Copies the box from packed data of these sizes; its first element is element number `offset`. */
static void copy_box(const struct gather *g, const char *data, uint64_t offset,
                     const uint64_t *sizes)
{
    unsigned rank = g->s->job.shape.rank;
    struct tensor to = { .type = g->s->job.type[g->file], .rank = rank }, from;
    int64_t size = (int64_t)dtype_size(to.type), step = 1, at = 0;

    for (unsigned i = 0; i < rank; i++) {
        to.sizes[i] = g->n[i];
        to.strides[i] = g->w->stride[i];
        at += (int64_t)g->at[i] * g->w->stride[i];
    }
    to.data = g->to + at * size;
    from = to;
    for (unsigned i = rank; i-- > 0; step *= (int64_t)sizes[i])
        from.strides[i] = step * g->w->step[i];
    from.data = (char *)(uintptr_t)data + (int64_t)offset * size; /* only read */
    tensor_copy(&to, &from);
}

/* Copies the box, which lies in one part. */
static enum status copy_from_part(const struct gather *g)
{
    const struct share_shape *shape = &g->s->job.shape;
    uint64_t c[DML_MAX_RANK], part;
    struct share share;
    const char *data;
    enum status st;

    for (unsigned i = 0; i < shape->rank; i++)
        c[i] = index_at(g->w, i, g->at[i]);
    part = share_part_of(shape, &g->s->job.grid, c, shape->rank);
    st = part_set_data(g->s, part, g->file, &data, g->dg);
    if (st)
        return st;
    share_at(shape, &g->s->job.grid, part, &share);
    copy_box(g, data, share_offset(shape, &share, c, shape->rank), share.sizes);
    return ST_OK;
}

/* Number of indices of the window, from i on, in the same piece of the axis. */
static uint64_t in_piece(const struct gather *g, unsigned axis, uint64_t i)
{
    uint64_t size = g->s->job.shape.sizes[axis], pieces = share_pieces(&g->s->job.grid, axis);
    uint64_t at = index_at(g->w, axis, i), step = i64_magnitude(g->w->step[axis]), from, to;

    if (pieces == 1 || step == 0)
        return g->w->count[axis] - i;
    share_bounds(size, pieces, share_piece(size, pieces, at), &from, &to);
    return u64_min(g->w->count[axis] - i,
                   1 + (g->w->step[axis] > 0 ? to - 1 - at : at - from) / step);
}

/* Copies all boxes that differ only in this axis and the axes after it. */
static enum status copy_axis(struct gather *g, unsigned axis)
{
    enum status st = ST_OK;

    if (axis == g->s->job.shape.rank)
        return copy_from_part(g);
    for (uint64_t i = 0; i < g->w->count[axis] && st == ST_OK; i += g->n[axis]) {
        g->at[axis] = i;
        g->n[axis] = in_piece(g, axis, i);
        st = copy_axis(g, axis + 1);
    }
    return st;
}

/* Copies from one merged block after the other. */
static enum status copy_merged(struct gather *g, struct part_merger *merger)
{
    const struct share_shape *shape = &g->s->job.shape;
    uint64_t c[DML_MAX_RANK] = { 0 }, sizes[DML_MAX_RANK], offset = 0;
    unsigned along = shape->along;
    char *const *data;
    enum status st;

    for (unsigned i = 0; i < shape->rank; i++) {
        sizes[i] = i < along ? 1 : shape->sizes[i];
        g->n[i] = i < along ? 1 : g->w->count[i];
        if (i >= along)
            offset = offset * shape->sizes[i] + g->w->start[i];
    }
    do {
        for (unsigned i = 0; i < along; i++)
            c[i] = index_at(g->w, i, g->at[i]);
        st = part_merger_block(merger, c, &data);
        if (st == ST_OK)
            copy_box(g, data[g->file], offset, sizes);
    } while (st == ST_OK && tensor_next(along, g->w->count, g->at));
    return st;
}

/* Only parts with elements of the window are read, whole if checksums are compared. */
static enum status read_window(struct tensor_source *s, const struct tensor_window *w, void *to)
{
    struct part_tensor *p = (struct part_tensor *)s;
    struct gather g = { .s = &p->set, .file = p->file, .w = w, .to = to, .dg = s->dg };

    p->set.unchecked = !s->all;
    return p->merger ? copy_merged(&g, p->merger) : copy_axis(&g, 0);
}

static void close_parts(struct tensor_source *s)
{
    struct part_tensor *p = (struct part_tensor *)s;

    part_merger_free(p->merger);
    part_set_close(&p->set);
    str_free(&p->header);
    free(p->folder);
    free(p);
}

static enum status load(struct part_tensor *p, const char *path, const char *folder,
                        struct diag *dg)
{
    const struct part_job *job = &p->set.job;
    enum status st;

    p->folder = mem_strdup(folder);
    if (!p->folder)
        return diag_nomem(dg);
    p->set = (struct part_set){ .paths = &p->folder, .n = 1, .name = path, .unchecked = true };
    st = part_set_load(&p->set, dg);
    if (st)
        return st;
    if (p->file >= job->files)
        return diag_error(dg, ST_INPUT, path, "the parts have no indices; those of topk have");
    npy_format_header(&p->header, job->type[p->file], p->file == 0 && p->set.is_bool,
                      job->shape.rank, job->shape.sizes);
    if (p->header.failed)
        return diag_nomem(dg);
    if (!part_is_merged(job))
        return ST_OK;
    return part_merger_new(&p->merger, &p->set, (const bool[]){ p->file == 0, p->file == 1 }, dg);
}

static enum status begin_parts(struct tensor_file *f, const char *path, const char *folder,
                               unsigned file, struct diag *dg)
{
    struct part_tensor *p = mem_zalloc(1, sizeof *p);
    enum status st;

    *f = (struct tensor_file){ .input = { .fd = -1 } };
    if (!p)
        return diag_nomem(dg);
    p->source = (struct tensor_source){ .read = read_window, .close = close_parts };
    p->file = file;
    st = load(p, path, folder, dg);
    if (st) {
        close_parts(&p->source);
        return st;
    }
    diag_note(dg, path, "%llu part%s of DML_OPERATOR_%s", (unsigned long long)p->set.job.parts,
              p->set.job.parts == 1 ? "" : "s", op_schema(p->set.job.op)->name);
    st = tensor_file_from(f, path, &p->header, &p->source, dg);
    if (st)
        tensor_file_close(f);
    return st;
}

enum status part_tensor_begin(struct tensor_file *f, const char *path, enum dtype json_type,
                              int threads, struct diag *dg)
{
    char folder[PATH_MAX];
    unsigned file;

    return find_parts(path, folder, &file) ? begin_parts(f, path, folder, file, dg)
                                           : tensor_file_begin(f, path, json_type, threads, dg);
}
