#include "cmd/stream.h"

#include <stdlib.h>

#include "base/mem.h"

enum {
    WINDOW = 4 << 20,     /* bytes of an input that comes through a pipe */
    ADVISE_MIN = 1 << 20, /* bytes: less is read at once */
};

/* A buffer that grows. */
struct room {
    void *p; /* owned */
    uint64_t bytes;
};

struct stream {
    const struct request *request;
    const struct slice_parts *parts;
    struct inputs *in;
    struct loaded *source; /* of in: the slice's input */
    struct results *out;
    struct result *target; /* of out: the slice's output */
    uint64_t at;           /* bytes of data read from a pipe */
    struct room window;    /* those of them that the part needs */
    struct room block;     /* the output of a part */
};

bool stream_plan(struct slice_parts *parts, const struct request *rq, const struct inputs *in)
{
    const struct loaded *l = &in->v[SLOT_IN];
    bool piped = l->file.input.more;

    return request_may_stream(rq, &in->desc) &&
           request_format(rq, rq->out[SLOT_OUT], l->file.format) == FORMAT_NPY &&
           !(piped && l->file.header.fortran) &&
           slice_parts_plan(parts, &in->desc, &l->view, in->desc.tensor[SLOT_OUT].sizes,
                            piped ? WINDOW : 0);
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

/* Reads from the pipe what the part needs; *data is NULL at its end, which tensor_file_end will
 * report. */
static enum status fill_window(struct stream *s, const struct slice_part *part,
                               const unsigned char **data, struct diag *dg)
{
    uint64_t got, bytes = part->high - part->low;
    struct input *input = &s->source->file.input;
    enum status st = make_room(&s->window, bytes, dg);

    *data = NULL;
    if (st == ST_OK)
        st = input_read(input, NULL, part->low - s->at, &got, dg);
    if (st)
        return st;
    s->at += got;
    if (s->at < part->low)
        return ST_OK;
    st = input_read(input, s->window.p, bytes, &got, dg);
    s->at += got;
    if (got == bytes)
        *data = s->window.p;
    return st;
}

/* input: the bytes that the part needs. */
static enum status compute_part(struct stream *s, const struct slice_part *part, const void *input,
                                struct diag *dg)
{
    struct op_plan *plan;
    enum status st = make_room(&s->block, part->bytes, dg);

    if (st == ST_OK)
        st = slice_part_plan_new(&plan, s->parts, part, input, s->block.p, &s->request->exec, dg);
    if (st)
        return st;
    op_plan_run(plan);
    op_plan_free(plan);
    return outputs_write(&s->out->files, s->target->file, s->block.p, (size_t)part->bytes, dg);
}

/* Says which kernel runs; refuses one that cannot, though nothing may be left for it to do. */
static enum status check_kernel(struct stream *s, struct diag *dg)
{
    struct slice_part part;
    struct op_plan *plan;
    enum status st;

    slice_part_at(s->parts, 0, &part);
    st = slice_part_plan_new(&plan, s->parts, &part, NULL, NULL, &s->request->exec, dg);
    if (st)
        return st;
    request_note_kernel(s->request, &s->in->desc, plan, dg);
    op_plan_free(plan);
    return ST_OK;
}

static enum status run_part(struct stream *s, const struct slice_part *part, struct diag *dg)
{
    struct tensor_file *f = &s->source->file;
    const unsigned char *data = s->source->view.data;
    bool as_it_is = s->parts->contiguous && !f->tensor.swapped;
    enum status st = ST_OK;

    if (!f->input.more && as_it_is && f->input.mapped && f->format == FORMAT_NPY && !f->values)
        return outputs_copy(&s->out->files, s->target->file, data + part->low, (size_t)part->bytes,
                            f->input.fd,
                            input_offset(&f->input) + f->header.data_offset + part->low, dg);
    if (f->input.more) {
        st = fill_window(s, part, &data, dg);
        if (st)
            return st;
        if (!data)
            return tensor_file_end(f, s->at, dg);
    } else
        data += part->low;
    if (as_it_is)
        return outputs_write(&s->out->files, s->target->file, data, (size_t)part->bytes, dg);
    return compute_part(s, part, data, dg);
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

enum status stream_run(const struct slice_parts *parts, const struct request *rq, struct inputs *in,
                       struct results *out, struct progress *progress, struct diag *dg)
{
    struct stream s = { .request = rq, .parts = parts, .in = in, .source = &in->v[SLOT_IN],
                        .out = out, .target = &out->v[SLOT_OUT] };
    struct tensor_file *f = &s.source->file;
    bool piped = f->input.more;
    struct slice_part part;
    enum status st;

    f->input.consumed = (size_t)f->header.data_offset;
    s.target->view.is_bool = s.source->view.is_bool;
    advise(&s);
    st = check_kernel(&s, dg);
    if (st == ST_OK)
        st = tensor_file_write_header(&out->files, s.target->file, &s.target->view, dg);
    for (uint64_t i = 0; i < parts->count && st == ST_OK; i++) {
        slice_part_at(parts, i, &part);
        st = run_part(&s, &part, dg);
        progress_add(progress, part.bytes);
    }
    if (st == ST_OK && piped)
        st = tensor_file_end(f, s.at, dg);
    free(s.window.p);
    free(s.block.p);
    return st;
}
