#include "desc/shapes/shapes.h"

const struct shape_row shape_rows[] = {
#include "desc/recipes_rows.h"
    { "", NULL, "InputTensor", "", "" },
};

/* Reads Axis, or the different entries of Axes. Reports shape.axis unless they are below the rank
 * of s->in. */
static void read_axes(struct check *c, struct shapes *s)
{
    const char *field = given_value(c, "Axis") ? "Axis" : "Axes";
    const struct field_value *v = s->in.rank ? good_value(c, field) : NULL;
    bool array = strcmp(field, "Axes") == 0;

    s->axes_known = v;
    for (uint32_t i = 0; v && i < (array ? v->count : 1) && i < DML_MAX_RANK; i++) {
        struct pointer at = at_field(c, field, array ? (int)i : WHOLE);

        if (!require_axis(c, RULE_SHAPE_AXIS, at, (uint64_t)v->v[i], s->in.slot))
            s->axes_known = false;
        else if (s->axes >> v->v[i] & 1)
            s->axes_known = finding_hint(
                violation(c, RULE_SHAPE_AXIS, at, "is %jd, which is there already", v->v[i]),
                "give each axis once");
        else
            s->axes |= 1u << (s->axis = (unsigned)v->v[i]);
    }
}

void check_shape(struct check *c)
{
    const struct shape_row *row = shape_rows;
    struct shapes s = { .axes = 0 };

    while (row->name[0] && (!c->schema->shape || strcmp(row->name, c->schema->shape) != 0))
        row++;
    s.in = shape_of(c, row->in, 0);
    s.out = shape_of_rank(c, row->out, s.in.rank);
    s.by = shape_of_rank(c, row->by, s.in.rank);
    read_axes(c, &s);
    read_numbers(c, s.numbers);
    if (row->check)
        row->check(c, &s);
    else
        check_words(c, s.numbers);
}
