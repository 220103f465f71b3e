#pragma once

#include "cli/options.h"
#include "tensor/scalar.h"
#include "tensor/tensor.h"

/* Numbers on the command line: those of JSON, also written as "+1", "007", ".5", "2."; elements may
 * also be fractions, "1/255", and hexadecimal, "0x10" and "0x1p-3". */

enum { NUMBER_MAX = 128 /* characters */ };

/* Reads a whole number of n characters, or the nearest one of 64 bits; false for other texts. */
bool number_text_whole(const char *text, size_t n, int64_t *v);

/* Reads a number as a FLOAT64, rounded once, or a whole number exactly; false for other texts and
 * for numbers that fit neither INT64 nor UINT64, or round to an infinity. */
bool number_text_scalar(const char *text, bool is_float, struct scalar *s);

/* Stores a number, for float types also "nan", "inf", "infinity" in any case, as an element of the
 * type, in native byte order and rounded once, at an aligned address. False if it does not fit. */
bool number_text_element(const char *text, enum dtype type, void *at);

/* True if a word of the command line continues the list of the words before it: numbers or the
 * closing bracket after an opening one, or without brackets a number after others. `whole`: whole
 * numbers only. */
bool number_list_goes_on(const struct option_list *words, const char *word, bool whole);

/* The count of numbers in words, one or a list (list_split); 0 for other words. */
size_t number_list_count(const struct option_list *words);

/* Stores these numbers as FLOAT32 (rounded once, also to an infinity), INT8 or UINT8 (exactly), one
 * after the other. ST_INPUT, with a message that names the option, if one does not fit. */
enum status number_list_store(const char *option, const struct option_list *words, enum dtype type,
                              void *at, struct diag *dg);

/* Reads coordinates of an element of the output, whose sizes are at least 1, into c[rank] from the
 * words of a list (list_split). A negative coordinate counts from the end of its axis. There
 * must be `rank` coordinates, or only the last `least`; the others are 0 then. ST_USAGE if the
 * words are not a list of whole numbers, ST_INPUT if their number or a coordinate does not fit the
 * output, with a message that names the option. */
enum status coordinates_read(const char *option, const struct option_list *words, unsigned rank,
                             const uint64_t *sizes, unsigned least, uint64_t *c, struct diag *dg);

/* Lists of numbers on the command line, as DirectML's pages, C, NumPy and the shell write them:
 * "0,0,0,1", "0 0 0 1", "{0, 0, 0, 1}", "[0,0,0,1]", "(0, 0, 0, 1)". A list may also be several
 * words of the command line: the shell splits {0,0,0,1} unless it is quoted. */

enum { LIST_ENTRIES_MAX = 256 };

/* The entries, which are parts of the words. */
struct list_entries {
    struct {
        const char *s;
        size_t n; /* bytes */
    } v[LIST_ENTRIES_MAX];
    size_t n;
};

/* Splits a list into its entries, 1 to LIST_ENTRIES_MAX, whatever they are; false if brackets do
 * not match or an entry is empty. */
bool list_split(const struct option_list *words, struct list_entries *entries);

/* Adds the words of a list, for messages. */
void list_add_text(struct str *b, const struct option_list *words);

/* Reports "OPTION: 'WORDS' MESSAGE"; returns st, or ST_SYSTEM if memory is short. */
enum status list_refuse(struct diag *dg, enum status st, const char *option,
                        const struct option_list *words, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* Whole numbers for the axes of a tensor. */
struct integers {
    unsigned n;
    int64_t v[TENSOR_MAX_RANK];
};

/* "2,-1" */
struct integers_text {
    char text[TENSOR_MAX_RANK * 21 + 1];
};
struct integers_text integers_text(const struct integers *list);

/* Reads a list of axes, or of sizes, one of which may be -1 if `computed`; blank words are an empty
 * list. ST_USAGE, with a message that names the option, for all else and for negative sizes. */
enum status list_axes(const char *option, const struct option_list *words, struct integers *list,
                      struct diag *dg);
enum status list_sizes(const char *option, const struct option_list *words, bool computed,
                       struct integers *list, struct diag *dg);
