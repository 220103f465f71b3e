#include "base/mem.h"
#include "cli/print.h"
#include "cli/show.h"
#include "cmd/commands.h"
#include "io/kind.h"
#include "io/npz.h"
#include "os/file.h"
#include "op/slice/slice_pieces.h"
#include "run/operator.h"

enum {
    EDGE_MOST = 1000000,
    PIPE_ELEMENTS = 1 << 16, /* the most that are picked out of a pipe */
    ADVISE_MIN = 1 << 20,    /* bytes; a smaller file is read at once */
};

struct show_args {
    struct common_args common;
    const char *index;
    bool all;
    long edge, precision;
    struct reading reading;
};

#include "cmd/show_rows.h"

/* A file and the part of it that is shown. */
struct show_job {
    const struct show_args *a;
    struct tensor_file file;
    struct tensor view;
    int64_t first; /* element of the file at which the view begins */
    struct show_layout layout;
    /* Picking elements out of a pipe: */
    void *picked;      /* owned: the elements that are shown */
    unsigned char *to; /* the next of them */
    enum status st;
    struct diag *dg;
};

/* Makes a view without data, of the part that --index selects. */
static enum status set_view(struct show_job *j)
{
    const struct tensor *t = &j->file.tensor;
    struct desc d = { .op = OP_SLICE1 };
    enum status st;

    j->view = *t;
    if (!j->a->index)
        return ST_OK;
    if (t->rank > DML_MAX_RANK)
        return diag_input(j->dg, j->file.input.path,
                          "--index supports tensors of up to %d dimensions, but this has %u",
                          DML_MAX_RANK, t->rank);
    st = window_from_index(j->a->index, t->rank, t->sizes, &d, j->dg);
    if (st)
        return st;
    if (!slice_view(&d, t, d.tensor[SLOT_OUT].sizes, &j->view, &j->first))
        return diag_input(j->dg, j->file.input.path, "the array's sizes are too large");
    return ST_OK;
}

static bool pick(void *context, int64_t at)
{
    struct show_job *j = context;
    uint64_t size = dtype_size(j->view.type), got;
    uint64_t from = j->file.header.data_offset + (uint64_t)(j->first + at) * size;

    j->st = input_read(&j->file.input, from, j->to, size, &got, j->dg);
    j->to += size;
    return j->st == ST_OK && got == size;
}

/* Reads a pipe to its end and keeps the elements that are shown. */
static enum status pick_elements(struct show_job *j)
{
    j->picked = j->to = mem_alloc(j->layout.count, dtype_size(j->view.type));
    if (!j->picked)
        return diag_nomem(j->dg);
    show_layout_walk(&j->layout, pick, j);
    if (j->st == ST_OK) /* reports missing elements, too */
        j->st = tensor_file_end(&j->file, j->dg);
    j->view.data = j->picked;
    show_layout_pack(&j->layout);
    return j->st;
}

/* Sets the data of the view: the whole file, or the elements that are shown of a pipe. */
static enum status set_data(struct show_job *j)
{
    struct tensor_file *f = &j->file;
    enum status st = ST_OK;

    if (f->input.more && j->layout.count <= PIPE_ELEMENTS && show_layout_ascends(&j->layout))
        return pick_elements(j);
    if (f->input.more)
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
    const char *path = shown_path(j->file.input.path);
    struct outputs outs = { .n = 0 };
    struct str name = { 0 };
    enum status st = outputs_add(&outs, "-", j->dg);

    if (strchr("[{", *path)) /* a title, not JSON, which "//" would be, too */
        str_puts(&name, "./");
    while (!os_separators[1] && path[0] == '/' && path[1] == '/')
        path++;
    str_puts(&name, path);
    if (j->a->index)
        str_printf(&name, *j->a->index == '[' ? "%s" : "[%s]", j->a->index);
    if (st == ST_OK && name.failed)
        st = diag_nomem(j->dg);
    st = st ? st : show_print(outs.v[0], name.s, &j->view, &j->layout, (int)j->a->precision, j->dg);
    st = st ? st : input_intact(&j->file.input, j->dg);
    st = st ? st : outputs_commit(&outs, j->dg);
    outputs_close(&outs);
    str_free(&name);
    return st;
}

/* Shows a file, or an array of an archive: members_visit. */
static enum status show_file(void *args, const char *path, const struct npz_member *member,
                             struct diag *dg)
{
    const struct show_args *a = args;
    struct show_job j = { .a = a, .dg = dg };
    enum status st = reading_begin(&j.file, path, &a->reading, 0, dg);
    uint64_t count;

    (void)member;
    if (st)
        return st;
    note_tensor_file(path, &j.file, dg);
    if (j.file.typed)
        warn_dtype(path, a->reading.type, j.file.tensor.type, dg);
    st = set_view(&j);
    if (st == ST_OK) {
        show_layout_make(&j.layout, &j.view, a->all, (uint64_t)a->edge);
        st = set_data(&j);
    }
    st = st ? st : print_view(&j);
    if (st == ST_OK && j.layout.elided && tensor_count(j.view.rank, j.view.sizes, &count))
        diag_note(dg, path, "%ju of %ju elements are shown; --all shows all", j.layout.count,
                  count);
    free(j.picked);
    tensor_file_close(&j.file);
    return st;
}

enum status cmd_show(int argc, char **argv, struct diag *dg)
{
    struct show_args a = { .index = NULL };
    enum status worst = ST_OK, st;

    if (!command_begin(show_options, &a, &argc, &argv, &st, dg))
        return st;
    if (!input_given(&argc, &argv))
        return usage_error(dg, "no file is given");
    st = reading_parse(&a.reading, dg);
    if (st)
        return st;
    for (int i = 0; i < argc && worst != ST_SYSTEM; i++) {
        bool archive; /* all arrays of it are shown */

        st = kind_is_npz(argv[i], &archive, dg);
        if (st == ST_OK)
            st = archive && !a.reading.array ? members_each(argv[i], show_file, &a, dg)
                                             : show_file(&a, argv[i], NULL, dg);
        worst = st > worst ? st : worst;
    }
    return worst;
}
