#include "desc/shapes/recipes.h"

#include <string.h>

#include "base/util.h"

static const struct {
    const char *name;
    void (*check)(struct check *c);
} recipes[] = {
#define X(name) { #name, shape_##name },
    SHAPE_RECIPES(X)
#undef X
};

static size_t find(const char *recipe)
{
    size_t i = 0;

    while (i < ARRAY_LEN(recipes) && strcmp(recipes[i].name, recipe) != 0)
        i++;
    return i;
}

bool shape_exists(const char *recipe) { return find(recipe) < ARRAY_LEN(recipes); }

void check_shape(struct check *c)
{
    size_t i = c->schema->shape ? find(c->schema->shape) : ARRAY_LEN(recipes);

    if (i < ARRAY_LEN(recipes))
        recipes[i].check(c);
}
