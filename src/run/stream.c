#include "run/stream.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/parallel.h"

enum {
    WINDOW = 4 << 20,     /* bytes of an input that comes through a pipe */
    ADVISE_MIN = 1 << 20, /* bytes: less is read at once */
    PIPE_THREADS = 4,     /* no pipe brings more than these work on */
};

/* A buffer that grows. */
struct room {
    void *p; /* owned */
    uint64_t bytes;
};

/* What a thread has of its own: the part at hand. */
struct stream_lane {
    struct slice_part part;
    struct op_plan *plan;      /* owned; NULL: the part is written as it is */
    const unsigned char *data; /* the bytes of the input that the part needs */
    struct room window;        /* these, where they come through a pipe */
    struct room block;         /* the output of the part */
};

struct stream {
    const struct slice_parts *parts;
    int threads;              /* that have a part each */
    struct op_exec exec;      /* of a part */
    struct loaded *source;    /* the slice's input */
    struct results *out;
    struct result *target;    /* of out: the slice's output */
    struct progress *progress;
    uint64_t at;              /* bytes of data read from a pipe */
    struct stream_lane *lanes; /* [threads] */
    enum status st;
    struct diag *dg;
};

bool stream_plan(struct slice_parts *parts, const struct request *rq, const struct inputs *in)
{
    const struct loaded *l = &in->v[SLOT_IN];
    bool piped = l->file.input.more;

    return request_may_stream(rq, &in->desc) && !request_is_shown(rq, rq->out[SLOT_OUT]) &&
           request_format(rq, rq->out[SLOT_OUT], l->file.format) == FORMAT_NPY &&
           !(piped && l->file.header.fortran) &&
           slice_parts_plan(parts, &in->desc, &l->view, in->desc.tensor[SLOT_OUT].sizes,
                            piped ? WINDOW : l->view.feed ? SLICE_PARTS_READ : 0);
}

static enum status make_room(struct room *r, uint64_t want, struct diag *dg)
{
    if (want <= r->bytes)
        return ST_OK;
    free(r->p);
    r->bytes = 0;
    r->p = mem_alloc_aligned(want, 1);
    if (!r->p)
        return diag_nomem(dg);
    r->bytes = want;
    return ST_OK;
}

/* Reads from the pipe what the part needs. */
static enum status fill_window(struct stream *s, struct stream_lane *l)
{
    const struct slice_part *part = &l->part;
    uint64_t got, bytes = part->high - part->low;
    struct input *input = &s->source->file.input;
    enum status st = make_room(&l->window, bytes, s->dg);

    if (st == ST_OK)
        st = input_read(input, NULL, part->low - s->at, &got, s->dg);
    if (st)
        return st;
    s->at += got;
    if (s->at < part->low)
        return tensor_file_end(&s->source->file, s->at, s->dg);
    st = input_read(input, l->window.p, bytes, &got, s->dg);
    s->at += got;
    l->data = l->window.p;
    return st || got == bytes ? st : tensor_file_end(&s->source->file, s->at, s->dg);
}

/* Whether parts are pieces of the input that need no kernel. */
static bool as_they_are(const struct stream *s)
{
    return s->parts->contiguous && !s->source->file.tensor.swapped;
}

/* Whether the input is parts of a job: elements are copied from there to where they go. */
static bool is_gathered(const struct stream *s)
{
    return s->source->view.feed != NULL;
}

static enum status gather_part(struct stream *s, struct stream_lane *l)
{
    struct tensor view = slice_part_view(s->parts, &l->part, s->source->view.data);
    enum status st = make_room(&l->block, l->part.bytes, s->dg);

    return st ? st : tensor_source_copy(s->source->file.source, &view, l->block.p);
}

static enum status begin_part(struct stream *s, struct stream_lane *l, uint64_t number)
{
    enum status st = ST_OK;

    slice_part_at(s->parts, number, &l->part);
    if (is_gathered(s))
        return gather_part(s, l);
    if (s->source->file.input.more)
        st = fill_window(s, l);
    else
        l->data = (const unsigned char *)s->source->view.data + l->part.low;
    if (st || as_they_are(s))
        return st;
    st = make_room(&l->block, l->part.bytes, s->dg);
    if (st)
        return st;
    return slice_part_plan_new(&l->plan, s->parts, &l->part, l->data, l->block.p, &s->exec, s->dg);
}

static enum status write_part(struct stream *s, struct stream_lane *l)
{
    const struct tensor_file *f = &s->source->file;
    size_t bytes = (size_t)l->part.bytes;
    bool in_file = f->input.mapped && f->format == FORMAT_NPY && !f->values;

    if (!as_they_are(s))
        return outputs_write(&s->out->files, s->target->file, l->block.p, bytes, s->dg);
    if (!in_file || f->input.more)
        return outputs_write(&s->out->files, s->target->file, l->data, bytes, s->dg);
    return outputs_copy(&s->out->files, s->target->file, l->data, bytes, f->input.fd,
                        input_offset(&f->input) + f->header.data_offset + l->part.low, s->dg);
}

