#include <inttypes.h>
#include <stdio.h>

#include "desc/shapes/parts.h"
#include "desc/shapes/recipes.h"

/* No mode limits the padding: reflections are reflected again. */
void shape_padding(struct check *c)
{
    static const char *const arrays[] = { "StartPadding", "EndPadding", NULL };
    const int64_t *start, *end;
    struct shape in, out;
    char why[80];

    if (!shape_of(c, "InputTensor", &in))
        return;
    snprintf(why, sizeof why, "InputTensor has %u dimension%s", in.rank, in.rank == 1 ? "" : "s");
    if (!expect_count(c, arrays, in.rank, why) || !shape_of(c, "OutputTensor", &out) ||
        out.rank != in.rank)
        return;
    start = shape_integers(c, "StartPadding", in.rank);
    end = shape_integers(c, "EndPadding", in.rank);
    for (unsigned i = 0; start && end && i < in.rank; i++)
        expect_size(c, &out, i, in.sizes[i] + (uint64_t)start[i] + (uint64_t)end[i],
                    "%" PRIu64 " + %" PRIi64 " + %" PRIi64, in.sizes[i], start[i], end[i]);
}
