#include "cmd/emit_model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "desc/emit.h"
#include "desc/schema.h"
#include "io/element.h"
#include "tensor/scalar.h"

/* A text on its way to an output, in pieces. */
struct writing {
    struct job *j;
    size_t index;
    struct str b;
    enum status st;
    struct diag *dg;
};

static void flush(struct writing *w, size_t least)
{
    if (w->st || w->b.len < least)
        return;
    w->st = w->b.failed ? diag_nomem(w->dg) : outputs_write(&w->j->outs, w->index, w->b.s, w->b.len, w->dg);
    w->b.len = 0;
}

static void add_element(struct writing *w, const struct tensor *t, const void *at, bool first)
{
    enum { PIECE = 1 << 16 };
    struct scalar s = scalar_load(t->type, t->swapped, at);
    char text[NUMBER_TEXT], native[8];

    scalar_store(&s, t->type, native);
    element_text(t->type, native, true, text);
    str_puts(&w->b, first ? "" : ", ");
    str_puts(&w->b, text);
    flush(w, PIECE);
}

/* The values of an input as its buffer holds them: up to the last element reached where the descriptor has Strides, else
 * in row-major order. */
static void add_values(struct writing *w, const struct tensor_desc *td, const struct tensor *t)
{
    uint64_t c[TENSOR_MAX_RANK] = { 0 }, extent = 0;

    if (td->has_strides) {
        tensor_extent(t->rank, t->sizes, t->strides, &extent); /* fits: the file holds it */
        for (uint64_t i = 0; i < extent && w->st == ST_OK; i++)
            add_element(w, t, (const char *)t->data + i * dtype_size(t->type), i == 0);
        return;
    }
    add_element(w, t, tensor_at(t, c), true);
    while (tensor_next(t->rank, t->sizes, c) && w->st == ST_OK)
        add_element(w, t, tensor_at(t, c), false);
}

static void add_resource(struct writing *w, const struct field *f)
{
    const struct tensor_desc *td = &w->j->desc.tensor[f->slot];
    uint64_t bytes = 0;

    tensor_desc_bytes(td, &bytes); /* fits: the tensors do */
    str_printf(&w->b, "    \"%s\": { \"initialValuesDataType\": \"%s\", \"initialValues\": ", f->name, dtype_name(td->type));
    if (f->output)
        str_printf(&w->b, "{ \"valueCount\": %" PRIu64 ", \"value\": 0 }", bytes / dtype_size(td->type));
    else {
        str_puts(&w->b, "[");
        add_values(w, td, &w->j->in[f->slot].view);
        str_puts(&w->b, "]");
    }
    if (td->total_size > bytes)
        str_printf(&w->b, ", \"sizeInBytes\": %" PRIu64, td->total_size);
    str_puts(&w->b, " }");
}

/* "bindings" of the tensors that are owned by DirectML, or of the others. */
static unsigned add_bindings(struct writing *w, bool owned)
{
    unsigned n = 0;

    str_puts(&w->b, "\"bindings\": { ");
    for (const struct field *f = op_schemas[w->j->desc.op].fields; f->name; f++) {
        const struct tensor_desc *td = &w->j->desc.tensor[f->slot];

        if (f->kind == FIELD_TENSOR && td->present && owned == (td->flags & TENSOR_FLAG_OWNED_BY_DML))
            str_printf(&w->b, "%s\"%s\": \"%s\"", n++ ? ", " : "", f->name, f->name);
    }
    str_puts(&w->b, n ? " }" : "}");
    return n;
}

static bool any_owned(const struct desc *d)
{
    for (unsigned s = 0; s < SLOT_COUNT; s++)
        if (d->tensor[s].present && (d->tensor[s].flags & TENSOR_FLAG_OWNED_BY_DML))
            return true;
    return false;
}

/* The descriptor as a member, its lines indented; with the bindings that belong to it. */
static void add_dispatchable(struct writing *w)
{
    struct str text = { 0 };
    const char *p;

    desc_emit(&w->j->desc, &text);
    w->b.failed = w->b.failed || text.failed;
    str_printf(&w->b, "    \"%s\": ", w->j->oc->usage->name);
    for (p = text.s ? text.s : ""; *p;) {
        size_t n = strcspn(p, "\n");

        str_add(&w->b, p, n);
        p += n + (p[n] == '\n');
        if (*p == '}' && any_owned(&w->j->desc)) { /* before the last brace */
            str_puts(&w->b, ",\n      ");
            add_bindings(w, true);
        }
        str_puts(&w->b, *p ? "\n    " : "\n");
    }
    str_free(&text);
}

enum status emit_model(struct job *j, size_t index, struct diag *dg)
{
    struct writing w = { .j = j, .index = index, .dg = dg };
    const struct field *fields = op_schemas[j->desc.op].fields;
    const char *comma = "";

    str_puts(&w.b, "{\n  \"resources\": {\n");
    for (const struct field *f = fields; f->name; f++) {
        if (f->kind != FIELD_TENSOR || !j->desc.tensor[f->slot].present)
            continue;
        str_puts(&w.b, comma);
        add_resource(&w, f);
        comma = ",\n";
    }
    str_puts(&w.b, "\n  },\n  \"dispatchables\": {\n");
    add_dispatchable(&w);
    str_printf(&w.b, "  },\n  \"commands\": [\n    { \"type\": \"dispatch\", \"dispatchable\": \"%s\",\n      ", j->oc->usage->name);
    add_bindings(&w, false);
    str_puts(&w.b, " }");
    for (const struct field *f = fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && f->output)
            str_printf(&w.b, ",\n    { \"type\": \"print\", \"resource\": \"%s\" }", f->name);
    str_puts(&w.b, "\n  ]\n}\n");
    flush(&w, 0);
    str_free(&w.b);
    return w.st;
}
