#ifndef DMLOP_DESC_SHAPES_RECIPES_H
#define DMLOP_DESC_SHAPES_RECIPES_H

#include "desc/check.h"

/* Private to desc/shapes/: each recipe is a function shape_NAME, which checks the sizes of the
 * operators that name it. */
#define SHAPE_RECIPES(X) X(none)

#define X(name) void shape_##name(struct check *c);
SHAPE_RECIPES(X)
#undef X

#endif
