#ifndef DMLOP_RUN_SHOW_LAYOUT_H
#define DMLOP_RUN_SHOW_LAYOUT_H

#include "tensor/tensor.h"

/* Which elements of a tensor are shown, and where they are. */

struct show_options {
    bool all;      /* leave nothing out */
    uint64_t edge; /* indices at both ends of each axis; 0: as many as suit the tensor */
};

/* Of an axis the first `lead` and the last `trail` indices are shown, the others left out. */
struct show_axis {
    uint64_t lead, trail;
    bool elided;    /* indices are left out between them, or after the first where trail is 0 */
    int64_t stride; /* from an index that is shown to the next, in elements */
    int64_t jump;   /* further from the last of `lead` to the first of `trail` */
};

struct show_layout {
    unsigned rank;
    uint64_t count; /* elements that are shown */
    bool elided;    /* some are not */
    struct show_axis axis[TENSOR_MAX_RANK];
};

/* Tensors of more elements than that are shown in part, with at most so many elements, unless the
 * options say otherwise; and how many indices at each end of an axis, where that is few enough. */
enum { SHOW_ELEMENTS = 1000, SHOW_EDGE = 3 };

/* The layout of a view, whose data do not matter. Its strides may be negative. */
void show_layout_make(struct show_layout *l, const struct tensor *t, const struct show_options *o);

/* From the first index of an axis to the one that is shown as number i, in elements. */
int64_t show_layout_offset(const struct show_axis *a, uint64_t i);

/* Calls visit for every element that is shown, in row-major order, with its distance from the first
 * one in elements, until it returns false; returns whether none did. */
bool show_layout_walk(const struct show_layout *l, bool (*visit)(void *context, int64_t at),
                      void *context);

/* Whether the elements are visited in ascending order. */
bool show_layout_ascends(const struct show_layout *l);

/* Makes it the layout of the same elements in a packed buffer that has no others. */
void show_layout_pack(struct show_layout *l);

#endif
