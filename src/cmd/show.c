#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/option_groups.h"
#include "cli/print.h"
#include "cmd/commands.h"
#include "io/kind.h"
#include "io/npz.h"
#include "io/tensor_file.h"
#include "op/slice/slice_view.h"
#include "part/tensor.h"
#include "run/show_print.h"
#include "run/show_value.h"
#include "run/window.h"

enum {
    EDGE_MOST = 1000000,
    PIPE_ELEMENTS = 1 << 16, /* more than that are not picked out of a pipe */
    ADVISE_MIN = 1 << 20,    /* bytes: less is read at once */
};

struct show_args {
    struct common_args common;
    const char *index;
    bool all;
    long edge, precision;
    enum dtype json_type;
};

static const struct option_row rows[] = {
    OPT_TEXT(0, "index", struct show_args, index, "SPEC",
             "show a part, selected by NumPy's basic slicing, for example '1:4, ::-2, 3, ...'"),
    OPT_FLAG(0, "all", struct show_args, all,
             "show every element (default: up to 1000 elements; of more, the ends of each axis)"),
    OPT_NUMBER("edge", struct show_args, edge, 1, EDGE_MOST, 0, "N",
               "show N indices at both ends of each axis (default: 3)"),
    OPT_NUMBER("precision", struct show_args, precision, 0, SHOW_PRECISION_MOST, SHOW_EXACT, "N",
               "round to N digits after the decimal point (default: exact)"),
    OPT_GROUP(json_type_options, struct show_args, json_type),
    OPT_GROUP(common_options, struct show_args, common),
    OPT_EXCLUDES("all", "", "edge"),
    OPT_END,
};

static const struct usage usage = {
    "show", "[OPTIONS] [--index SPEC] FILE...",
    "Prints tensors as DirectML's documentation does, in columns that fit the terminal. FILE may be"
    " '-', FILE.npz:NAME, or a folder FILE.parts.", rows, NULL,
};

/* A file, and what of it is shown. */
struct show_job {
    const struct show_args *a;
    struct tensor_file file;
    struct tensor view;
    int64_t first; /* element of the file that the view begins with */
    struct show_layout layout;
    void *picked;  /* owned: the elements that are shown, where they came through a pipe */
    struct diag *dg;
};

/* The part of the tensor that --index names, as a view without data. */
static enum status set_view(struct show_job *j)
{
    const struct tensor *t = &j->file.tensor;
    struct desc d = { .op = OP_SLICE1 };
    struct window w = { .offsets = { 0 } };
    enum status st;

    j->view = *t;
    if (!j->a->index)
        return ST_OK;
    if (t->rank > DML_MAX_RANK)
        return diag_error(j->dg, ST_INPUT, j->file.input.path,
                          "--index supports tensors of up to %d dimensions, but this has %u",
                          DML_MAX_RANK, t->rank);
    st = window_from_index(j->a->index, t->rank, t->sizes, &w, j->dg);
    if (st)
        return st;
    window_set(&w, &d);
    if (!slice_view(&d, t, w.output, &j->view, &j->first))
        return diag_error(j->dg, ST_INPUT, j->file.input.path,
                          "the array's sizes are too large");
    return ST_OK;
}

/* The elements that are picked out of a pipe. */
struct show_pick {
    struct show_job *j;
    unsigned char *to; /* the next one */
    size_t size;
    uint64_t read;     /* bytes of the data */
    enum status st;
};

static bool pick(void *context, int64_t at)
{
    struct show_pick *p = context;
    struct show_job *j = p->j;
    uint64_t from = (uint64_t)(j->first + at) * p->size, got;

    p->st = input_read(&j->file.input, NULL, from - p->read, &got, j->dg);
    p->read += got;
    if (p->st || p->read < from)
        return false;
    p->st = input_read(&j->file.input, p->to, p->size, &got, j->dg);
    p->read += got;
    p->to += p->size;
    return p->st == ST_OK && got == p->size;
}

/* Reads a pipe to its end and keeps the elements that are shown. */
static enum status pick_elements(struct show_job *j)
{
    struct show_pick p = { .j = j, .size = dtype_size(j->view.type) };

    j->picked = p.to = mem_alloc(j->layout.count, p.size);
    if (!j->picked)
        return diag_nomem(j->dg);
    j->file.input.consumed = (size_t)j->file.header.data_offset;
    show_layout_walk(&j->layout, pick, &p);
    if (p.st == ST_OK) /* which also says what is missing */
        p.st = tensor_file_end(&j->file, p.read, j->dg);
    j->view.data = j->picked;
    show_layout_pack(&j->layout);
    return p.st;
}

