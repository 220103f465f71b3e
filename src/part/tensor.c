#include "part/tensor.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* The folder that a path of parts names, without slashes after it; *file is which of their files.
 * False for a path that is too long to be one. */
static bool split(const char *path, char folder[PATH_MAX], unsigned *file)
{
    size_t n = strlen(path), suffix = sizeof indices_suffix - 1;

    *file = n > suffix && strcmp(path + n - suffix, indices_suffix) == 0 && access(path, F_OK) != 0;
    n -= *file ? suffix : 0;
    while (n > 1 && path[n - 1] == '/')
        n--;
    if (n >= PATH_MAX)
        return false;
    memcpy(folder, path, n);
    folder[n] = '\0';
    return true;
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

/* The same where it is a folder of parts; else false. */
static bool find_parts(const char *path, char folder[PATH_MAX], unsigned *file)
{
    return strcmp(path, "-") != 0 && split(path, folder, file) && part_is_folder(folder) &&
           (path_has_extension(folder, ".parts") || has_records(folder));
}

bool part_tensor_is(const char *path)
{
    char folder[PATH_MAX];
    unsigned file;

    return find_parts(path, folder, &file);
}

bool part_tensor_in(const char *path, const char *folder)
{
    char parts[PATH_MAX];
    struct stat a, b;
    unsigned file;

    return find_parts(path, parts, &file) && stat(parts, &a) == 0 && stat(folder, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
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

static enum status load(struct part_tensor *p, const char *path, const char *folder,
                        struct diag *dg)
{
    const struct record *first = &p->set.first;
    enum status st;

    p->folder = mem_strdup(folder);
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
    char folder[PATH_MAX];
    unsigned file;

    return find_parts(path, folder, &file)
               ? begin_parts(f, path, folder, file, dg)
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
