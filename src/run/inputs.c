#include "run/inputs.h"

#include <math.h>

#include "base/mem.h"
#include "check/findings.h"
#include "desc/bind.h"
#include "io/element.h"
#include "io/kind.h"

static enum status read_descriptor(struct inputs *in, const struct request *rq, struct diag *dg)
{
    const char *path = rq->args->files.descriptor;
    struct desc_file f = { 0 };
    char *text;
    size_t len;
    enum status st = text_load(path, DESC_MAX_TEXT, WANT_DESCRIPTOR, &text, &len, NULL, dg);

    st = st ? st : desc_file_parse(&f, text, len, &rq->rules, dg);
    if (st)
        return st;
    if (f.document.findings.n > 0)
        st = findings_text(&f.document, path, dg->err, rq->args->common.color, dg);
    if (st == ST_OK && f.document.findings.errors > 0)
        st = diag_error(dg, ST_INVALID, path, "the descriptor has %zu error%s",
                        f.document.findings.errors, f.document.findings.errors == 1 ? "" : "s");
    if (st == ST_OK)
        desc_of_values(&f.values, &in->desc);
    desc_file_free(&f);
    return st;
}

void inputs_note_tensor(const char *path, const char *name, const struct tensor *t, struct diag *dg)
{
    diag_note(dg, path, "%s is %s %s", name, dtype_name(t->type),
              tensor_sizes_text(t->rank, t->sizes).text);
}

/* Refuses ranks that no description can hold, and empty tensors. */
static enum status check_operand(const struct tensor *t, const char *path, struct diag *dg)
{
    if (t->rank == 0 || t->rank > DML_MAX_RANK)
        return diag_input(dg, path, "the array has %u dimensions; operators support 1 to %d",
                          t->rank, DML_MAX_RANK);
    for (unsigned i = 0; i < t->rank; i++)
        if (t->sizes[i] == 0)
            return diag_input(dg, path, "the array is empty: its sizes are %s",
                              tensor_sizes_text(t->rank, t->sizes).text);
    return ST_OK;
}

/* How an operand is read: raw data as --sizes say, or as the descriptor does. */
static enum status read_as(const struct inputs *in, const struct request *rq, const struct field *f,
                           struct reading *how, struct diag *dg)
{
    const struct op_args *a = rq->args;
    const struct tensor_desc *td = &in->desc.tensor[f->slot];
    bool second = f->slot == SLOT_B && a->qmatmul.b_sizes.n > 0;
    const struct option_list none = { .n = 0 }, *sizes = a->files.descriptor ? &none
                                                         : second            ? &a->qmatmul.b_sizes
                                                         : rq->oc->op != OP_SLICE1
                                                             ? &a->reading.words
                                                         : a->reading.raw ? &a->slice.sizes
                                                                          : &none;
    enum status st;

    *how = a->reading;
    how->words = *sizes;
    st = reading_parse(how, dg);
    if (!a->files.descriptor)
        return st;
    how->type = how->type == DT_BFLOAT16 ? how->type : td->type;
    how->sized = true;
    how->sizes = (struct integers){ .n = td->has_strides ? 1 : td->rank, .v = { -1 } };
    for (unsigned i = 0; i < td->rank && !td->has_strides; i++)
        how->sizes.v[i] = (int64_t)td->sizes[i];
    return st;
}

static enum status load_one(struct inputs *in, const struct request *rq, const struct field *f,
                            struct diag *dg)
{
    const struct tensor_argument *s = &rq->in[f->slot];
    struct loaded *l = &in->v[f->slot];
    const struct tensor *matrix = &in->v[f->use.matrix].view; /* of a scale or zero point */
    bool operand = request_is_operand(f), by_options = !rq->args->files.descriptor;
    enum dtype type = by_options ? DT_NONE : in->desc.tensor[f->slot].type;
    struct reading how;
    enum status st;

