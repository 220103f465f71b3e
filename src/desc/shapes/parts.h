#ifndef DMLOP_DESC_SHAPES_PARTS_H
#define DMLOP_DESC_SHAPES_PARTS_H

#include "desc/shapes/shapes.h"

/* Private to desc/shapes/: what several recipes check. */

/* The scale NAMEScaleTensor and the zero point NAMEZeroPointTensor, if given, have one value, or
 * one per lane (channel, row, column) of `data`: all sizes are 1, except `lanes` on `axis`, or on
 * any axis if the ranks differ. `lane` is the name of the lanes, not used if `lanes` is 1. */
void expect_parameters(struct check *c, const char *name, const struct shape *data, unsigned axis,
                       uint64_t lanes, const char *lane);

/* The sliding window of a convolution or pooling along one spatial axis. */
struct window {
    uint64_t in; /* the input's size */
    uint64_t size, stride, dilation, start, end;
    uint64_t output_padding;
    uint64_t span;      /* (size - 1) * dilation + 1 */
    char span_text[64]; /* that arithmetic; "7" if the dilation is 1 */
};

/* Reads the windows along the spatial axes of `in`, axes 2 and up; their sizes are those of
 * `filter` or, if it is NULL, WindowSize. Reports counts of entries that do not fit, and strides,
 * dilations and sizes of 0. Returns the number of windows; 0 if something is missing or reported.
 */
unsigned read_windows(struct check *c, const struct shape *in, const struct shape *filter,
                      struct window w[DML_MAX_RANK]);

/* (in + start + end - span) / stride + 1; 0 if the window is larger than the padded input. */
uint64_t window_count(const struct window *w);

/* Reports shape.size, with the arithmetic of window_count, unless size i of s is lo to hi. */
void expect_window_count(struct check *c, const struct shape *s, unsigned i, const struct window *w,
                         uint64_t lo, uint64_t hi);

/* A number that sizes depend on. The names of a list have different first letters; the last one is
 * empty. */
struct number {
    const char *name;
    uint64_t value;      /* 0: not known */
    const char *field;   /* that gives it, or NULL */
    bool learned;        /* from the size of a tensor */
    unsigned votes;      /* sizes that imply the value, less others */
    unsigned slot, axis; /* that tensor, and the axis */
};

/* The number whose name begins with a letter; the last, empty one if there is none. */
struct number *find_number(struct number *numbers, char letter);

/* The numbers that the operator's file names. Reports shape.value if a field that gives one is 0.
 */
struct numbers {
    struct number v[SCHEMA_MAX_NUMBERS + 1];
};
struct numbers read_numbers(struct check *c);

/* Checks the last sizes of a tensor, if it is given, against words with one space between. A word
 * is a sum of products of digits and numbers, by the first letter of their names, as in "b 2h+1".
 * A number that is not known is learned from the sizes: the value that most of them imply. "?" is
 * any size. Sizes before these are 1.
 */
void expect_sizes(struct check *c, const char *field, const char *words, struct number *numbers);

/* The same for all tensors whose sizes are in the operator's file. */
void expect_tensors(struct check *c, struct number *numbers);

#endif
