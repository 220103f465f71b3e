#include "desc/bind.h"

#include <math.h>

#include "desc/check.h"
#include "tensor/element.h"

/* Leading sizes of 1 do not count; scales or zero points may have one axis, whichever it is. */
static bool same_sizes(const struct tensor *t, const struct tensor_desc *td, bool parameter)
{
    unsigned i = t->rank, j = td->rank;
    uint64_t count;

    if (parameter && i == 1)
        return tensor_count(j, td->sizes, &count) && count == t->sizes[0];
    for (; i > 0 && j > 0; i--, j--)
        if (t->sizes[i - 1] != td->sizes[j - 1])
            return false;
    while (i > 0 && t->sizes[i - 1] == 1)
        i--;
    while (j > 0 && td->sizes[j - 1] == 1)
        j--;
    return i == 0 && j == 0;
}

/* Scales and zero points may have any type, except in buffers: they are converted. */
static void check_type(struct check *c, unsigned slot, enum dtype have, const char *name)
{
    enum dtype want = c->tensor[slot].type;
    const struct field *field = slot_field(c, slot);
    const struct op_support *s = schema_support(c->schema, field->slot, c->level);
    struct pointer at = at_tensor(c, slot, "DataType", WHOLE);
    struct finding *f;

    if (!c->tensor_seen[slot].type || have == want ||
        (field_is_parameter(field) && !c->tensor[slot].has_strides))
        return;
    f = violation(c, RULE_BIND_DATA_TYPE, unnamed(at), "%s holds %s, but %s is %s", name,
                  dtype_name(have), at.name, dtype_name(want));
    if (s && !(s->types >> have & 1))
        finding_hint(f, "bind a file of type %s", dtype_name(want));
    else
        finding_hint(f, "use %s, or bind a file of type %s", dtype_name(have), dtype_name(want));
}

static void check_sizes(struct check *c, unsigned slot, const struct tensor *t, const char *name)
{
    const struct tensor_desc *td = &c->tensor[slot];
    struct sizes_text have = tensor_sizes_text(t->rank, t->sizes),
                      want = tensor_sizes_text(td->rank, td->sizes);
    bool parameter = field_is_parameter(slot_field(c, slot));
    struct pointer at = at_tensor(c, slot, "Sizes", WHOLE);

    if (same_sizes(t, td, parameter) || !sizes_known(c, slot)) /* tensor.sizes-zero reports that */
        return;
    finding_hint(violation(c, RULE_BIND_SIZES, unnamed(at), "%s is %s, but %s are %s", name,
                           have.text, at.name, want.text),
                 parameter ? "bind a file with sizes %s, or with one axis of as many values"
                           : "use %s, or bind another file; leading sizes of 1 do not count",
                 parameter ? want.text : have.text);
}

/* Checks a description with Strides: `count` elements are a buffer. False if it is too short. */
static bool check_length(struct check *c, unsigned slot, uint64_t count, const char *name)
{
    uint64_t extent;
    struct tensor view;

    if (!tensor_desc_view(&c->tensor[slot], NULL, &view) ||
        !tensor_extent(view.rank, view.sizes, view.strides, &extent))
        extent = UINT64_MAX; /* more than any file has */
    if (extent <= count)
        return true;
    return finding_hint(violation(c, RULE_BIND_BUFFER_LENGTH,
                                  unnamed(at_tensor(c, slot, "Strides", WHOLE)),
                                  "%s holds %s, but the Sizes and Strides of %s reach %ju", name,
                                  counted(count, "element").s, at_sizes(c, slot).name, extent),
                        "bind a file of %ju elements or more, or use smaller strides", extent);
}

bool bind_bad_scale(const struct field *f, const struct tensor *t, uint64_t *index, float *value)
{
    uint64_t c[TENSOR_MAX_RANK] = { 0 };

    *index = 0;
    if (f->use.role != ROLE_SCALE || t->type != DT_FLOAT32)
        return false;
    do {
        *value = element_load_float(tensor_at(t, c), t->swapped);
        if (!isfinite(*value) || *value == 0)
            return true;
        ++*index;
    } while (tensor_next(t->rank, t->sizes, c));
    return false;
}

void bind_check_values(const struct op_values *v, unsigned slot, const struct tensor *t,
                       uint64_t count, const char *name, struct findings *fs)
{
    struct check check = check_values(v, LEVEL_NEWEST, fs), *c = &check;
    const struct tensor_desc *td = &v->tensor[slot];
    const struct tensor_seen *s = &v->seen[slot];
    const struct field *f = slot_field(c, slot);
    struct tensor reached = *t;
    uint64_t index;
    float value;

    check_type(c, slot, t->type, name);
    if (rank_known(c, slot)) {
        if (!td->has_strides)
            check_sizes(c, slot, t, name);
        else if (s->strides.all && s->strides.count == s->sizes.count &&
                 check_length(c, slot, count, name) && t->type == td->type && tensor_is_packed(t))
            bind_view(td, t, &reached);
    }
    if (count > 0 && bind_bad_scale(f, &reached, &index, &value))
        finding_hint(findings_add(fs, RULE_QMATMUL_SCALE_VALUE, at_tensor(c, slot, NULL, WHOLE).s,
                                  AT_KEY, "%s in %s is %g at index %ju as FLOAT32", f->name, name,
                                  (double)value, index),
                     "use a finite scale that is not 0");
}

void bind_check(const struct desc *d, const struct field *f, const struct tensor *t, uint64_t count,
                const char *name, struct findings *fs)
{
    struct op_values v;

    if (values_of_desc(d, &v))
        bind_check_values(&v, f->slot, t, count, name, fs);
    else
        fs->failed = true;
    values_free(&v);
}

void bind_view(const struct tensor_desc *td, const struct tensor *t, struct tensor *view)
{
    struct tensor shape;

    tensor_desc_view(td, t->data, &shape); /* cannot overflow: the tensor exists */
    for (unsigned i = 0; i < td->rank && !td->has_strides; i++)
        shape.strides[td->rank - 1 - i] = t->rank == 1  ? t->strides[0] /* of the only long axis */
                                          : i < t->rank ? t->strides[t->rank - 1 - i]
                                                        : 1;
    shape.swapped = t->swapped;
    shape.is_bool = t->is_bool;
    *view = shape;
}

enum status bind_check_scales(const struct desc *d, struct tensor *const t[SLOT_COUNT],
                              struct diag *dg)
{
    for (const struct field *f = op_schema(d->op)->fields; f->name; f++) {
        uint64_t index;
        float value;

        if (f->use.role == ROLE_SCALE && bind_bad_scale(f, t[f->slot], &index, &value))
            return diag_input(
                dg, NULL, "%s: the scale at index %ju is %g; scales must be finite and not 0 [%s]",
                f->name, index, (double)value, rule_table[RULE_QMATMUL_SCALE_VALUE].id);
    }
    return ST_OK;
}
