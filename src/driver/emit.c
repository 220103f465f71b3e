#include "driver/driver.h"

#include "io/element.h"

/* The model's text, which is written in pieces. */
struct model_text {
    const struct inputs *in;
    struct output *out;
    struct str b;         /* not written yet */
    struct json_writer w; /* into b */
    enum status st;
    struct diag *dg;
};

static void flush(struct model_text *m)
{
    if (m->st == ST_OK)
        m->st = m->b.failed ? diag_nomem(m->dg) : output_write(m->out, m->b.s, m->b.len, m->dg);
    m->b.len = 0;
}

static void write_element(struct model_text *m, const struct tensor *t, const void *at)
{
    struct scalar s = scalar_load(t->type, t->swapped, at);

    scalar_json(&m->w, NULL, t->type, &s);
    flush(m);
}

/* Writes an input's values as its buffer holds them: up to the last element that Strides reach, or
 * in row-major order without Strides. */
static void write_values(struct model_text *m, const struct tensor_desc *td, const struct tensor *t)
{
    uint64_t c[TENSOR_MAX_RANK] = { 0 }, extent = 0;

    json_open(&m->w, "initialValues", "[]");
    if (td->has_strides) {
        tensor_extent(t->rank, t->sizes, t->strides, &extent); /* fits: it is in memory */
        for (uint64_t i = 0; i < extent && m->st == ST_OK; i++)
            write_element(m, t, (const char *)t->data + i * dtype_size(t->type));
    } else {
        do
            write_element(m, t, tensor_at(t, c));
        while (tensor_next(t->rank, t->sizes, c) && m->st == ST_OK);
    }
    json_close(&m->w);
}

static void write_resource(struct model_text *m, const struct field *f)
{
    const struct tensor_desc *td = &m->in->desc.tensor[f->slot];
    uint64_t bytes = 0, extent = 0;
    struct tensor t;

    tensor_desc_bytes(td, &bytes); /* fits, as the next two: the tensors do */
    tensor_desc_view(td, NULL, &t);
    tensor_extent(t.rank, t.sizes, t.strides, &extent);
    json_line(&m->w, 4);
    json_open(&m->w, f->name, "{ }");
    json_string(&m->w, "initialValuesDataType", dtype_name(td->type));
    if (f->output)
        json_format(&m->w, "initialValues: { valueCount: %ju value: %u }", extent, 0U);
    else
        write_values(m, td, &m->in->v[f->slot].view);
    if (td->total_size > bytes)
        json_uint(&m->w, "sizeInBytes", td->total_size);
    json_close(&m->w);
}

static bool is_bound(const struct model_text *m, const struct field *f, bool owned)
{
    const struct tensor_desc *td = &m->in->desc.tensor[f->slot];

    return f->kind == FIELD_TENSOR && td->present &&
           owned == (td->flags & TENSOR_FLAG_OWNED_BY_DML);
}

/* Writes "bindings" of the tensors that DirectML owns, if any, or of the others. */
static void write_bindings(struct model_text *m, bool owned)
{
    const struct field *f = op_schema(m->in->desc.op)->fields;

    while (f->name && !is_bound(m, f, owned))
        f++;
    if (!f->name)
        return;
    json_format(&m->w, "\n      bindings: {");
    for (; f->name; f++)
        if (is_bound(m, f, owned))
            json_string(&m->w, f->name, f->name);
    json_close(&m->w);
}

/* Writes a model file for `dmlop run` and DxDispatch: the inputs' values, the descriptor as
 * dispatchable `name`, a dispatch, and a print of each output. */
static enum status write_model(const struct inputs *in, const char *name, struct output *out,
                               struct diag *dg)
{
    struct model_text m = {
        .in = in,
        .out = out,
        .w.out = &m.b,
        .dg = dg,
    };
    const struct field *fields = op_schema(in->desc.op)->fields;

    json_format(&m.w, "{ \n  resources: {");
    for (const struct field *f = fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && in->desc.tensor[f->slot].present)
            write_resource(&m, f);
    json_format(&m.w, "\n  } \n  dispatchables: { \n    ");
    json_open(&m.w, name, "{ }");
    desc_emit_members(&in->desc, &m.w, 6);
    write_bindings(&m, true);
    json_format(&m.w, "\n    } \n  } \n  commands: [ \n    { type: %s dispatchable: %s", "dispatch",
                name);
    write_bindings(&m, false);
    json_close(&m.w);
    for (const struct field *f = fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && f->output)
            json_format(&m.w, "\n    { type: %s resource: %s }", "print", f->name);
    json_format(&m.w, "\n  ] \n}");
    str_puts(&m.b, "\n");
    flush(&m);
    str_free(&m.b);
    return m.st;
}

enum status emit_add(struct emitted *e, const struct request *rq, struct outputs *files,
                     struct diag *dg)
{
    const char *const paths[] = { rq->args->files.emit, rq->args->files.emit_model };
    struct output **const outs[] = { &e->descriptor, &e->model };
    enum status st = ST_OK;

    for (unsigned i = 0; i < ARRAY_LEN(paths) && st == ST_OK; i++)
        if (paths[i]) /* "" is standard output */
            st = outputs_add_tensor(files, *paths[i] ? paths[i] : "-", NULL, outs[i], dg);
    return st;
}

enum status emit_write(const struct emitted *e, const struct request *rq, const struct inputs *in,
                       struct diag *dg)
{
    enum status st = inputs_intact(in, dg);
    struct str b = { 0 };

    if (st == ST_OK && e->descriptor) {
        desc_emit(&in->desc, &b);
        st = output_text(e->descriptor, &b, dg);
    }
    if (st == ST_OK && e->model)
        st = write_model(in, op_schema(rq->oc->op)->run.command, e->model, dg);
    if (st == ST_OK && !rq->args->files.descriptor) /* findings in a descriptor have been printed */
        st = judge_limits(rq, &in->desc, dg);
    return st;
}

enum status emit_run(struct job *j, struct diag *dg)
{
    const struct request *rq = &j->request;
    bool emits = rq->args->files.emit || rq->args->files.emit_model;
    struct emitted e = { NULL, NULL };
    enum status st = request_check_apart(rq, dg);

    if (st == ST_OK && emits)
        st = emit_add(&e, rq, &j->results.files, dg);
    if (st == ST_OK && !rq->emit_only)
        st = job_prepare(j, dg);
    if (st == ST_OK && !rq->emit_only)
        st = job_compute(j, dg);
    if (st == ST_OK && emits)
        st = emit_write(&e, rq, &j->inputs, dg);
    if (st || rq->emit_only)
        return st ? st : outputs_commit(&j->results.files, dg);
    st = job_store(j, dg);
    return st ? st : job_report(j, dg);
}