    if (s->numbers) { /* of unknown type: a scalar or a vector */
        l->view =
            (struct tensor){ .type = DT_FLOAT32, .rank = s->numbers > 1, .sizes = { s->numbers } };
        l->file.count = s->numbers;
        return ST_OK;
    }
    if (type == DT_NONE && !operand) /* of scales, or zero points, which have no fractions */
        type = f->use.role == ROLE_SCALE      ? DT_FLOAT32
               : dtype_size(matrix->type) == 1 ? matrix->type
                                               : DT_INT64;
    st = operand ? read_as(in, rq, f, &how, dg) : ST_OK;
    if (!operand)
        how = (struct reading){ .type = type, .skip_lines = rq->args->reading.skip_lines };
    st = st ? st : reading_begin(&l->file, s->text, &how, rq->exec.threads, dg);
    /* a pipe, whose elements a streamed slice reads when it needs them */
    if (st == ST_OK && !(l->file.input.more && !rq->whole && request_may_stream(rq, &in->desc)))
        st = tensor_file_finish(&l->file, dg);
    l->view = l->file.tensor;
    if (st == ST_OK && operand && by_options)
        st = check_operand(&l->view, s->text, dg);
    if (st)
        return st;
    warn_inexact(s->text, &l->file, dg);
    inputs_note_tensor(s->text, f->name, &l->view, dg);
    return ST_OK;
}

/* Warns if no operand has the type of --dtype because the files name others. */
static void warn_of_type(const struct inputs *in, const struct request *rq, struct diag *dg)
{
    const struct field *typed = NULL;

    for (const struct field *f = op_schema(rq->oc->op)->fields; f->name; f++) {
        if (!request_is_operand(f) || !rq->in[f->slot].text)
            continue;
        if (!rq->args->files.descriptor && !in->v[f->slot].file.typed)
            return;
        if (!typed && in->v[f->slot].view.type != rq->args->reading.type)
            typed = f;
    }
    if (typed && !rq->args->reading.raw)
        warn_dtype(rq->in[typed->slot].text, rq->args->reading.type, in->v[typed->slot].view.type,
                   dg);
}

/* Makes t, of any type and sizes, a packed view of new memory that l owns. */
static enum status allocate(struct loaded *l, struct tensor *t, struct diag *dg)
{
    uint64_t count = 0;

    if (!tensor_count(t->rank, t->sizes, &count) ||
        !tensor_pack_strides(t->rank, t->sizes, t->strides) ||
        !(l->owned = mem_alloc_aligned(count, dtype_size(t->type))))
        return diag_nomem(dg);
    t->data = l->owned;
    return ST_OK;
}

/* Converts numbers of the command line, or scales or zero points of any numeric type, to td's type:
 * floats are rounded once, integers must fit. */
static enum status convert_values(struct loaded *l, const struct tensor_argument *s,
                                  const struct tensor_desc *td, struct diag *dg)
{
    const struct tensor *t = &l->file.tensor;
    uint64_t c[TENSOR_MAX_RANK] = { 0 };
    char text[NUMBER_TEXT];
    enum status st;

    l->view = (struct tensor){ .type = td->type, .rank = td->rank };
    memcpy(l->view.sizes, td->sizes, sizeof td->sizes);
    st = allocate(l, &l->view, dg);
    if (st == ST_OK && s->numbers)
        return number_list_store(s->option, s->list, td->type, l->owned, dg);
    for (uint64_t i = 0; i < l->file.count && st == ST_OK; i++, tensor_next(t->rank, t->sizes, c)) {
        struct scalar v = scalar_load(t->type, t->swapped, tensor_at(t, c));

        if (scalar_store(&v, td->type, (char *)l->owned + i * dtype_size(td->type)) == SCALAR_FITS)
            continue;
        if (td->type == DT_FLOAT32) { /* an overflow */
            ((float *)l->owned)[i] = v.f < 0 ? -INFINITY : INFINITY;
            continue;
        }
        scalar_text(&v, t->type, false, text);
        st = diag_input(
            dg, s->text,
            "%s: %s at index %ju is not a value of type %s; give a whole number %jd to %ju",
            s->option, text, i, dtype_name(td->type), dtype_min(td->type), dtype_max(td->type));
    }
    return st;
}

