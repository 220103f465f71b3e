#include "model/run.h"

#include "base/mem.h"
#include "base/path.h"
#include "desc/bind.h"
#include "model/memory.h"
#include "io/file.h"
#include "tensor/element.h"

struct runner {
    const struct model *m;
    const struct json_doc *doc;
    const struct run_options *opt;
    struct run_times *times;
    FILE *out;
    struct diag *dg;
    unsigned char **memory;              /* [resource_count], owned: their bytes */
    unsigned char *(*owned)[SLOT_COUNT]; /* [dispatchable_count], owned: OWNED_BY_DML tensors */
};

/* Initialization: copies the OWNED_BY_DML tensors before any command changes them. */
static enum status copy_owned(struct runner *r, size_t index)
{
    const struct model_dispatchable *d = &r->m->dispatchables[index];

    for (unsigned s = 0; d->init && s < d->values.tensor_count; s++) {
        const struct tensor_desc *t = &d->values.tensor[s];
        uint64_t bytes = tensor_desc_buffer_bytes(t);

        if (!t->present || !(t->flags & TENSOR_FLAG_OWNED_BY_DML))
            continue;
        r->owned[index][s] = mem_alloc_aligned(bytes, 1);
        if (!r->owned[index][s])
            return diag_nomem(r->dg);
        memcpy(r->owned[index][s], r->memory[d->init[s].resource] + d->init[s].offset, bytes);
    }
    return ST_OK;
}

/* Makes the views of a dispatch's tensors; t[s] stays NULL if slot s has none. */
static void bind_tensors(const struct runner *r, const struct model_command *c,
                         struct tensor views[SLOT_COUNT], struct tensor *t[SLOT_COUNT])
{
    const struct op_values *v = &r->m->dispatchables[c->target].values;

    for (unsigned s = 0; s < v->tensor_count; s++) {
        unsigned char *at;

        if (!v->tensor[s].present)
            continue;
        at = r->owned[c->target][s];
        if (!at)
            at = r->memory[c->bindings[s].resource] + c->bindings[s].offset;
        tensor_desc_view(&v->tensor[s], at, &views[s]);
        t[s] = &views[s];
    }
}

/* On a big-endian machine: replaces the tensors by copies in native byte order. False if memory is
 * short. */
static bool copies_make(const struct op_values *v, struct tensor *t[SLOT_COUNT],
                        unsigned char *copies[SLOT_COUNT])
{
    for (unsigned s = 0; s < v->tensor_count; s++) {
        uint64_t bytes = t[s] ? tensor_desc_buffer_bytes(&v->tensor[s]) : 0;

        if (!t[s])
            continue;
        copies[s] = mem_alloc_aligned(bytes, 1);
        if (!copies[s])
            return false;
        memcpy(copies[s], t[s]->data, bytes);
        tensor_swap_bytes(copies[s], dtype_size(t[s]->type), bytes / dtype_size(t[s]->type));
        t[s]->data = copies[s];
    }
    return true;
}

/* Stores the outputs, if computed, in little-endian order and releases the copies. */
static void copies_end(const struct runner *r, const struct model_command *c, bool computed,
                       unsigned char *copies[SLOT_COUNT])
{
    const struct op_values *v = &r->m->dispatchables[c->target].values;

    for (unsigned s = 0; s < v->tensor_count; s++) {
        const struct model_binding *b = &c->bindings[s];

        if (computed && copies[s] && schema_tensor(v->schema, s)->output) {
            uint64_t bytes = tensor_desc_buffer_bytes(&v->tensor[s]);
            size_t size = dtype_size(v->tensor[s].type);

            tensor_swap_bytes(copies[s], size, bytes / size);
            memcpy(r->memory[b->resource] + b->offset, copies[s], bytes);
        }
        free(copies[s]);
    }
}

/* Prints DxDispatch's line, with CPU instead of GPU time. */
static enum status print_time(struct runner *r, const char *name, const struct samples *s)
{
    struct samples_summary sum;

