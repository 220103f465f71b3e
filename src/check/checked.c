#include "check/checked.h"

#include "desc/bind.h"
#include "io/kind.h"
#include "io/tensor_file.h"

static enum status check_bound(struct checked *c, unsigned slot, const char *path,
                               const struct check_options *opt, struct diag *dg)
{
    const struct op_values *v = &c->values;
    enum dtype type = v->seen[slot].type ? v->tensor[slot].type : DT_NONE;
    struct findings *fs = &c->document.findings;
    struct tensor_file file = { .skip_lines = opt->skip_lines, .array = opt->array };
    struct npy_peek s;
    char at[128];
    enum status st;

    snprintf(at, sizeof at, "%s/%s%s", v->fields, values_tensor_name(v, slot).pointer,
             v->seen[slot].nested ? "/Desc" : "");
    if (fs->opt.portable && strcmp(path, "-") != 0) {
        if (npy_peek(path, &s))
            source_portable(fs, at, path, &s);
        else
            fs->failed = fs->failed || s.failed;
    }
    st = tensor_file_begin(&file, path, type < DT_COUNT ? type : DT_NONE, 0, dg);
    st = st ? st : tensor_file_finish(&file, dg);
    if (st == ST_OK) {
        note_tensor_file(path, &file, dg);
        bind_check_values(v, slot, &file.tensor, file.count, path, fs);
    }
    tensor_file_close(&file);
    return st;
}

/* Reports a --bind whose name is no input tensor that the descriptor has. */
static enum status unknown_bind(const struct op_values *v, const char *name, struct diag *dg)
{
    const char *names[SCHEMA_MAX_FIELDS];
    const struct field *f = schema_field(v->schema, name);
    size_t n = 0, near;

    if (f && field_is_tensor(f) && !f->output)
        return f->kind == FIELD_TENSOR
                   ? diag_usage(dg, "--bind: the descriptor has no %s", name)
                   : diag_usage(dg, "--bind: %s is an array of tensors; use %s[0] for the first",
                                name, name);
    for (f = v->schema->fields; f->name; f++)
        if (field_is_tensor(f) && !f->output)
            names[n++] = f->name;
    near = str_nearest(name, names, n);
    return diag_usage(dg, "--bind: %s has no input tensor '%s'%s%s%s", v->schema->name, name,
                      near < n ? "; did you mean " : "", near < n ? names[near] : "",
                      near < n ? "?" : "");
}

static enum status check_bind(struct checked *c, const char *text, const struct check_options *opt,
                              struct diag *dg)
{
    const struct op_values *v = &c->values;
    const char *equals = strchr(text, '=');
    const struct field *f = NULL;
    enum status st;
    uint32_t slot = 0;
    char *name;

    if (!equals || equals == text || !equals[1])
        return diag_usage(dg, "--bind: '%s' is not NAME=PATH", text);
    name = str_format("%.*s", (int)(equals - text), text);
    if (!name)
        return diag_nomem(dg);
    while (slot < v->tensor_count && strcmp(values_tensor_name(v, slot).name, name) != 0)
        slot++;
    if (slot < v->tensor_count)
        f = values_tensor_field(v, slot);
    st = f && !f->output && v->tensor[slot].present ? check_bound(c, slot, equals + 1, opt, dg)
                                                    : unknown_bind(v, name, dg);
    free(name);
    return st;
}

static enum status check_binds(struct checked *c, const struct check_options *opt, struct diag *dg)
{
    enum status worst = ST_OK;

    if (c->is_model && opt->binds.n > 0)
        return diag_usage(dg, "--bind is for descriptors; a model file has its own bindings");
    if (!c->values.schema)
        return ST_OK; /* a finding says so */
    for (size_t i = 0; i < opt->binds.n; i++) {
        enum status st = check_bind(c, opt->binds.v[i], opt, dg);

        if (st == ST_USAGE || st == ST_SYSTEM)
            return st;
        worst = st > worst ? st : worst;
    }
    return worst;
}

enum status checked_text(struct checked *c, const char *path, char *text, size_t len,
                         const struct check_options *opt, struct diag *dg)
{
    struct findings *fs = &c->document.findings;
    enum status st, bound = ST_OK;

    *c = (struct checked){ 0 };
    st = document_scan(&c->document, text, len, &opt->desc.findings, dg);
    if (st)
        return st;
    c->is_model = model_is(&c->document.doc);
    if (!c->is_model && len > DESC_MAX_TEXT) {
        document_free(&c->document); /* or it would be reported as valid */
        return diag_input(dg, path,
                          "the text is longer than %zu MiB, the most that a descriptor may have",
                          DESC_MAX_TEXT >> 20);
    }
    if (c->is_model) {
        struct model_options model = { .desc = opt->desc, .path = path };

        model_read(&c->model, &c->document.doc, &model, fs);
    } else if (document_is_readable(&c->document))
        desc_read(&c->values, &c->document.doc, 0, "", NULL, &opt->desc, fs);
    if (!fs->failed)
        bound = check_binds(c, opt, dg);
    st = document_finish(&c->document, dg);
    return st ? st : bound;
}

enum status checked_copy(struct checked *c, const char *path, const struct str *text,
                         const struct check_options *opt, struct diag *dg)
{
    struct str copy = { 0 };

    *c = (struct checked){ 0 };
    str_add(&copy, text->s ? text->s : "", text->len);
    return copy.failed ? diag_nomem(dg) : checked_text(c, path, copy.s, copy.len, opt, dg);
}

enum status checked_load(struct checked *c, const char *path, const struct check_options *opt,
                         struct diag *dg)
{
    char *text;
    size_t len;
    enum status st = text_load(path, JSON_MAX_TEXT, WANT_DOCUMENT, &text, &len, NULL, dg);

    return st ? st : checked_text(c, path, text, len, opt, dg);
}

void checked_free(struct checked *c)
{
    model_free(&c->model);
    values_free(&c->values);
    document_free(&c->document);
    *c = (struct checked){ 0 };
}