/* Sets the view's data: all that is mapped, what is shown of a pipe. */
static enum status set_data(struct show_job *j)
{
    struct tensor_file *f = &j->file;
    enum status st = ST_OK;

    if (f->input.more && j->layout.count <= PIPE_ELEMENTS && show_layout_ascends(&j->layout))
        return pick_elements(j);
    if (!f->source) /* of parts what is shown is read when it is shown */
        st = tensor_file_finish(f, j->dg);
    if (st)
        return st;
    if (f->input.mapped && f->format == FORMAT_NPY && f->header.data_bytes >= ADVISE_MIN &&
        j->layout.count < f->count / 64)
        input_advise(&f->input, (size_t)f->header.data_offset, (size_t)f->header.data_bytes, false);
    if (j->layout.count > 0)
        j->view.data =
            (unsigned char *)f->tensor.data + j->first * (int64_t)dtype_size(f->tensor.type);
    return ST_OK;
}

static enum status print_view(struct show_job *j)
{
    struct outputs outs = { .n = 0 };
    struct str name = { 0 };
    enum status st = outputs_add(&outs, "-", j->dg);

    str_puts(&name, shown_path(j->file.input.path));
    if (j->a->index)
        str_printf(&name, *j->a->index == '[' ? "%s" : "[%s]", j->a->index);
    if (st == ST_OK && name.failed)
        st = diag_nomem(j->dg);
    if (st == ST_OK)
        st = show_print(&outs, 0, name.s, &j->view, &j->layout, (int)j->a->precision, j->dg);
    if (st == ST_OK)
        st = tensor_file_intact(&j->file, j->dg);
    if (st == ST_OK)
        st = outputs_commit(&outs, j->dg);
    outputs_close(&outs);
    str_free(&name);
    return st;
}

static enum status show_file(struct show_job *j, const char *path)
{
    const struct show_options options = { .all = j->a->all, .edge = (uint64_t)j->a->edge };
    enum status st = (part_tensor_is(path) ? part_tensor_begin : tensor_file_begin_unaligned)(
        &j->file, path, j->a->json_type, 0, j->dg);
    uint64_t count;

    if (st)
        return st;
    note_tensor_file(path, &j->file, j->dg);
    if (j->file.typed)
        warn_dtype(path, j->a->json_type, j->file.tensor.type, j->dg);
    st = set_view(j);
    if (st == ST_OK) {
        show_layout_make(&j->layout, &j->view, &options);
        st = set_data(j);
    }
    if (st == ST_OK)
        st = print_view(j);
    if (st == ST_OK && j->layout.elided && tensor_count(j->view.rank, j->view.sizes, &count))
        diag_note(j->dg, path, "%" PRIu64 " of %" PRIu64 " elements are shown; --all shows all",
                  j->layout.count, count);
    free(j->picked);
    tensor_file_close(&j->file);
    return st;
}

struct show_archive {
    const struct show_args *a;
    const char *path;
    struct members_seen seen;
    struct diag *dg;
};

static enum status show_member(void *context, const struct npz_member *m)
{
    struct show_archive *archive = context;
    struct show_job j = { .a = archive->a, .dg = archive->dg };
    struct str path = { 0 };
    enum status st = ST_OK;

    npz_add_path(&path, archive->path, m);
    archive->seen.arrays += m->file.is_npy;
    if (path.failed)
        st = diag_nomem(j.dg);
    else if (m->file.is_npy)
        st = show_file(&j, path.s);
    else
        note_member(&archive->seen, path.s, m, j.dg);
    str_free(&path);
    if (st == ST_INPUT) /* the others are shown all the same */
        archive->seen.worst = st;
    return st == ST_INPUT ? ST_OK : st;
}

/* A file, or all arrays of an archive. */
static enum status show_path(const struct show_args *a, const char *path, struct diag *dg)
{
    struct show_archive archive = { .a = a, .path = path, .dg = dg };
    struct show_job j = { .a = a, .dg = dg };
    bool is_archive;
    enum status st = kind_is_npz(path, &is_archive, dg);

    if (st || !is_archive)
        return st ? st : show_file(&j, path);
    st = npz_list(path, show_member, &archive, dg);
    return st ? st : members_status(&archive.seen, path, dg);
}

enum status cmd_show(int argc, char **argv, struct diag *dg)
{
    struct show_args a = { .index = NULL };
    enum status worst = ST_OK, st;

    if (!command_begin(&usage, &a, &argc, &argv, &st, dg))
        return st;
    if (argc == 0) {
        diag_error(dg, ST_USAGE, NULL, "no file is given");
        return usage_hint(dg);
    }
    for (int i = 0; i < argc && worst != ST_SYSTEM; i++) {
        st = show_path(&a, argv[i], dg);
        worst = st > worst ? st : worst;
    }
    return worst;
}
