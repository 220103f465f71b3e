#ifndef DMLOP_RUN_SHOW_LAYOUT_H
#define DMLOP_RUN_SHOW_LAYOUT_H

#include "tensor/tensor.h"

/* The elements of a tensor that are shown, and where they lie. */

/* The first `lead` and the last `trail` indices of an axis are shown. */
struct show_axis {
    uint64_t lead, trail;
    bool elided;    /* indices are left out, after the first `lead` */
    int64_t stride; /* from a shown index to the next, in elements */
    int64_t jump;   /* additional distance over the indices that are left out */
};

struct show_layout {
    unsigned rank;
    uint64_t count; /* of shown elements */
    bool elided;    /* elements are left out */
    struct show_axis axis[TENSOR_MAX_RANK];
};

/* By default, larger tensors are shown with at most SHOW_ELEMENTS elements, SHOW_EDGE or fewer
 * indices at each end of an axis. */
enum { SHOW_ELEMENTS = 1000, SHOW_EDGE = 3 };

/* Lays out a view, whose data are not used and whose strides may be negative: all elements, or
 * `edge` indices at both ends of each axis; 0: by the size of the tensor. */
void show_layout_make(struct show_layout *l, const struct tensor *t, bool all, uint64_t edge);

/* Distance from the first index of an axis to shown index number i, in elements. */
int64_t show_layout_offset(const struct show_axis *a, uint64_t i);

/* Calls visit for every shown element in row-major order, with its distance from the first one in
 * elements. Stops and returns false if visit returns false. */
bool show_layout_walk(const struct show_layout *l, bool (*visit)(void *context, int64_t at),
                      void *context);

/* True if elements are visited by ascending distance. */
bool show_layout_ascends(const struct show_layout *l);

/* Changes l to the layout of a packed buffer of only the shown elements. */
void show_layout_pack(struct show_layout *l);

#endif
