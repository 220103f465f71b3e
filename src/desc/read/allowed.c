#include <stdlib.h>
#include <string.h>

#include "desc/read/reader.h"

/* Sets the limits of K on an axis of size n; what both outputs have room for is meant. */
static void allow_k(const struct reader *r, int64_t axis, int64_t n, struct allowed *a)
{
    const struct tensor_desc *values = &r->values->tensor[SLOT_VALUES],
                             *indices = &r->values->tensor[SLOT_INDICES];
    int64_t k = axis < values->rank ? (int64_t)values->sizes[axis] : 0;

    a->hi = n > 1 && !r->fs->opt.relaxed ? n - 1 : n;
    if (axis < indices->rank && k == (int64_t)indices->sizes[axis] && k <= a->hi)
        a->meant = k;
}

/* Sets the limits of entry i of a field by the tensor that the operator reads or cuts. */
static void allow_by_tensor(const struct reader *r, size_t i, struct allowed *a)
{
    uint32_t slot = strcmp(r->values->schema->name, "SLICE_GRAD") == 0;
    const struct tensor_desc *t = &r->values->tensor[slot];
    const struct field_value *before = values_of(r->values, r->field - 1);
    const char *name = r->field->name;

    if (slot >= r->values->tensor_count || !r->values->seen[slot].sizes.all || i >= t->rank)
        return;
    if (a->axis)
        a->count = t->rank;
    else if (strstr(name, "Offsets"))
        a->count = (int64_t)t->sizes[i];
    else if (strstr(name, "Dimension") || strcmp(name, "AxisCount") == 0)
        a->hi = t->rank;
    else if (strstr(r->field[-1].name, "Offsets"))
        a->hi = (int64_t)t->sizes[i] - (before->good ? before->v[i] : 0);
    else if (strcmp(name, "K") == 0 && before->good && before->v[0] < t->rank)
        allow_k(r, before->v[0], (int64_t)t->sizes[before->v[0]], a);
    if (a->count > 0)
        a->hi = a->count - 1;
    if (a->hi < a->lo)
        a->hi = a->lo;
}

struct allowed allowed_integers(const struct reader *r, int64_t lo, int64_t hi)
{
    static const char *const from_zero[] = { "Padding", "Offset", "Batch" };
    struct allowed a = { .lo = lo, .hi = hi };
    const char *path = path_text(r), *name = r->field ? r->field->name : "";

    if (r->field && field_is_tensor(r->field))
        a.lo = strstr(path, "/Sizes/") != NULL;
    if (!r->field || field_is_tensor(r->field) || lo < 0)
        return a;
    a.axis = strcmp(name, "Axis") == 0 || strcmp(name, "Axes") == 0;
    a.lo = !a.axis;
    for (size_t i = 0; i < ARRAY_LEN(from_zero); i++)
        a.lo = a.lo && !strstr(name, from_zero[i]);
    allow_by_tensor(r, strtoul(strrchr(path, '/') + 1, NULL, 10), &a);
    return a;
}
