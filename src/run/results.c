#include "run/job.h"

#include "base/mem.h"
#include "cli/show.h"

static enum status prepare_result(struct result *res, const struct desc *d, const struct field *f,
                                  const struct request *rq, struct diag *dg)
{
    bool buffer = rq->args->files.layout == LAYOUT_BUFFER, fits;
    struct tensor_desc td = d->tensor[f->slot], written = desc_result(d, f->slot);
    uint64_t bytes = 0;

    td.has_strides = td.has_strides && buffer;
    fits = buffer ? (bytes = tensor_desc_buffer_bytes(&td)) > 0
                  : tensor_count(td.rank, td.sizes, &res->elements);
    if (!fits || !tensor_desc_view(&td, NULL, &res->view))
        return diag_error(dg, ST_SYSTEM, NULL, "%s is larger than memory can be", f->name);
    if (buffer) {
        res->elements = bytes / dtype_size(td.type);
        written = tensor_desc_packed(td.type, 1, &res->elements);
    }
    written.has_strides = false;
    tensor_desc_view(&written, NULL, &res->written); /* fits: as res->view */
    return ST_OK;
}

static enum status allocate_result(struct result *res, const struct request *rq, struct diag *dg)
{
    uint64_t size = dtype_size(res->view.type);

    res->data = rq->args->files.layout == LAYOUT_BUFFER ? mem_zalloc(res->elements, size)
                                                        : mem_alloc_aligned(res->elements, size);
    if (!res->data)
        return diag_nomem(dg);
    if (rq->args->timing.timings)
        memset(res->data, 0, res->elements * size);
    res->view.data = res->data;
    return ST_OK;
}

enum status results_prepare(struct results *r, const struct request *rq, const struct desc *d,
                            bool streamed, struct diag *dg)
{
    const char *data = op_output(d->op, ROLE_INDEX) ? "values" : "output", *member;
    enum status st = ST_OK;

    for (const struct field *f = op_schema(d->op)->fields; f->name && st == ST_OK; f++) {
        struct result *res = &r->v[f->slot];

        if (f->kind != FIELD_TENSOR || !f->output)
            continue;
        res->path = rq->out[f->slot];
        member = f->use.role == ROLE_INDEX ? "indices" : data; /* of an archive */
        if (res->path)
            st = outputs_add_tensor(&r->files, res->path, output_member(res->path, member),
                                    &res->out, dg);
        st = st ? st : prepare_result(res, d, f, rq, dg);
        if (st == ST_OK && !streamed)
            st = allocate_result(res, rq, dg);
    }
    return st;
}

static enum status write_tensor(const struct result *res, const char *name,
                                const struct request *rq, enum tensor_format input, struct diag *dg)
{
    struct tensor t = res->written;

    t.data = res->data;
    t.is_bool = res->view.is_bool;
    if (output_is_shown(res->path, rq->args->files.format))
        return show_tensor(res->out, name, &t, dg);
    return tensor_file_write(res->out, &t, request_format(rq, res->path, output_as(input, &t)),
                             rq->exec.threads, dg);
}

enum status results_store(struct results *r, const struct request *rq, const struct inputs *in,
                          struct diag *dg)
{
    const struct field *fields = op_schema(in->desc.op)->fields;
    enum status st = inputs_intact(in, dg);

    for (const struct field *f = fields; f->name && st == ST_OK; f++) {
        const struct result *res = &r->v[f->slot];

        if (f->kind == FIELD_TENSOR && res->path && res->data)
            st = write_tensor(res, f->name, rq, in->v[SLOT_IN].file.format, dg);
    }
    st = st ? st : outputs_commit(&r->files, dg);
    for (const struct field *f = fields; f->name && st == ST_OK; f++) {
        const struct result *res = &r->v[f->slot];

        if (f->kind == FIELD_TENSOR && res->path)
            inputs_note_tensor(strcmp(res->path, "-") == 0 ? "standard output" : res->path, f->name,
                               &res->written, dg);
    }
    return st;
}