/* The steps of struct parallel_steps. */

static bool begin_step(void *context, uint64_t part, int thread)
{
    struct stream *s = context;

    s->st = begin_part(s, &s->lanes[thread], part);
    return s->st == ST_OK;
}

static void compute_step(void *context, uint64_t part, int thread)
{
    const struct stream *s = context;

    (void)part;
    if (s->lanes[thread].plan)
        op_plan_run(s->lanes[thread].plan);
}

static bool write_step(void *context, uint64_t part, int thread)
{
    struct stream *s = context;
    struct stream_lane *l = &s->lanes[thread];

    (void)part;
    op_plan_free(l->plan);
    l->plan = NULL;
    s->st = write_part(s, l);
    progress_add(s->progress, l->part.bytes);
    return s->st == ST_OK;
}

/* Says which kernel runs; refuses one that cannot, though nothing may be left for it to do. */
static enum status check_kernel(struct stream *s, const struct desc *d, int threads)
{
    struct slice_part part;
    struct op_plan *plan;
    enum status st;

    slice_part_at(s->parts, 0, &part);
    st = slice_part_plan_new(&plan, s->parts, &part, NULL, NULL, &s->exec, s->dg);
    if (st)
        return st;
    if (threads < op_plan_threads(plan))
        threads = op_plan_threads(plan);
    request_note_kernel(d, op_plan_kernel(plan), threads, s->dg);
    op_plan_free(plan);
    return ST_OK;
}

/* How the pages of a mapped input will be read: a slice that takes a good part of them, front to
 * back, or little pieces. */
static void advise(const struct stream *s)
{
    const struct tensor_file *f = &s->source->file;
    struct slice_part whole;
    uint64_t span;

    if (!f->input.mapped || f->format != FORMAT_NPY || f->values)
        return;
    slice_part_whole(s->parts, &whole);
    span = whole.high - whole.low;
    if (span >= ADVISE_MIN && whole.bytes >= span / 4)
        input_advise(&f->input, (size_t)(f->header.data_offset + whole.low), (size_t)span, true);
    else if (span >= ADVISE_MIN && !s->parts->contiguous && whole.bytes < span / 64)
        input_advise(&f->input, (size_t)(f->header.data_offset + whole.low), (size_t)span, false);
}

static void run_parts(void *context)
{
    static const struct parallel_steps steps = { begin_step, compute_step, write_step };
    struct stream *s = context;

    (void)parallel_pipeline(s->parts->count, s->threads, &steps, s);
}

/* Threads have a part each where there are parts enough; else all work on one. */
static int choose_threads(struct stream *s, const struct op_exec *exec)
{
    struct slice_part whole;
    int n;

    slice_part_whole(s->parts, &whole);
    n = as_they_are(s) ? 1 : parallel_threads_for(exec->threads, whole.high - whole.low);
    if ((s->source->file.input.more || is_gathered(s)) && n > PIPE_THREADS)
        n = PIPE_THREADS;
    s->exec = (struct op_exec){ .threads = 1,
                                .kernel = exec->kernel,
                                .prefetch =
                                    prefetch_for_copy(exec->prefetch, whole.high - whole.low) };
    s->threads = n;
    if (s->parts->count < (uint64_t)n) {
        s->exec.threads = n;
        s->threads = 1;
    }
    return n;
}

enum status stream_run(const struct slice_parts *parts, const struct request *rq, struct inputs *in,
                       struct results *out, struct progress *progress, struct diag *dg)
{
    struct stream s = { .parts = parts, .source = &in->v[SLOT_IN], .out = out,
                        .target = &out->v[SLOT_OUT], .progress = progress, .dg = dg };
    struct tensor_file *f = &s.source->file;
    bool piped = f->input.more;
    int threads = choose_threads(&s, &rq->exec);

    f->input.consumed = (size_t)f->header.data_offset;
    s.target->view.is_bool = s.source->view.is_bool;
    advise(&s);
    s.lanes = mem_zalloc((uint64_t)s.threads, sizeof *s.lanes);
    s.st = s.lanes ? check_kernel(&s, &in->desc, threads) : diag_nomem(dg);
    if (s.st == ST_OK)
        s.st = tensor_file_write_header(&out->files, s.target->file, &s.target->view, dg);
    if (s.st == ST_OK)
        parallel_region(threads, run_parts, &s);
    if (s.st == ST_OK && piped)
        s.st = tensor_file_end(f, s.at, dg);
    for (int i = 0; s.lanes && i < s.threads; i++) {
        op_plan_free(s.lanes[i].plan);
        free(s.lanes[i].window.p);
        free(s.lanes[i].block.p);
    }
    free(s.lanes);
    return s.st;
}
