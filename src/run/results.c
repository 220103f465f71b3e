#include "run/results.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "desc/emit.h"
#include "run/emit_model.h"
#include "run/judge.h"
#include "run/preload.h"
#include "run/show_print.h"

/* An --emit option's file: without a name, standard output. */
static enum status add_emitted(struct results *r, const char *path, size_t *file, struct diag *dg)
{
    if (!path)
        return ST_OK;
    *file = r->files.n;
    return outputs_add(&r->files, *path ? path : "-", dg);
}

static enum status prepare_result(struct results *r, const struct request *rq,
                                  const struct field *f, const struct desc *d, bool streamed,
                                  struct diag *dg)
{
    bool buffer = rq->args->layout == LAYOUT_BUFFER, fits;
    struct result *res = &r->v[f->slot];
    struct tensor_desc td = d->tensor[f->slot];
    uint64_t size = dtype_size(td.type), bytes = 0;
    enum status st;

    res->path = rq->out[f->slot];
    res->file = r->files.n;
    st = res->path ? outputs_add(&r->files, res->path, dg) : ST_OK;
    if (st)
        return st;
    td.has_strides = td.has_strides && buffer;
    fits = buffer ? (bytes = tensor_desc_buffer_bytes(&td)) > 0
                  : tensor_count(td.rank, td.sizes, &res->elements);
    if (!fits || !tensor_desc_view(&td, NULL, &res->view))
        return diag_error(dg, ST_SYSTEM, NULL, "%s is larger than memory can be", f->name);
    if (streamed)
        return ST_OK;
    if (buffer)
        res->elements = bytes / size;
    res->data = buffer ? mem_zalloc(res->elements, size) : mem_alloc_aligned(res->elements, size);
    if (!res->data)
        return diag_nomem(dg);
    if (rq->args->timing.timings)
        preload_output(res->data, res->elements * size);
    res->view.data = res->data;
    return ST_OK;
}

enum status results_prepare(struct results *r, const struct request *rq, const struct desc *d,
                            bool streamed, struct diag *dg)
{
    enum status st;

    r->files.no_sync = rq->args->writing.no_sync;
    r->files.no_clobber = rq->args->writing.no_clobber;
    r->files.digests = rq->args->part.part != NULL;
    st = add_emitted(r, rq->args->files.emit, &r->descriptor, dg);
    if (st == ST_OK)
        st = add_emitted(r, rq->args->files.emit_model, &r->model, dg);
    for (const struct field *f = op_schemas[d->op].fields; f->name && st == ST_OK && !rq->emit_only;
         f++)
        if (f->kind == FIELD_TENSOR && f->output)
            st = prepare_result(r, rq, f, d, streamed, dg);
    return st;
}

static enum status write_description(struct results *r, const struct request *rq,
                                     const struct inputs *in, struct diag *dg)
{
    struct str b = { 0 };
    enum status st;

    if (!rq->args->files.emit && !rq->args->files.emit_model)
        return ST_OK;
    desc_emit(&in->job, &b);
    st = b.failed ? diag_nomem(dg) : ST_OK;
    if (st == ST_OK && rq->args->files.emit)
        st = outputs_write(&r->files, r->descriptor, b.s, b.len, dg);
    str_free(&b);
    if (st == ST_OK && rq->args->files.emit_model)
        st = emit_model(in, rq->oc->usage->name, &r->files, r->model, dg);
    if (st == ST_OK && !rq->args->files.descriptor) /* whose findings have been printed */
        st = judge_limits(rq, &in->job, dg);
    return st;
}

static enum status write_tensor(struct results *r, const struct field *f,
                                const struct request *rq, enum tensor_format input, struct diag *dg)
{
    const struct result *res = &r->v[f->slot];
    struct tensor t = res->view;

    if (!res->path || !res->data)
        return ST_OK;
    if (rq->args->layout == LAYOUT_BUFFER) {
        t.rank = 1;
        t.sizes[0] = res->elements;
        t.strides[0] = 1;
    }
    if (request_is_shown(rq, res->path))
        return show_tensor(&r->files, res->file, f->name, &t, dg);
    return tensor_file_write(&r->files, res->file, &t, request_format(rq, res->path, input),
                             rq->exec.threads, dg);
}

enum status results_store(struct results *r, const struct request *rq, const struct inputs *in,
                          struct diag *dg)
{
    const struct field *fields = op_schemas[in->desc.op].fields;
    enum tensor_format input = in->v[0].file.format; /* every operator's first tensor is data */
    enum status st = ST_OK;

    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++)
        st = tensor_file_intact(&in->v[s].file, dg);
    if (st == ST_OK)
        st = write_description(r, rq, in, dg);
    for (const struct field *f = fields; f->name && st == ST_OK; f++)
        if (f->kind == FIELD_TENSOR && f->output)
            st = write_tensor(r, f, rq, input, dg);
    if (st == ST_OK)
        st = outputs_commit(&r->files, dg);
    for (const struct field *f = fields; f->name && st == ST_OK; f++) {
        const struct result *res = &r->v[f->slot];

        if (f->kind == FIELD_TENSOR && f->output && res->path)
            inputs_note_tensor(strcmp(res->path, "-") == 0 ? "standard output" : res->path, f->name,
                               &res->view, dg);
    }
    return st;
}

void results_close(struct results *r)
{
    outputs_close(&r->files);
    for (unsigned s = 0; s < SLOT_COUNT; s++)
        free(r->v[s].data);
}
