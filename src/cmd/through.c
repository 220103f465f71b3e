#include "cmd/through.h"

#include <stdlib.h>

#include "base/mem.h"
#include "cmd/bind.h"
#include "desc/schema.h"

enum {
    WINDOW = 4 << 20,     /* bytes of an input that comes through a pipe */
    ADVISE_MIN = 1 << 20, /* bytes: less is read at once */
};

struct through {
    struct job *j;
    struct slice_parts parts;
    struct input *input;
    uint64_t at;           /* bytes of data taken from a pipe */
    unsigned char *window; /* owned: those of them that the part needs */
    uint64_t window_bytes;
    void *block;           /* owned: the output of a part */
    uint64_t block_bytes;
};

bool through_allowed(const struct job *j)
{
    const struct timing_args *timing = &j->args.timing;

    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && j->oc->op == OP_SLICE1 && !timing->timings &&
           timing->repeat == 0 && timing->min_time < 0 && timing->warmup == 0 && j->args.layout == LAYOUT_LOGICAL &&
           !j->emit_only && !j->args.emit_model &&
           !(j->args.descriptor && j->desc.tensor[SLOT_IN].has_strides);
}

enum status through_plan(struct job *j, struct diag *dg)
{
    struct binding *b = &j->in[SLOT_IN];
    const uint64_t *sizes = j->desc.tensor[SLOT_OUT].sizes;
    enum status st;

    j->through = through_allowed(j) && job_output_format(j, j->out_path[SLOT_OUT]) == FORMAT_NPY &&
                 (b->file.input.more ? !b->file.header.fortran : true) &&
                 slice_parts_plan(&j->parts, &j->desc, &b->view, sizes, b->file.input.more ? WINDOW : 0);
    if (j->through || !b->file.input.more)
        return ST_OK;
    st = tensor_file_finish(&b->file, dg);
    b->view.data = b->file.tensor.data;
    return st;
}

static enum status make_room(void **p, uint64_t *have, uint64_t want, struct diag *dg)
{
    if (want <= *have)
        return ST_OK;
    free(*p);
    *have = 0;
    *p = mem_alloc_aligned(want, 1);
    if (!*p)
        return diag_nomem(dg);
    *have = want;
    return ST_OK;
}

/* Takes from the pipe what the part needs; NULL at its end, which tensor_file_end will report. */
static enum status fill_window(struct through *t, const struct slice_part *part, const unsigned char **data,
                               struct diag *dg)
{
    uint64_t got, bytes = part->high - part->low;
    void *window = t->window;
    enum status st = make_room(&window, &t->window_bytes, bytes, dg);

    t->window = window;
    *data = NULL;
    if (st == ST_OK)
        st = input_read(t->input, NULL, part->low - t->at, &got, dg);
    if (st)
        return st;
    t->at += got;
    if (t->at < part->low)
        return ST_OK;
    st = input_read(t->input, t->window, bytes, &got, dg);
    t->at += got;
    if (got == bytes)
        *data = t->window;
    return st;
}

/* input: the bytes that the part needs. */
static enum status compute_part(struct through *t, const struct slice_part *part, const void *input, struct diag *dg)
{
    struct op_plan *plan;
    enum status st = make_room(&t->block, &t->block_bytes, part->bytes, dg);

    if (st == ST_OK)
        st = slice_part_plan_new(&plan, &t->parts, part, input, t->block, &t->j->exec, dg);
    if (st)
        return st;
    op_plan_run(plan);
    op_plan_free(plan);
    return outputs_write(&t->j->outs, t->j->out_index[SLOT_OUT], t->block, (size_t)part->bytes, dg);
}

/* Says which kernel runs; refuses one that cannot, though nothing may be left for it to do. */
static enum status check_kernel(struct through *t, struct diag *dg)
{
    struct slice_part part;
    struct op_plan *plan;
    enum status st;

    slice_part_at(&t->parts, 0, &part);
    st = slice_part_plan_new(&plan, &t->parts, &part, NULL, NULL, &t->j->exec, dg);
    if (st)
        return st;
    job_note_kernel(t->j, plan, dg);
    op_plan_free(plan);
    return ST_OK;
}

static enum status run_part(struct through *t, const struct slice_part *part, struct diag *dg)
{
    const struct job *j = t->j;
    const struct tensor_file *f = &j->in[SLOT_IN].file;
    const unsigned char *data = j->in[SLOT_IN].view.data;
    size_t index = j->out_index[SLOT_OUT];
    bool as_it_is = t->parts.contiguous && !f->tensor.swapped;
    enum status st;

    if (!t->input->more && as_it_is && t->input->mapped && f->format == FORMAT_NPY && !f->values)
        return outputs_copy(&t->j->outs, index, data + part->low, (size_t)part->bytes, t->input->fd,
                            input_offset(t->input) + f->header.data_offset + part->low, dg);
    if (!t->input->more && as_it_is)
        return outputs_write(&t->j->outs, index, data + part->low, (size_t)part->bytes, dg);
    if (!t->input->more)
        return compute_part(t, part, data + part->low, dg);
    st = fill_window(t, part, &data, dg);
    if (st)
        return st;
    if (!data)
        return tensor_file_end(&t->j->in[SLOT_IN].file, t->at, dg);
    if (as_it_is)
        return outputs_write(&t->j->outs, index, data, (size_t)part->bytes, dg);
    return compute_part(t, part, data, dg);
}

/* How the pages of a mapped input will be read: a slice that takes a good part of them, front to back, or little pieces. */
static void advise(const struct through *t)
{
    const struct tensor_file *f = &t->j->in[SLOT_IN].file;
    struct slice_part whole;
    uint64_t span;

    if (!t->input->mapped || f->format != FORMAT_NPY || f->values)
        return;
    slice_part_whole(&t->parts, &whole);
    span = whole.high - whole.low;
    if (span >= ADVISE_MIN && whole.bytes >= span / 4)
        input_advise(t->input, (size_t)(f->header.data_offset + whole.low), (size_t)span, true);
    else if (span >= ADVISE_MIN && !t->parts.contiguous && whole.bytes < span / 64)
        input_advise(t->input, (size_t)(f->header.data_offset + whole.low), (size_t)span, false);
}

enum status through_run(struct job *j, struct diag *dg)
{
    struct through t = { .j = j, .parts = j->parts, .input = &j->in[SLOT_IN].file.input };
    bool piped = t.input->more;
    struct slice_part part;
    enum status st;

    t.input->consumed = (size_t)j->in[SLOT_IN].file.header.data_offset;
    j->out[SLOT_OUT].is_bool = j->in[SLOT_IN].view.is_bool;
    advise(&t);
    st = check_kernel(&t, dg);
    if (st == ST_OK)
        st = tensor_file_write_header(&j->outs, j->out_index[SLOT_OUT], &j->out[SLOT_OUT], dg);
    for (uint64_t i = 0; i < t.parts.count && st == ST_OK; i++) {
        slice_part_at(&t.parts, i, &part);
        st = run_part(&t, &part, dg);
        progress_add(&j->progress, part.bytes);
    }
    if (st == ST_OK && piped)
        st = tensor_file_end(&j->in[SLOT_IN].file, t.at, dg);
    free(t.window);
    free(t.block);
    return st;
}
