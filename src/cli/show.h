#pragma once

#include "io/output.h"

/* Tensors printed in aligned columns for people: the elements that are shown, then their text. */

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

/* Calls visit for every shown element in row-major order, with its distance from the first one in
 * elements. Stops and returns false if visit returns false. */
bool show_layout_walk(const struct show_layout *l, bool (*visit)(void *context, int64_t at),
                      void *context);

/* True if elements are visited by ascending distance. */
bool show_layout_ascends(const struct show_layout *l);

/* Changes l to the layout of a packed buffer of only the shown elements. */
void show_layout_pack(struct show_layout *l);

enum { SHOW_EXACT = -1, SHOW_PRECISION_MOST = 17 /* digits */ };

/* Writes a tensor to an output as DirectML's documentation prints tensors: NAME, sizes and type,
 * then a line per row in brackets, with "..." for elements that l leaves out. Lines fit COLUMNS,
 * the terminal, or 80 columns. Floats are rounded to `precision` digits after the decimal point, or
 * SHOW_EXACT. l is the layout of t's elements from t->data on; each shown element is read twice. */
enum status show_print(struct output *out, const char *name, const struct tensor *t,
                       const struct show_layout *l, int precision, struct diag *dg);

/* show_print with the default layout and precision. */
enum status show_tensor(struct output *out, const char *name, const struct tensor *t,
                        struct diag *dg);
