#include <string.h>

#include "desc/sizes.h"

/* The limits in an operator's file, and its flags. */

/* The level from which on another limit of the field counts; LEVEL_COUNT: none. */
static enum feature_level limit_end(const struct op_schema *s, const struct op_limit *l)
{
    const struct op_limit *end = s->limits.v + s->limits.n, *next = l + 1;

    while (next < end && strcmp(next->field, l->field) != 0)
        next++;
    return next < end ? next->since : LEVEL_COUNT;
}

static void check_numbers(struct check *c, const struct op_limit *l, enum feature_level until)
{
    enum field_kind kind = schema_field(c->schema, l->field)->kind;
    const struct field_value *v = good_value(c, l->field);
    bool real = kind == FIELD_FLOAT || kind == FIELD_FLOAT_ARRAY;
    struct phrase want = l->above  ? phrase("a number above %u", l->least)
                         : l->most ? range(l->least, l->most)
                                   : phrase("%u or more", l->least),
                  when = phrase(until < LEVEL_COUNT ? " before feature level %s" : "",
                                level_names[until]);

    for (uint32_t i = 0; v && i < (v->count ? v->count : 1) && i < DML_MAX_RANK; i++) {
        double x = real ? v->x[i] : (double)v->v[i];

        if (l->above ? !(x > l->least) : x < l->least || (l->most && x > l->most))
            hint_level(violation(c, until < LEVEL_COUNT ? RULE_SUPPORT_VALUE : RULE_SHAPE_VALUE,
                                 at_field(c, l->field, v->count ? (int)i : WHOLE),
                                 "is %.10g, but must be %s%s", x, want.s, when.s),
                       PHRASE("use %s", want.s), until);
    }
}

static void check_limit(struct check *c, const struct op_limit *l, enum feature_level until)
{
    bool given = given_value(c, l->field);
    const char *missing = given ? l->with : l->required ? l->field : NULL;

    if (l->least || l->above)
        check_numbers(c, l, until);
    else if (missing && !given_value(c, missing))
        expect_tensor(c, missing, PHRASE("give %s", missing),
                      PHRASE("before feature level %s, %s needs %s", level_names[until],
                             given ? l->field : c->schema->name, missing));
}

void check_limits(struct check *c)
{
    const struct op_schema *s = c->schema;

    for (size_t i = 0; i < s->limits.n && s->limits.v[i].since <= c->level; i++) {
        enum feature_level until = limit_end(s, &s->limits.v[i]);

        c->but = s->limits.v[i].but;
        if (until > c->level)
            check_limit(c, &s->limits.v[i], until);
    }
    c->but = NULL;
    for (unsigned slot = 0; s->not_owned && slot < c->values->tensor_count; slot++)
        if (!slot_field(c, slot)->output && c->tensor[slot].flags & TENSOR_FLAG_OWNED_BY_DML)
            finding_hint(violation(c, RULE_SUPPORT_FLAGS, at_tensor(c, slot, "Flags", WHOLE),
                                   "is OWNED_BY_DML, which %s does not support", s->name),
                         "use NONE, or leave Flags out");
}
