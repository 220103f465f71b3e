#include "io/notes.h"

void note_tensor_file(const char *path, const struct tensor_file *f, struct diag *dg)
{
    const struct tensor *t = &f->tensor;
    char sizes[TENSOR_SIZES_TEXT];

    tensor_sizes_text(sizes, t->rank, t->sizes);
    if (f->format == FORMAT_NPY)
        diag_note(dg, path, "%s %s, .npy version %u.%u, %s order", dtype_name(t->type), sizes,
                  f->header.major, f->header.minor, f->header.fortran ? "Fortran" : "C");
    else
        diag_note(dg, path, "%s %s, JSON%s", dtype_name(t->type), sizes,
                  f->typed ? "" : " that does not name its type");
}

void warn_dtype(const char *path, enum dtype asked, enum dtype type, struct diag *dg)
{
    if (asked != DT_NONE && asked != type)
        diag_warn(dg, path,
                  "--dtype %s is ignored: the tensor is %s; 'dmlop convert --dtype' converts it",
                  dtype_name(asked), dtype_name(type));
}

struct members {
    const char *archive;
    enum status (*each)(void *context, const char *path, const struct npz_member *m,
                        struct diag *dg);
    void *context;
    size_t arrays;     /* read, or refused with a message */
    enum status worst; /* of these */
    struct diag *dg;
};

static enum status visit_member(void *context, const struct npz_member *m)
{
    struct members *all = context;
    struct str path = { 0 };
    enum status st = ST_OK;

    npz_add_path(&path, all->archive, m);
    if (path.failed)
        st = diag_nomem(all->dg);
    else if (m->file.is_npy)
        st = all->each(all->context, path.s, m, all->dg);
    else if (npz_is_folder(m->name))
        st = ST_OK;
    else if (m->foreign)
        diag_warn(all->dg, path.s, "%s", m->error);
    else
        st = diag_error(all->dg, ST_INPUT, path.s, "%s", m->error);
    all->arrays += m->file.is_npy || st == ST_INPUT;
    str_free(&path);
    if (st == ST_INPUT) /* go on with the others */
        all->worst = st;
    return st == ST_INPUT ? ST_OK : st;
}

enum status members_each(const char *archive,
                         enum status (*each)(void *context, const char *path,
                                             const struct npz_member *m, struct diag *dg),
                         void *context, struct diag *dg)
{
    struct members all = { .archive = archive, .each = each, .context = context, .dg = dg };
    enum status st = npz_list(archive, visit_member, &all, dg);

    if (st == ST_OK && all.arrays == 0)
        st = diag_error(dg, ST_INPUT, archive, "there is no array in the archive");
    return st ? st : all.worst;
}
