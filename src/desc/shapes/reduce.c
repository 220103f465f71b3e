#include <stdio.h>

#include "base/util.h"
#include "desc/shapes/recipes.h"
#include "desc/shapes/shapes.h"

enum {
    FLOATS = 1 << DT_FLOAT32 | 1 << DT_FLOAT16,
    WORDS = 1 << DT_INT32 | 1 << DT_UINT32,
    SMALL = 1 << DT_INT16 | 1 << DT_INT8 | 1 << DT_UINT16 | 1 << DT_UINT8,
    LONGS = 1 << DT_INT64 | 1 << DT_UINT64
};

static const enum feature_level levels[] = { LEVEL_2_1, LEVEL_3_0, LEVEL_4_1, LEVEL_5_0 };

/* REDUCE's functions; the types of the input that each of `levels` adds to FLOATS. */
static const struct {
    const char *name;
    unsigned types[ARRAY_LEN(levels)];
} functions[] = {
    { "ARGMAX", { WORDS | SMALL, 0, LONGS, 0 } },
    { "ARGMIN", { WORDS | SMALL, 0, LONGS, 0 } },
    { "AVERAGE", { 0 } },
    { "L1", { 0, 0, 0, WORDS | LONGS } },
    { "L2", { 0 } },
    { "LOG_SUM", { 0 } },
    { "LOG_SUM_EXP", { 0 } },
    { "MAX", { WORDS, SMALL, 0, LONGS } },
    { "MIN", { WORDS, SMALL, 0, LONGS } },
    { "MULTIPLY", { WORDS, 0, 0, LONGS } },
    { "SUM", { WORDS, 0, 0, LONGS } },
    { "SUM_SQUARE", { 0, 0, 0, WORDS | LONGS } },
};

static void check_types(struct check *c, size_t function)
{
    const char *name = functions[function].name;
    unsigned types = FLOATS;
    enum dtype type = shape_type(c, "InputTensor");
    char why[80];

    for (size_t i = 0; i < ARRAY_LEN(levels) && levels[i] <= c->level; i++)
        types |= functions[function].types[i];
    snprintf(why, sizeof why, "%s does not reduce it at level %s", name, level_names[c->level]);
    expect_type(c, "InputTensor", types, why);
    if (function < 2) { /* ARGMAX, ARGMIN */
        snprintf(why, sizeof why, "%s returns indices", name);
        expect_type(c, "OutputTensor", c->level < LEVEL_3_0 ? 1 << DT_UINT32 : WORDS | LONGS, why);
    } else if (type != DT_NONE) {
        snprintf(why, sizeof why, "InputTensor is %s", dtype_name(type));
        expect_type(c, "OutputTensor", 1u << type, why);
    }
}

/* REDUCE has a Function; its types and ranks depend on it and are not in the operator's file. */
void shape_reduce(struct check *c)
{
    bool reduce = shape_given(c, "Function");
    struct shape in, out;
    unsigned axes;
    char why[32];

    for (size_t i = 0; i < ARRAY_LEN(functions); i++)
        if (shape_is(c, "Function", functions[i].name))
            check_types(c, i);
    if (!shape_of(c, "InputTensor", &in))
        return;
    if (reduce && c->level < LEVEL_3_0)
        expect_rank(c, &in, 4, 4, "REDUCE has 4 below level 3_0");
    if (!expect_axes(c, "Axes", &in, &axes) || !shape_of(c, "OutputTensor", &out))
        return;
    snprintf(why, sizeof why, "InputTensor has %u", in.rank);
    if (out.rank != in.rank) {
        if (reduce)
            expect_rank(c, &out, in.rank, in.rank, why);
        return;
    }
    for (unsigned i = 0; i < in.rank; i++)
        if (axes >> i & 1)
            expect_size(c, &out, i, 1, "the size of a reduced axis");
        else
            expect_same_size(c, &out, i, &in, i);
}

void shape_axis(struct check *c)
{
    struct shape in;
    unsigned axes;

    if (!shape_of(c, "InputTensor", &in))
        return;
    if (shape_given(c, "Axes"))
        expect_axes(c, "Axes", &in, &axes);
    else
        expect_axis(c, "Axis", &in, &axes);
}
