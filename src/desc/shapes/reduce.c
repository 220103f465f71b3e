#include "desc/shapes/shapes.h"

enum {
    WORDS = 1 << DT_INT32 | 1 << DT_UINT32,
    SMALL = 1 << DT_INT16 | 1 << DT_INT8 | 1 << DT_UINT16 | 1 << DT_UINT8,
    LONGS = 1 << DT_INT64 | 1 << DT_UINT64
};

/* The data types that REDUCE reduces by a function, in addition to floats, from a level on. */
static const struct {
    const char *function;
    enum feature_level words, small, longs; /* LEVEL_COUNT: never */
} added[] = {
#include "desc/reduced_types_rows.h"
};

/* The types that the files of ARGMIN and ARGMAX have depend on REDUCE's Function. */
static void check_types(struct check *c, const char *function)
{
    bool indices = strncmp(function, "ARG", 3) == 0;
    enum dtype in;
    unsigned types = 1u << DT_FLOAT32 | 1u << DT_FLOAT16;

    for (size_t i = 0; i < ARRAY_LEN(added); i++)
        if (strcmp(function, added[i].function) == 0)
            types |= (c->level >= added[i].words ? WORDS : 0) |
                     (c->level >= added[i].small ? SMALL : 0) |
                     (c->level >= added[i].longs ? LONGS : 0);
    expect_type(c, "InputTensor", types,
                PHRASE("%s does not reduce it at level %s", function, level_names[c->level]));
    in = given_type(c, "InputTensor");
    types = !indices ? 1u << in : c->level < LEVEL_3_0 ? 1u << DT_UINT32 : WORDS | LONGS;
    if (indices || in != DT_NONE)
        expect_type(c, "OutputTensor", types,
                    PHRASE(indices ? "%s returns indices" : "InputTensor is %s",
                           indices ? function : dtype_name(in)));
}

void shape_reduce(struct check *c, struct shapes *s)
{
    const char *function = value_name(c, "Function");

    if (*function)
        check_types(c, function);
    if (!s->axes_known)
        return;
    expect_ones(c, &s->out, s->axes, "the size of a reduced axis");
    expect_same_sizes(c, &s->out, &s->in, ~s->axes);
}