    if (!samples_summarize(s->v, s->n, &sum))
        return diag_nomem(r->dg);
    fprintf(r->out, "Dispatch '%s': %zu iteration%s, %.4f ms median (CPU)\n", name, s->n,
            s->n == 1 ? "" : "s", (double)sum.median / 1e6);
    return ST_OK;
}

static void add_times(struct run_times *t, struct samples *s)
{
    if (!t->samples) {
        t->samples = s->v;
        t->iterations = s->n;
        s->v = NULL;
        return;
    }
    t->iterations = t->iterations < s->n ? t->iterations : s->n;
    for (size_t i = 0; i < t->iterations; i++)
        t->samples[i] += s->v[i];
}

static void note_name(const char **name, const char *now)
{
    *name = !*name || strcmp(*name, now) == 0 ? now : "several";
}

static enum status compute(struct runner *r, const struct model_dispatchable *d,
                           struct tensor *t[SLOT_COUNT])
{
    struct samples samples = r->opt->samples;
    struct op_plan *plan = NULL;
    uint64_t start = clock_ns();
    struct desc desc;
    enum status st;

    desc_of_values(&d->values, &desc);
    st = bind_check_scales(&desc, t, r->dg); /* they may be results */
    st = st ? st : op_plan_new(&plan, &desc, t, &r->opt->exec, r->dg);
    if (st)
        return st;
    diag_note(r->dg, NULL,
              "dispatch '%s' runs DML_OPERATOR_%s with kernel %s on at most %d thread%s", d->name,
              d->values.schema->name, plan->kernel, plan->threads, plan->threads == 1 ? "" : "s");
    if (!op_plan_repeat(plan, r->opt->warmup, &samples, NULL, NULL))
        st = diag_nomem(r->dg);
    if (r->times->threads < plan->threads)
        r->times->threads = plan->threads;
    r->times->compute += clock_ns() - start;
    r->times->operations += plan->operations;
    for (const struct field *f = d->values.schema->fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && t[f->slot])
            *(f->output ? &r->times->bytes_out : &r->times->bytes_in) +=
                tensor_desc_buffer_bytes(&d->values.tensor[f->slot]);
    note_name(&r->times->kernel, plan->kernel);
    note_name(&r->times->operator_name, d->values.schema->name);
    op_plan_free(plan);
    st = st ? st : print_time(r, d->name, &samples);
    if (st == ST_OK)
        add_times(r->times, &samples);
    free(samples.v);
    return st;
}

static enum status dispatch(struct runner *r, const struct model_command *c)
{
    const struct model_dispatchable *d = &r->m->dispatchables[c->target];
    struct tensor views[SLOT_COUNT], *t[SLOT_COUNT] = { NULL };
    unsigned char *copies[SLOT_COUNT] = { NULL };
    enum status st = ST_OK;

    bind_tensors(r, c, views, t);
    if (BIG_MACHINE && !copies_make(&d->values, t, copies))
        st = diag_nomem(r->dg);
    st = st ? st : compute(r, d, t);
    copies_end(r, c, st == ST_OK, copies);
    return st;
}

/* Refuses a writeFile to the model or the file of the timings. */
static enum status check_target(struct runner *r, const struct model_command *c)
{
    char *path = path_join(r->opt->output_folder, c->path);
    enum status st = path ? file_check_apart(r->opt->path, path, r->dg) : diag_nomem(r->dg);
    struct output_place to, other;
    bool failed = false;

    if (st == ST_OK && r->opt->timings && output_place(path, &to, &failed) &&
        output_place(r->opt->timings, &other, &failed) && memcmp(&to, &other, sizeof to) == 0)
        st = diag_usage(r->dg, "two outputs would be written to the same file: %s and %s", path,
                        r->opt->timings);
    free(path);
    return failed ? diag_nomem(r->dg) : st;
}

