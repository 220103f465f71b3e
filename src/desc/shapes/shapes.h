#ifndef DMLOP_DESC_SHAPES_SHAPES_H
#define DMLOP_DESC_SHAPES_SHAPES_H

#include "desc/check.h"

/*
 * Shape recipes: rules that compute the sizes of an operator's tensors from its fields. An
 * operator's file names its recipe ("shape": "gemm"); several operators may share one. A recipe
 * reads fields by name and reports the sizes and values that do not fit. A field that is missing or
 * ill-formed is reported elsewhere: a recipe skips what depends on it. Numbers come from a text:
 * sizes and UINTs are below 2^32, INTs within 32 bits.
 */

/* The sizes of a tensor; all of them are at least 1. */
struct shape {
    unsigned slot; /* the tensor's number in the descriptor */
    unsigned rank; /* 1 to DML_MAX_RANK */
    uint64_t sizes[DML_MAX_RANK];
};

/* The sizes of a tensor; of tensor i of an array. False if it is not given, or its sizes are not
 * all known and positive, or one was reported. */
bool shape_of(const struct check *c, const char *field, struct shape *s);
bool shape_of_entry(const struct check *c, const char *field, unsigned i, struct shape *s);

/* As shape_of; false also if it has another rank. */
bool shape_of_rank(const struct check *c, const char *field, unsigned rank, struct shape *s);

/* The data type of a tensor or, of an array, its first tensor; DT_NONE if it is not known, or was
 * reported. */
enum dtype shape_type(const struct check *c, const char *field);

/* The value of an integer. False if it is not known. */
bool shape_integer(const struct check *c, const char *field, int64_t *v);

/* The entries of an integer array. NULL if it has fewer than n, more than DML_MAX_RANK, or an
 * ill-formed one. */
const int64_t *shape_integers(const struct check *c, const char *field, unsigned n);

/* The name of an enumeration's value without prefix; "" if it is not known. shape_is compares it,
 * as in shape_is(c, "Direction", "BACKWARD"). */
const char *shape_name(const struct check *c, const char *field);
bool shape_is(const struct check *c, const char *field, const char *value);

/* a * b, or UINT64_MAX if that is more. */
uint64_t shape_mul(uint64_t a, uint64_t b);

/* The product of sizes [from, to) of a shape, or UINT64_MAX. */
uint64_t shape_product(const struct shape *s, unsigned from, unsigned to);

/* Reports shape.size unless size i of s is `want`. The message has the arithmetic, the text of fmt:
 * "ARITHMETIC = WANT, but OutputTensor.Sizes[2] is 111"; or a text without arithmetic, which may be
 * empty: "OutputTensor.Sizes[2] is 111, but must be WANT, TEXT". An output gets a fix. Returns the
 * finding or NULL. */
struct finding *expect_size(struct check *c, const struct shape *s, unsigned i, uint64_t want,
                            const char *fmt, ...) PRINTF_LIKE(5, 6);

/* Reports shape.size unless size i of s is size j of `other`, which gets a note. */
void expect_same_size(struct check *c, const struct shape *s, unsigned i, const struct shape *other,
                      unsigned j);

/* Reports shape.size for each size of s, from axis `from` to before `to`, that is not that of
 * `other`; for each on another axis than `axis`. */
void expect_same_sizes(struct check *c, const struct shape *s, const struct shape *other,
                       unsigned from, unsigned to);
void expect_same_elsewhere(struct check *c, const struct shape *s, const struct shape *other,
                           unsigned axis);

/* Reports shape.rank unless s has lo to hi dimensions; `why` completes the sentence: "InputTensor
 * has 3 dimensions, but WHY". Returns true if it has. */
bool expect_rank(struct check *c, const struct shape *s, unsigned lo, unsigned hi, const char *why);

/* Reports shape.axis unless an integer field is below `rank`, the dimensions of `of`. Stores it in
 * *axis and returns true if it is; false also if it is not known. */
bool expect_axis(struct check *c, const char *field, const struct shape *of, unsigned *axis);

/* The same for each entry of an array of axes, which must also differ from one another. *axes gets
 * bit i for axis i. */
bool expect_axes(struct check *c, const char *field, const struct shape *of, unsigned *axes);

/* Reports shape.value unless lo <= v <= hi, where v is the value of a field or its entry `entry`
 * (WHOLE: not an array); the text of fmt is the reason: "GroupCount is 3, but REASON". Returns true
 * if it is. */
bool expect_range(struct check *c, const char *field, int entry, int64_t v, int64_t lo, int64_t hi,
                  const char *fmt, ...) PRINTF_LIKE(7, 8);

/* Reads an integer into *v; reports shape.value unless it is lo to hi. False then, or if it is not
 * known: *v does not change. */
bool expect_integer(struct check *c, const char *field, unsigned lo, unsigned hi, const char *why,
                    unsigned *v);

/* Reads a SIZE_2D; reports shape.value if one of its fields is 0. False then, or if it is not
 * known: *width and *height do not change. */
bool expect_size_2d(struct check *c, const char *field, uint64_t *width, uint64_t *height);

/* Reports shape.value unless an array has n entries; `why` as above. Returns true if it has. */
bool expect_length(struct check *c, const char *field, unsigned n, const char *why);

/* The same for each given array of a list that ends with NULL. The field with their number of
 * entries is reported instead if it is known. */
bool expect_count(struct check *c, const char *const *arrays, unsigned n, const char *why);

/* The same, and stores the entries of each array of integers in v[0], v[1], ... False also if one
 * is not given or ill-formed. */
bool expect_arrays(struct check *c, const char *const *arrays, unsigned n, const char *why,
                   const int64_t *v[]);

/* Reports shape.type unless a tensor's data type is among `types` (bits 1 << enum dtype); `why` as
 * above. */
void expect_type(struct check *c, const char *field, unsigned types, const char *why);

/* Reports shape.tensor at a field that is given but must not be, or is not given but must be; the
 * text of fmt is the whole sentence, hint the remedy. */
void expect_tensor(struct check *c, const char *field, const char *hint, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Each recipe is a function shape_NAME, which checks the sizes of the
 * operators that name it. A recipe without one is the list "sizes" in the operator's file. */
#define SHAPE_RECIPES(X) \
    X(attention) \
    X(axis) \
    X(convolution) \
    X(elements) \
    X(fold) \
    X(gather) \
    X(gather_nd) \
    X(gemm) \
    X(join) X(matrix_multiply) X(nonzero) X(normalization) X(one_hot) X(padding) X(pooling) \
        X(pooling_grad) X(quantize) X(quantize_linear) X(recurrent) X(reduce) X(resample) \
            X(resample_grad) X(reverse) X(roi) X(roi_grad) X(scatter_nd) X(slice_grad) X(split) \
                X(tile) X(unfold) X(upsample) X(value_scale)

#define X(name) void shape_##name(struct check *c);
SHAPE_RECIPES(X)
#undef X

#endif
