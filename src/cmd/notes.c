#include "cmd/notes.h"

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