/* Refuses a kernel that an operator of the model, or every operator, lacks. */
static enum status check_kernel(const struct model *m, const char *name, struct diag *dg)
{
    bool known = !name || strcmp(name, "auto") == 0;
    enum status st = ST_OK;
    unsigned row;

    for (enum kernel_list t = KERNELS_SLICE; t < KERNEL_LISTS; t++) {
        for (row = 0; !known && kernel_list_row(t, row); row++)
            known = strcmp(kernel_list_row(t, row)->name, name) == 0;
        for (size_t i = 0; i < m->dispatchable_count && st == ST_OK; i++)
            if (strcmp(m->dispatchables[i].values.schema->run.command, kernel_list_command(t)) == 0)
                st = op_select_kernel(t, name, &row, dg);
    }
    return st || known ? st : diag_usage(dg, "no operator has a kernel '%s'", name);
}

static enum status run_command(struct runner *r, const struct model_command *c)
{
    const struct model_resource *res;
    uint64_t start = clock_ns();
    enum status st;

    if (c->type == COMMAND_DISPATCH)
        return dispatch(r, c);
    res = &r->m->resources[c->target];
    st = c->type == COMMAND_PRINT
             ? print_resource(res, r->doc, r->memory[c->target], c->verbose, r->out, r->dg)
             : write_resource(c, res, r->memory[c->target], r->opt, r->dg);
    r->times->store += clock_ns() - start;
    return st;
}

enum status model_can_run(const struct model *m, const char *path, struct diag *dg)
{
    enum status st = ST_OK;

    for (size_t i = 0; i < m->dispatchable_count; i++) {
        const struct model_dispatchable *d = &m->dispatchables[i];

        if (d->program || d->values.schema->op == OP_NONE)
            st = diag_error(dg, ST_UNSUPPORTED, path,
                            "dispatchable '%s' cannot be computed here: it is %s%s", d->name,
                            d->program ? "" : "DML_OPERATOR_",
                            d->program ? program_names[d->program].what : d->values.schema->name);
    }
    for (size_t i = 0; i < m->resource_count; i++)
        if (m->resources[i].form == INIT_PICTURE)
            st = diag_error(dg, ST_UNSUPPORTED, path,
                            "resource '%s' cannot be read here: it is a picture",
                            m->resources[i].name);
    return st;
}

enum status model_run(const struct model *m, const struct json_doc *doc,
                      const struct run_options *opt, FILE *out, struct run_times *times,
                      struct diag *dg)
{
    struct runner r = { .m = m, .doc = doc, .opt = opt, .times = times, .out = out, .dg = dg };
    uint64_t start = clock_ns();
    enum status st = ST_OK;

    times->threads = 1;
    r.memory = mem_zalloc(m->resource_count, sizeof *r.memory);
    r.owned = mem_zalloc(m->dispatchable_count, sizeof *r.owned);
    st = r.memory && r.owned ? check_kernel(m, opt->exec.kernel, dg) : diag_nomem(dg);
    for (size_t i = 0; i < m->command_count && st == ST_OK; i++)
        if (m->commands[i].type == COMMAND_WRITE_FILE)
            st = check_target(&r, &m->commands[i]);
    for (size_t i = 0; i < m->resource_count && st == ST_OK; i++)
        st = memory_fill(&m->resources[i], doc, &r.memory[i], dg);
    for (size_t i = 0; i < m->dispatchable_count && st == ST_OK; i++)
        st = copy_owned(&r, i);
    times->load = clock_ns() - start;
    for (size_t i = 0; i < m->command_count && st == ST_OK; i++)
        st = run_command(&r, &m->commands[i]);
    for (size_t i = 0; r.memory && i < m->resource_count; i++)
        free(r.memory[i]);
    for (size_t i = 0; r.owned && i < m->dispatchable_count; i++)
        for (unsigned s = 0; s < SLOT_COUNT; s++)
            free(r.owned[i][s]);
    free(r.memory);
    free(r.owned);
    return st;
}
