#pragma once

#include "desc/check.h"

/* Private to desc/: checks of sizes and values by the rules shape.*. A field that is missing or
 * ill-formed is reported elsewhere: checks skip what depends on it. Numbers come from a text: sizes
 * and UINTs are below 2^32, INTs within 32 bits. */

/* The sizes of a tensor; all of them are at least 1. */
struct shape {
    unsigned slot; /* the tensor's number in the descriptor */
    unsigned rank; /* 0: not known, and no function below reports anything */
    uint64_t sizes[DML_MAX_RANK];
};

/* The sizes of a tensor (i is 0), or of tensor i of an array. Rank 0 if it is not given, or if its
 * sizes are not all known and positive; for shape_of also if one was reported: other sizes are
 * derived from these; for shape_of_rank also if it has another rank. */
struct shape shape_given(const struct check *c, const char *field, unsigned i);
struct shape shape_of(const struct check *c, const char *field, unsigned i);
struct shape shape_of_rank(const struct check *c, const char *field, unsigned rank);

/* The product of sizes [from, to) of a shape, or UINT64_MAX. */
uint64_t shape_product(const struct shape *s, unsigned from, unsigned to);

/* Reports shape.size unless size i of s is `want`. `why` is an arithmetic, as in "ARITHMETIC =
 * WANT, but OutputTensor.Sizes[2] is 111"; or else a text, which may be empty:
 * "OutputTensor.Sizes[2] is 111, but must be WANT, TEXT". An output gets a fix. Returns the finding
 * or NULL. */
struct finding *expect_size(struct check *c, const struct shape *s, unsigned i, uint64_t want,
                            const char *why);

/* The same unless it is size j of `other`, which gets a note; for each axis of a set, bit i being
 * axis i, unless it is that of `other`; or unless it is 1. */
void expect_same_size(struct check *c, const struct shape *s, unsigned i, const struct shape *other,
                      unsigned j);
void expect_same_sizes(struct check *c, const struct shape *s, const struct shape *other,
                       unsigned axes);
void expect_ones(struct check *c, const struct shape *s, unsigned axes, const char *why);

static inline unsigned axes_below(unsigned n) { return (1u << n) - 1; }

/* Reports shape.rank unless s has lo to hi dimensions. Returns true if it has. */
bool expect_rank(struct check *c, const struct shape *s, unsigned lo, unsigned hi, const char *why);

/* Reports shape.value unless lo <= v <= hi, where v is the value of a field or its entry `entry`
 * (WHOLE: not an array); `why` is the reason: "GroupCount is 3, but WHY". Returns true if it is. */
bool expect_range(struct check *c, const char *field, int entry, int64_t v, int64_t lo, int64_t hi,
                  const char *why);

/* Reads an integer into *v; reports shape.value unless it is lo to hi. False then, or if it is not
 * known: *v does not change. */
bool expect_integer(struct check *c, const char *field, unsigned lo, unsigned hi, const char *why,
                    unsigned *v);

/* Reports shape.value if an array is given, but has not n entries. False then. */
bool expect_length(struct check *c, const char *field, unsigned n, const char *why);

/* The same for each array of a list that ends with NULL: they have an entry for each dimension of a
 * tensor from `from` on. The field with their number of entries is reported instead if it is known.
 * Unless v is NULL, v[0], v[1], ... get the integers of each array that is given. False if an array
 * was reported, or if one has no integers after that. */
bool expect_arrays(struct check *c, const char *const *arrays, const struct shape *of,
                   unsigned from, const int64_t *v[]);

/* Reports shape.type unless a tensor's data type is among `types` (bits 1 << enum dtype). */
void expect_type(struct check *c, const char *field, unsigned types, const char *why);

/* Reports shape.tensor at a field that is given but must not be, or is not given but must be; `why`
 * is the whole sentence, hint the remedy. */
void expect_tensor(struct check *c, const char *field, const char *hint, const char *why);

/* The scale NAMEScaleTensor and the zero point NAMEZeroPointTensor, if given, have one value, or
 * one per lane (channel, row, column) of `data`: all sizes are 1, except `lanes` on `axis`, or on
 * any axis if the ranks differ. `lane` is the name of the lanes, not used if `lanes` is 1. */
void expect_parameters(struct check *c, const char *name, const struct shape *data, unsigned axis,
                       uint64_t lanes, const char *lane);

/* Sizes in words: "numbers" and "sizes" of an operator's file. A word is a sum of products of
 * digits and numbers, by the first letter of their names, as in "b 2h+1"; "?" is any size. */

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

/* Reads the numbers of the operator's file into [SCHEMA_MAX_NUMBERS + 1]. */
void read_numbers(struct check *c, struct number *numbers);

/* Checks the last sizes of a tensor, if it is given, against words with one space between; sizes
 * before these are 1. A number that is not known is learned from the sizes: the value that most of
 * them imply. `learning`: numbers are learned, and no word is checked. */
void expect_words(struct check *c, const char *field, const char *words, struct number *numbers,
                  bool learning);

/* Checks all tensors whose sizes are in the operator's file. */
void check_words(struct check *c, struct number *numbers);
