#include "part/tensor.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "desc/schema.h"
#include "io/npy.h"
#include "part/gather.h"
#include "part/set_files.h"

/* What reads a set of parts. */
struct part_tensor {
    struct tensor_source source; /* the first member */
    struct part_set set;
    char *folder; /* owned; set.paths points to it */
    unsigned file;
    struct part_merger *merger;
    struct str header;
};

static const char indices_suffix[] = ":indices";

/* The folder that a path of parts names, owned by the caller; *file is which of their files. NULL
 * where memory is short. */
static char *folder_of(const char *path, unsigned *file)
{
    size_t n = strlen(path), suffix = sizeof indices_suffix - 1;
    char *folder = mem_strdup(path);

    *file = 0;
    if (!folder || n <= suffix || strcmp(path + n - suffix, indices_suffix) != 0 ||
        access(path, F_OK) == 0)
        return folder;
    folder[n - suffix] = '\0';
    *file = 1;
    return folder;
}

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

static bool is_parts(char *folder)
{
    size_t n = strlen(folder);

    if (!part_is_folder(folder))
        return false;
    while (n > 1 && folder[n - 1] == '/')
        folder[--n] = '\0';
    return path_has_extension(folder, ".parts") || has_records(folder);
}

bool part_tensor_is(const char *path)
{
    unsigned file;
    char *folder = strcmp(path, "-") == 0 ? NULL : folder_of(path, &file);
    bool parts = folder && is_parts(folder);

    free(folder);
    return parts;
}

char *part_tensor_file(const char *path)
{
    unsigned file;
    char *name = folder_of(path, &file), *with;
    const char *extension;

    if (!name || !is_parts(name)) {
        free(name);
        return mem_strdup(path);
    }
    if (path_has_extension(name, ".parts"))
        name[strlen(name) - strlen(".parts")] = '\0';
    if (file == 0)
        return name;
    extension = path_extension(name);
    with = str_format("%.*s.indices%s", (int)(extension - name), name, extension);
    free(name);
    return with;
}

static enum status read_window(struct tensor_source *s, const struct tensor_window *w, void *to)
{
    struct part_tensor *p = (struct part_tensor *)s;

    return part_gather(&p->set, p->file, p->merger, w, to, s->dg);
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

static enum status load(struct part_tensor *p, const char *path, struct diag *dg)
{
    const struct record *first = &p->set.first;
    enum status st;

    p->folder = folder_of(path, &p->file);
    if (!p->folder)
        return diag_nomem(dg);
    p->set.paths = &p->folder;
    p->set.n = 1;
    p->set.name = path;
    p->set.unchecked = true;
    st = part_set_load(&p->set, dg);
    if (st)
        return st;
    if (p->file >= first->files)
        return diag_error(dg, ST_INPUT, path, "the parts have no indices; those of topk have");
    npy_format_header(&p->header, p->file == 0 ? first->type : first->index_type,
                      p->file == 0 && p->set.is_bool, first->shape.rank, first->shape.sizes);
    if (p->header.failed)
        return diag_nomem(dg);
    if (!part_is_merged(first))
        return ST_OK;
    return part_merger_new(&p->merger, &p->set, (const bool[]){ p->file == 0, p->file == 1 }, dg);
}

static enum status begin_parts(struct tensor_file *f, const char *path, struct diag *dg)
{
    struct part_tensor *p = mem_zalloc(1, sizeof *p);
    enum status st;

    *f = (struct tensor_file){ .input = { .fd = -1 } };
    if (!p)
        return diag_nomem(dg);
    p->source = (struct tensor_source){ .read = read_window, .close = close_parts };
    st = load(p, path, dg);
    if (st) {
        close_parts(&p->source);
        return st;
    }
    diag_note(dg, path, "%llu part%s of DML_OPERATOR_%s", (unsigned long long)p->set.first.parts,
              p->set.first.parts == 1 ? "" : "s", op_schemas[p->set.first.op].name);
    st = tensor_file_from(f, path, &p->header, &p->source, dg);
    if (st)
        tensor_file_close(f);
    return st;
}

enum status part_tensor_begin(struct tensor_file *f, const char *path, enum dtype json_type,
                              int threads, struct diag *dg)
{
    return part_tensor_is(path) ? begin_parts(f, path, dg)
                                : tensor_file_begin(f, path, json_type, threads, dg);
}

enum status part_tensor_read(struct tensor_file *f, const char *path, enum dtype json_type,
                             int threads, struct diag *dg)
{
    enum status st = part_tensor_begin(f, path, json_type, threads, dg);

    if (st == ST_OK)
        st = tensor_file_finish(f, dg);
    if (st)
        tensor_file_close(f);
    return st;
}
