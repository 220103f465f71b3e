#include "cmd/checked.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "cmd/findings.h"
#include "desc/schema.h"
#include "io/tensor_file.h"
#include "model/source.h"

/* A file that is held against a tensor of the descriptor. */
struct bound {
    struct checked *c;
    const struct field *field;
    const struct tensor_desc *desc;
    const char *path;
    struct tensor_file file;
};

/* Where the tensor's field stands in the text. */
static struct str pointer_to(const struct bound *b, const char *field)
{
    struct str s = { 0 };

    str_printf(&s, "%s/%s%s%s%s", b->c->seen.fields, b->field->name,
               b->c->seen.tensor[b->field->slot].nested ? "/Desc" : "", *field ? "/" : "", field);
    if (s.failed)
        b->c->document.findings.failed = true;
    return s;
}

static bool same_sizes(const struct tensor *t, const struct tensor_desc *d)
{
    unsigned i = t->rank, j = d->rank;

    for (; i > 0 && j > 0; i--, j--)
        if (t->sizes[i - 1] != d->sizes[j - 1])
            return false;
    while (i > 0 && t->sizes[i - 1] == 1)
        i--;
    while (j > 0 && d->sizes[j - 1] == 1)
        j--;
    return i == 0 && j == 0;
}

static void check_type(struct bound *b)
{
    struct findings *fs = &b->c->document.findings;
    enum dtype have = b->file.tensor.type;
    struct finding *f;
    struct str at;

    if (!b->c->seen.tensor[b->field->slot].type || have == b->desc->type)
        return;
    at = pointer_to(b, "DataType");
    f = findings_add(fs, RULE_BIND_DATA_TYPE, at.s ? at.s : "", AT_VALUE, "%s holds %s, but %s.DataType is %s", b->path,
                     dtype_name(have), b->field->name, dtype_name(b->desc->type));
    finding_hint(fs, f, "use %s, or bind a file of %s", dtype_name(have), dtype_name(b->desc->type));
    str_free(&at);
}

static void check_sizes(struct bound *b)
{
    const struct tensor_seen *seen = &b->c->seen.tensor[b->field->slot];
    struct findings *fs = &b->c->document.findings;
    char have[TENSOR_SIZES_TEXT], want[TENSOR_SIZES_TEXT];
    uint64_t extent = UINT64_MAX;
    struct tensor view;
    struct finding *f;
    struct str at;

    if (!seen->sizes || seen->sizes_count == 0 || seen->sizes_count > DML_MAX_RANK ||
        (b->desc->has_strides && (!seen->strides || seen->strides_count != seen->sizes_count)))
        return;
    if (!b->desc->has_strides) {
        if (same_sizes(&b->file.tensor, b->desc))
            return;
        at = pointer_to(b, "Sizes");
        f = findings_add(fs, RULE_BIND_SIZES, at.s ? at.s : "", AT_VALUE, "%s is %s, but %s.Sizes are %s", b->path,
                         tensor_sizes_text(have, b->file.tensor.rank, b->file.tensor.sizes), b->field->name,
                         tensor_sizes_text(want, b->desc->rank, b->desc->sizes));
        finding_hint(fs, f, "use %s, or bind another file; leading sizes of 1 do not count", have);
        str_free(&at);
        return;
    }
    if (!tensor_desc_view(b->desc, NULL, &view) || !tensor_extent(view.rank, view.sizes, view.strides, &extent))
        extent = UINT64_MAX;
    if (extent <= b->file.count)
        return;
    at = pointer_to(b, "Strides");
    f = findings_add(fs, RULE_BIND_BUFFER_LENGTH, at.s ? at.s : "", AT_VALUE,
                     "%s holds %" PRIu64 " elements, but the Sizes and Strides of %s reach %" PRIu64, b->path, b->file.count,
                     b->field->name, extent);
    finding_hint(fs, f, "bind a file of %" PRIu64 " elements or more, or use smaller strides", extent);
    str_free(&at);
}

/* Scales are finite, and an output's not 0. */
static void check_scales(struct bound *b)
{
    const struct tensor *t = &b->file.tensor;
    struct findings *fs = &b->c->document.findings;
    uint64_t c[TENSOR_MAX_RANK] = { 0 }, i = 0;
    bool output = b->field->slot == SLOT_C_SCALE;

    if (b->c->desc.op != OP_QMATMUL || t->type != DT_FLOAT32 || b->file.count == 0 ||
        !(b->field->slot == SLOT_A_SCALE || b->field->slot == SLOT_B_SCALE || output))
        return;
    do {
        struct finding *f;
        struct str at;
        float v;

        memcpy(&v, tensor_at(t, c), sizeof v);
        if (t->swapped)
            tensor_swap_bytes(&v, sizeof v, 1);
        if (isfinite(v) && !(output && v == 0.0F))
            continue;
        at = pointer_to(b, "");
        f = findings_add(fs, RULE_QMATMUL_SCALE_VALUE, at.s ? at.s : "", AT_KEY, "%s of %s is %g at index %" PRIu64,
                         b->field->name, b->path, (double)v, i);
        finding_hint(fs, f, output ? "use a finite scale that is not 0" : "use a finite scale");
        str_free(&at);
        return;
    } while (i++, tensor_next(t->rank, t->sizes, c));
}

