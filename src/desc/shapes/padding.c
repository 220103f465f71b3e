#include <inttypes.h>
#include <stdio.h>

#include "desc/shapes/shapes.h"

/* No mode limits the padding: reflections are reflected again. */
void shape_padding(struct check *c)
{
    static const char *const arrays[] = { "StartPadding", "EndPadding", NULL };
    const int64_t *v[2];
    struct shape in, out;
    char why[80];

    if (!shape_of(c, "InputTensor", &in))
        return;
    snprintf(why, sizeof why, "InputTensor has %u dimension%s", in.rank, in.rank == 1 ? "" : "s");
    if (!expect_arrays(c, arrays, in.rank, why, v) ||
        !shape_of_rank(c, "OutputTensor", in.rank, &out))
        return;
    for (unsigned i = 0; i < in.rank; i++)
        expect_size(c, &out, i, in.sizes[i] + (uint64_t)v[0][i] + (uint64_t)v[1][i],
                    "%" PRIu64 " + %" PRIi64 " + %" PRIi64, in.sizes[i], v[0][i], v[1][i]);
}
