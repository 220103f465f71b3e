#include "run/job.h"

enum {
    PIPE_WINDOW = 4 << 20, /* bytes of a piped input that a piece may need */
    PAGE = 4096,           /* the smallest page; larger ones are touched several times */
};

static uint64_t tensor_bytes(const struct desc *d, bool output)
{
    uint64_t bytes = 0, n;

    for (const struct field *f = op_schema(d->op)->fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && d->tensor[f->slot].present && f->output == output &&
            tensor_count(d->tensor[f->slot].rank, d->tensor[f->slot].sizes, &n))
            bytes += n * dtype_size(d->tensor[f->slot].type);
    return bytes;
}

/* Decides on streaming, and how the slice is cut into pieces. */
static bool plan_stream(struct plan *p, const struct request *rq, const struct tensor_file *f)
{
    const struct tensor *view = &p->view[SLOT_IN];
    const char *path = rq->out[SLOT_OUT];
    bool piped = f->input.more;

    return request_may_stream(rq, &p->desc) && !output_is_shown(path, rq->args->files.format) &&
           request_format(rq, path, f->format) == FORMAT_NPY && !(piped && f->header.fortran) &&
           slice_pieces_plan(&p->pieces, &p->desc, view, p->desc.tensor[SLOT_OUT].sizes,
                             piped ? PIPE_WINDOW : 0);
}

/* The elements of its input that the slice selects. */
static struct tensor selected(const struct desc *d, const struct tensor *input)
{
    struct tensor view = *input;
    int64_t first;

    (void)slice_view(d, input, d->tensor[SLOT_OUT].sizes, &view, &first); /* fits: all elements */
    view.data = (char *)input->data + first * (int64_t)dtype_size(view.type); /* have addresses */
    return view;
}

/* Reads the pages of a view that is not empty, without pages between its rows. */
static void read_view(const struct tensor *t)
{
    uint64_t span = dtype_size(t->type), c[TENSOR_MAX_RANK] = { 0 };
    unsigned n = t->rank;
    int64_t low = 0; /* the lowest byte of a row, from its first element */

    for (; n > 0; n--) { /* no page lies between indices of the axes from n on */
        int64_t step = t->strides[n - 1] * (int64_t)dtype_size(t->type);
        uint64_t reach = (t->sizes[n - 1] - 1) * i64_magnitude(step);

        if (i64_magnitude(step) >= span + PAGE)
            break;
        span += reach;
        low -= step < 0 ? (int64_t)reach : 0;
    }
    do {
        const volatile unsigned char *row = (const unsigned char *)tensor_at(t, c) + low;

        for (uint64_t at = 0; at < span; at += PAGE)
            (void)row[at];
        (void)row[span - 1];
    } while (tensor_next(n, t->sizes, c));
}

/* Reads what comes through a pipe, and before times are taken the pages of mapped
 * inputs; of a slice's input those with selected elements. */
static enum status read_rest(struct plan *p, const struct request *rq, struct inputs *in,
                             struct diag *dg)
{
    struct tensor_file *first = &in->v[SLOT_IN].file;
    enum status st = ST_OK;

    if (first->input.more) { /* a pipe */
        st = tensor_file_finish(first, dg);
        p->view[SLOT_IN].data = first->tensor.data;
    }
    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK && rq->args->timing.timings; s++) {
        const struct loaded *l = &in->v[s];
        struct tensor view = p->view[s];

        if (!l->file.input.mapped || l->file.format != FORMAT_NPY || l->owned)
            continue; /* in memory already */
        if (op_schema(p->desc.op)->run.copies_part)
            view = selected(&p->desc, &view);
        read_view(&view);
    }
    return st;
}

enum status plan_make(struct plan *p, const struct request *rq, struct inputs *in,
                      struct timings *times, struct diag *dg)
{
    uint64_t start;
    enum status st;

    p->desc = in->desc;
    for (unsigned s = 0; s < SLOT_COUNT; s++)
        p->view[s] = in->v[s].view;
    times->work.bytes_out = tensor_bytes(&p->desc, true);
    times->work.bytes_in = tensor_bytes(&p->desc, false);
    p->streamed = plan_stream(p, rq, &in->v[SLOT_IN].file);
    if (p->streamed) {
        times->work.operations = times->work.bytes_out / dtype_size(p->desc.tensor[SLOT_OUT].type);
        return ST_OK;
    }
    start = clock_ns();
    st = read_rest(p, rq, in, dg);
    times->phases.load += clock_ns() - start;
    return st;
}

void plan_note_kernel(const struct plan *p, const char *kernel, int threads, struct diag *dg)
{
    diag_note(dg, NULL, "running DML_OPERATOR_%s with kernel %s on at most %d thread%s",
              op_schema(p->desc.op)->name, kernel, threads, threads == 1 ? "" : "s");
}
