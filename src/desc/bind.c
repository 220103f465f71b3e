#include "desc/bind.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "desc/check.h"
#include "tensor/element.h"

/* What bind_check looks at. */
struct bound_tensor {
    const struct field *field;
    const struct tensor_desc *td;
    const struct tensor *t;
    uint64_t count;
    const char *name;
};

static bool same_sizes(const struct tensor *t, const struct tensor_desc *td)
{
    unsigned i = t->rank, j = td->rank;

    for (; i > 0 && j > 0; i--, j--)
        if (t->sizes[i - 1] != td->sizes[j - 1])
            return false;
    while (i > 0 && t->sizes[i - 1] == 1)
        i--;
    while (j > 0 && td->sizes[j - 1] == 1)
        j--;
    return i == 0 && j == 0;
}

static void check_type(struct check *c, const struct bound_tensor *b)
{
    enum dtype have = b->t->type, want = b->td->type;
    struct finding *f;

    if (!c->seen->tensor[b->field->slot].type || have == want)
        return;
    f = violation(c, RULE_BIND_DATA_TYPE, at_tensor(c, b->field->slot, "DataType", WHOLE),
                  "%s holds %s, but %s.DataType is %s", b->name, dtype_name(have), b->field->name,
                  dtype_name(want));
    finding_hint(f, "use %s, or bind a file of type %s", dtype_name(have), dtype_name(want));
}

static void check_sizes(struct check *c, const struct bound_tensor *b)
{
    char have[TENSOR_SIZES_TEXT], want[TENSOR_SIZES_TEXT];

    if (same_sizes(b->t, b->td))
        return;
    finding_hint(violation(c, RULE_BIND_SIZES, at_tensor(c, b->field->slot, "Sizes", WHOLE),
                           "%s is %s, but %s.Sizes are %s", b->name,
                           tensor_sizes_text(have, b->t->rank, b->t->sizes), b->field->name,
                           tensor_sizes_text(want, b->td->rank, b->td->sizes)),
                 "use %s, or bind another file; leading sizes of 1 do not count", have);
}

/* With Strides the tensor's elements are a buffer. False where it is too short. */
static bool check_length(struct check *c, const struct bound_tensor *b)
{
    uint64_t extent;
    struct tensor view;
    struct finding *f;

    if (!tensor_desc_view(b->td, NULL, &view) ||
        !tensor_extent(view.rank, view.sizes, view.strides, &extent))
        extent = UINT64_MAX; /* more than any file holds */
    if (extent <= b->count)
        return true;
    f = violation(c, RULE_BIND_BUFFER_LENGTH, at_tensor(c, b->field->slot, "Strides", WHOLE),
                  "%s holds %" PRIu64 " elements, but the Sizes and Strides of %s reach %" PRIu64,
                  b->name, b->count, b->field->name, extent);
    finding_hint(f, "bind a file of %" PRIu64 " elements or more, or use smaller strides", extent);
    return false;
}

bool bind_bad_scale(const struct field *f, const struct tensor *t, uint64_t *index, float *value)
{
    uint64_t c[TENSOR_MAX_RANK] = { 0 };

    *index = 0;
    if (f->role != ROLE_SCALE || t->type != DT_FLOAT32)
        return false;
    do {
        *value = element_load_float(tensor_at(t, c), t->swapped);
        if (!isfinite(*value) || (f->matrix == SLOT_C && *value == 0))
            return true;
        ++*index;
    } while (tensor_next(t->rank, t->sizes, c));
    return false;
}

/* reached: of the tensor, what the description's Strides reach. */
static void check_scales(struct check *c, const struct bound_tensor *b,
                         const struct tensor *reached)
{
    struct finding *f;
    uint64_t index;
    float value;

    if (b->count == 0 || !bind_bad_scale(b->field, reached, &index, &value))
        return;
    f = findings_add(c->fs, RULE_QMATMUL_SCALE_VALUE, at_tensor(c, b->field->slot, NULL, WHOLE).s,
                     AT_KEY, "%s in %s is %g at index %" PRIu64, b->field->name, b->name,
                     (double)value, index);
    finding_hint(f, b->field->matrix == SLOT_C ? "use a finite scale that is not 0"
                                               : "use a finite scale");
}

void bind_check(const struct desc *d, const struct desc_seen *seen, const struct field *f,
                const struct tensor *t, uint64_t count, const char *name, struct findings *fs)
{
    const struct bound_tensor b = { f, &d->tensor[f->slot], t, count, name };
    struct desc_seen whole;
    struct check c = { .d = d, .seen = seen, .fs = fs };
    struct tensor reached = *t;
    const struct tensor_seen *s;

    if (!seen) {
        whole = desc_seen_whole(d);
        c.seen = &whole;
    }
    s = &c.seen->tensor[f->slot];
    check_type(&c, &b);
    if (rank_known(&c, f->slot)) {
        if (!b.td->has_strides)
            check_sizes(&c, &b);
        else if (s->strides && s->strides_count == s->sizes_count && check_length(&c, &b) &&
                 t->type == b.td->type && tensor_is_packed(t))
            bind_view(b.td, t, &reached);
    }
    check_scales(&c, &b, &reached);
}

void bind_view(const struct tensor_desc *td, const struct tensor *t, struct tensor *view)
{
    struct tensor shape;

    tensor_desc_view(td, t->data, &shape); /* fits: so does the tensor */
    for (unsigned i = 0; i < td->rank && !td->has_strides; i++)
        shape.strides[td->rank - 1 - i] = i < t->rank ? t->strides[t->rank - 1 - i] : 1;
    shape.swapped = t->swapped;
    shape.is_bool = t->is_bool;
    shape.feed = t->feed;
    *view = shape;
}

enum status bind_check_scales(const struct desc *d, struct tensor *const t[SLOT_COUNT],
                              struct diag *dg)
{
    for (const struct field *f = op_schemas[d->op].fields; f->name; f++) {
        uint64_t index;
        float value;

        if (f->role == ROLE_SCALE && bind_bad_scale(f, t[f->slot], &index, &value))
            return diag_error(dg, ST_INPUT, NULL,
                              "%s: the scale at index %" PRIu64
                              " is %g; scales must be finite%s [%s]",
                              f->name, index, (double)value,
                              f->matrix == SLOT_C ? ", and an output scale must not be 0" : "",
                              rule_table[RULE_QMATMUL_SCALE_VALUE].id);
    }
    return ST_OK;
}
