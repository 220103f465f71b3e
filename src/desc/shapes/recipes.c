#include <string.h>

#include "base/util.h"
#include "desc/shapes/parts.h"

static const struct {
    const char *name;
    void (*check)(struct check *c);
} recipes[] = {
#define X(name) { #name, shape_##name },
    SHAPE_RECIPES(X)
#undef X
};

void check_shape(struct check *c)
{
    struct numbers numbers;

    for (size_t i = 0; c->schema->shape && i < ARRAY_LEN(recipes); i++)
        if (strcmp(recipes[i].name, c->schema->shape) == 0) {
            recipes[i].check(c);
            return;
        }
    numbers = read_numbers(c);
    expect_tensors(c, numbers.v);
}
