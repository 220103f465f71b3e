#include "desc/sizes.h"

/* A number out of its limits is ill-formed for the rules that follow. */
static void check_numbers(struct check *c, const struct op_limit *l, const struct field *f)
{
    struct phrase want = l->above  ? phrase("a number above %u", l->least)
                         : l->most ? range(l->least, l->most)
                                   : phrase("%u or more", l->least),
                  when = phrase("%s%s", l->until ? " before feature level " : "",
                                l->until ? level_names[l->until] : "");
    bool real = f->kind == FIELD_FLOAT || f->kind == FIELD_FLOAT_ARRAY,
         pair = f->kind == FIELD_SIZE_2D;
    struct field_value *v = values_of(c->values, f);
    uint32_t n = !v->good ? 0 : pair ? 2 : v->count ? v->count : 1;

    for (uint32_t i = 0; i < n && i < DML_MAX_RANK; i++) {
        struct phrase name = phrase("%s%s", f->name, !pair ? "" : i ? "/Height" : "/Width");
        double x = real ? v->x[i] : (double)v->v[i];

        if (l->above ? x > l->least : x >= l->least && (!l->most || x <= l->most))
            continue;
        hint_level(violation(c, l->until ? RULE_SUPPORT_VALUE : RULE_SHAPE_VALUE,
                             at_field(c, name.s, v->count ? (int)i : WHOLE),
                             "is %.10g, but must be %s%s", x, want.s, when.s),
                   PHRASE("use %s", want.s), l->until ? l->until : LEVEL_COUNT);
        v->good = l->but != NULL;
    }
}

static void check_limit(struct check *c, const struct op_limit *l)
{
    bool given = given_value(c, l->field);
    const char *missing = given ? l->with : l->required ? l->field : NULL;
    struct finding *f;

    if (l->least || l->above)
        check_numbers(c, l, schema_field(c->schema, l->field));
    if (missing && !given_value(c, missing))
        expect_tensor(c, missing, PHRASE("give %s", missing),
                      PHRASE("before feature level %s, %s needs %s%s%s", level_names[l->until],
                             given ? l->field : c->schema->name, missing, l->but ? ": " : "",
                             l->but ? l->but : ""));
    for (unsigned slot = 0; given && l->types && slot < c->values->tensor_count; slot++) {
        enum dtype type = c->tensor_seen[slot].type ? c->tensor[slot].type : DT_NONE;

        if (!slot_field(c, slot)->output || type == DT_NONE || l->types >> type & 1)
            continue;
        f = violation(c, RULE_SHAPE_DATA_TYPE, at_field(c, l->field, WHOLE),
                      "is given, but the data are %s", dtype_name(type));
        finding_hint(f, "leave %s out, or use another type", l->field);
        relate_type(c, f, slot);
    }
}

void check_limits(struct check *c)
{
    for (size_t i = 0; i < c->schema->limits.n; i++) {
        const struct op_limit *l = &c->schema->limits.v[i];

        c->but = l->but;
        if (!l->until || c->level < l->until)
            check_limit(c, l);
    }
    c->but = NULL;
}
