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

void note_member(struct members_seen *seen, const char *path, const struct npz_member *m,
                 struct diag *dg)
{
    if (npz_is_folder(m->name))
        return;
    if (m->foreign) {
        diag_warn(dg, path, "%s", m->error);
        return;
    }
    seen->arrays++;
    seen->worst = diag_error(dg, ST_INPUT, path, "%s", m->error);
}

enum status members_status(const struct members_seen *seen, const char *archive, struct diag *dg)
{
    return seen->arrays > 0 ? seen->worst
                            : diag_error(dg, ST_INPUT, archive, "there is no array in the archive");
}