/* Converts numbers for a descriptor of -d: a buffer if it has Strides, else one number per element.
 */
static enum status match_numbers(struct loaded *l, const struct tensor_argument *s,
                                 const struct field *f, const struct tensor_desc *td,
                                 struct diag *dg)
{
    struct tensor_desc buffer = tensor_desc_packed(td->type, 1, (const uint64_t[]){ s->numbers });
    uint64_t count;

    tensor_count(td->rank, td->sizes, &count); /* fits: a rule */
    if (!td->has_strides && count != s->numbers)
        return diag_input(dg, NULL, "%s: %zu number%s, but %s is %s; give %ju or give a file",
                          s->option, s->numbers, s->numbers == 1 ? "" : "s", f->name,
                          tensor_sizes_text(td->rank, td->sizes).text, count);
    return convert_values(l, s, td->has_strides ? &buffer : td, dg);
}

/* Gives an input the described shape. With Strides its elements are a buffer, read and packed. */
static enum status shape(struct loaded *l, const struct tensor_desc *td, struct diag *dg)
{
    bool buffer = td->has_strides && !l->owned;
    enum status st = ST_OK;

    if (buffer && !tensor_is_packed(&l->view)) {
        st = allocate(l, &l->view, dg);
        if (st == ST_OK)
            tensor_copy(&l->view, &l->file.tensor);
    }
    if (st == ST_OK)
        bind_view(td, &l->view, &l->view);
    return st;
}

/* Converts a scale or zero point to its description. */
static enum status convert(struct inputs *in, const struct request *rq, const struct field *f,
                           struct diag *dg)
{
    struct loaded *l = &in->v[f->slot];
    enum status st;

    if (!field_is_parameter(f))
        return shape(l, &in->desc.tensor[f->slot], dg);
    st = convert_values(l, &rq->in[f->slot], &in->desc.tensor[f->slot], dg);
    return st ? st : judge_input(rq, &in->desc, f, &l->view, l->file.count, dg);
}

/* Checks an input against the descriptor of -d and gives it the described shape. */
static enum status match(struct inputs *in, const struct request *rq, const struct field *f,
                         struct diag *dg)
{
    const struct tensor_desc *td = &in->desc.tensor[f->slot];
    struct loaded *l = &in->v[f->slot];
    const struct tensor_argument *s = &rq->in[f->slot];
    enum status st = s->numbers ? match_numbers(l, s, f, td, dg) : ST_OK;

    st = st ? st : judge_input(rq, &in->desc, f, &l->view, l->file.count, dg);
    if (st == ST_OK && l->view.type != td->type && !td->has_strides) /* scales or zero points */
        return convert(in, rq, f, dg);
    return st ? st : shape(l, td, dg);
}

static enum status each_input(struct inputs *in, const struct request *rq,
                              enum status (*handle)(struct inputs *in, const struct request *rq,
                                                    const struct field *f, struct diag *dg),
                              struct diag *dg)
{
    enum status st = ST_OK;

    for (const struct field *f = op_schema(rq->oc->op)->fields; f->name && st == ST_OK; f++)
        if (f->kind == FIELD_TENSOR && !f->output && rq->in[f->slot].text)
            st = handle(in, rq, f, dg);
    return st;
}

static enum status describe(struct inputs *in, const struct request *rq, struct diag *dg)
{
    const struct tensor *views[SLOT_COUNT];
    bool untyped[SLOT_COUNT];
    enum status st;

    for (unsigned s = 0; s < SLOT_COUNT; s++) {
        views[s] = rq->in[s].text ? &in->v[s].view : NULL;
        untyped[s] = views[s] && !in->v[s].file.typed;
    }
    in->desc.op = rq->oc->op;
    st = rq->oc->describe(rq->args, views, &in->desc, dg);
    st = st ? st : judge_options(rq, &in->desc, untyped, dg);
    return st ? st : each_input(in, rq, convert, dg);
}