/* What DxDispatch would read differently. */
static void check_portable(struct bound *b)
{
    struct npy_peek s;
    struct str at;

    if (!b->c->document.findings.portable || strcmp(b->path, "-") == 0 || !npy_peek(b->path, &s))
        return;
    at = pointer_to(b, "");
    source_portable(&b->c->document.findings, at.s ? at.s : "", b->path, &s);
    str_free(&at);
}

static enum status check_bound(struct bound *b, struct diag *dg)
{
    enum dtype type = b->c->seen.tensor[b->field->slot].type ? b->desc->type : DT_NONE;
    enum status st;

    check_portable(b);
    st = tensor_file_read(&b->file, b->path, type, dg);
    if (st == ST_OK) {
        check_type(b);
        check_sizes(b);
        check_scales(b);
    }
    tensor_file_close(&b->file);
    return st;
}

/* NAME=PATH against the descriptor. */
static enum status check_bind(struct checked *c, const char *text, struct diag *dg)
{
    const char *names[SCHEMA_MAX_FIELDS], *equals = strchr(text, '=');
    const struct field *f = op_schemas[c->desc.op].fields;
    struct bound b = { .c = c, .path = equals ? equals + 1 : "" };
    size_t n = 0, near;
    struct str name = { 0 };
    enum status st;

    if (!equals || equals == text || !equals[1])
        return diag_error(dg, ST_USAGE, NULL, "--bind: '%s' is not NAME=PATH", text);
    for (; f->name; f++) {
        if (f->kind != FIELD_TENSOR || f->output)
            continue;
        names[n++] = f->name;
        if (strlen(f->name) == (size_t)(equals - text) && memcmp(text, f->name, (size_t)(equals - text)) == 0)
            break;
    }
    if (f->name && c->desc.tensor[f->slot].present) {
        b.field = f;
        b.desc = &c->desc.tensor[f->slot];
        return check_bound(&b, dg);
    }
    str_add(&name, text, (size_t)(equals - text));
    if (f->name)
        st = diag_error(dg, ST_USAGE, NULL, "--bind: the descriptor has no %s", f->name);
    else {
        near = str_nearest(name.s ? name.s : "", names, n);
        st = diag_error(dg, ST_USAGE, NULL, "--bind: %s has no input tensor '%s'%s%s%s", op_schemas[c->desc.op].name,
                        name.s ? name.s : "", near < n ? "; did you mean " : "", near < n ? names[near] : "",
                        near < n ? "?" : "");
    }
    str_free(&name);
    return st;
}

static enum status check_binds(struct checked *c, const struct check_options *opt, struct diag *dg)
{
    enum status worst = ST_OK;

    if (c->is_model && opt->binds.n > 0)
        return diag_error(dg, ST_USAGE, NULL, "--bind is for descriptors; a model file has bindings of its own");
    if (c->desc.op == OP_NONE)
        return ST_OK; /* that has been said */
    for (size_t i = 0; i < opt->binds.n; i++) {
        enum status st = check_bind(c, opt->binds.v[i], dg);

        if (st == ST_USAGE || st == ST_SYSTEM)
            return st;
        worst = st > worst ? st : worst;
    }
    return worst;
}

enum status checked_text(struct checked *c, const char *path, char *text, size_t len, const struct check_options *opt,
                         struct diag *dg)
{
    static const char *const also[] = { "$schema", NULL };
    struct findings *fs = &c->document.findings;
    enum status st, bound = ST_OK;

    *c = (struct checked){ 0 };
    st = document_scan(&c->document, text, len, &opt->desc.findings, dg);
    if (st)
        return st;
    c->is_model = model_is(&c->document.doc);
    if (!c->is_model && len > DESC_MAX_TEXT)
        return diag_error(dg, ST_INPUT, path, "the text is longer than %zu MiB, the most that a descriptor may have",
                          DESC_MAX_TEXT >> 20);
    if (c->is_model) {
        struct model_options model = { .desc = opt->desc, .path = path };

        model_read(&c->model, &c->document.doc, &model, fs);
    } else if (document_is_json(&c->document))
        desc_read(&c->desc, &c->seen, &c->document.doc, 0, "", also, &opt->desc, fs);
    if (!fs->failed)
        bound = check_binds(c, opt, dg);
    st = document_finish(&c->document, dg);
    return st ? st : bound;
}

enum status checked_load(struct checked *c, const char *path, const struct check_options *opt, struct diag *dg)
{
    char *text;
    size_t len;
    enum status st = text_load(path, JSON_MAX_TEXT, "model file", &text, &len, dg);

    return st ? st : checked_text(c, path, text, len, opt, dg);
}

void checked_free(struct checked *c)
{
    model_free(&c->model);
    document_free(&c->document);
    *c = (struct checked){ 0 };
}
