#ifndef DMLOP_DESC_WORDS_H
#define DMLOP_DESC_WORDS_H

#include "desc/check.h"

/*
 * Sizes in words: "numbers" and "sizes" of an operator's file. A word is a sum of products of
 * digits and numbers, by the first letter of their names, as in "b 2h+1"; "?" is any size. Private
 * to desc/.
 */

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

#endif