enum status inputs_load(struct inputs *in, const struct request *rq, struct phases *times,
                        struct diag *dg)
{
    bool by_descriptor = rq->args->files.descriptor != NULL;
    uint64_t start = clock_ns(), loading, loaded;
    enum status st = by_descriptor ? read_descriptor(in, rq, dg) : ST_OK;

    loading = clock_ns();
    if (st == ST_OK)
        st = request_check_given(rq, by_descriptor ? &in->desc : NULL, dg);
    st = st ? st : each_input(in, rq, load_one, dg);
    if (st == ST_OK)
        warn_of_type(in, rq, dg);
    loaded = clock_ns();
    if (st == ST_OK)
        st = by_descriptor ? each_input(in, rq, match, dg) : describe(in, rq, dg);
    times->load = loaded - loading;
    times->validate = loading - start + clock_ns() - loaded;
    return st;
}

/* Views values with sizes of their own by the axes of t; false if they do not fit. */
static bool spread(struct tensor *p, const struct tensor *own, const struct tensor *t)
{
    bool row = own->rank == 1 && t->rank > 1 && own->sizes[0] == t->sizes[t->rank - 2];
    bool fits = !row || own->sizes[0] == 1 || own->sizes[0] != t->sizes[t->rank - 1];
    int64_t stride = 1;

    *p = (struct tensor){ .type = p->type, .rank = t->rank, .data = p->data };
    for (unsigned i = 1 + row; i <= own->rank + row && fits; i++) { /* from the right */
        uint64_t size = own->sizes[own->rank + row - i];

        fits = size == 1 || (i <= t->rank && size == t->sizes[t->rank - i]);
        if (fits && size != 1)
            p->strides[t->rank - i] = stride;
        stride *= (int64_t)size;
    }
    return fits;
}

enum status parameter_read(struct loaded *l, const char *option, const struct option_list *words,
                           enum dtype type, const struct tensor *t, struct diag *dg)
{
    const struct reading how = { .type = type == DT_FLOAT32 ? type : DT_INT64 };
    const struct field scale = { .use.role = ROLE_SCALE };
    struct tensor_argument s;
    enum status st = parameter_argument(&s, option, words, dg);
    struct tensor own = { .rank = s.numbers > 1, .sizes = { s.numbers } };
    struct tensor_desc td;
    uint64_t index;
    float value;

    l->file.count = s.numbers;
    if (st == ST_OK && s.numbers == 0) {
        st = reading_whole(&l->file, s.text, &how, 1, dg);
        own = l->file.tensor;
    }
    td = tensor_desc_packed(type, 1, &l->file.count);
    st = st ? st : convert_values(l, &s, &td, dg);
    if (st == ST_OK && l->file.count > 0 && bind_bad_scale(&scale, &l->view, &index, &value))
        return diag_input(dg, NULL,
                          "%s is %g at index %ju as FLOAT32; use a finite scale that is not 0",
                          option, (double)value, index);
    if (st || spread(&l->view, &own, t))
        return st;
    return diag_input(dg, NULL,
                      "%s: the sizes %s do not fit %s; give one value, one for each row, or one "
                      "for each column, in a file as {N,1} or {1,N} if there are as many of both",
                      option, tensor_sizes_text(own.rank, own.sizes).text,
                      tensor_sizes_text(t->rank, t->sizes).text);
}

enum status inputs_intact(const struct inputs *in, struct diag *dg)
{
    enum status st = ST_OK;

    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++)
        st = input_intact(&in->v[s].file.input, dg);
    return st;
}

void inputs_close(struct inputs *in)
{
    for (unsigned s = 0; s < SLOT_COUNT; s++) {
        tensor_file_close(&in->v[s].file);
        free(in->v[s].owned);
    }
}
