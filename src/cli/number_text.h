#ifndef DMLOP_CLI_NUMBER_TEXT_H
#define DMLOP_CLI_NUMBER_TEXT_H

#include "base/diag.h"
#include "tensor/scalar.h"

/* Numbers as the shell's users write them: JSON's, and also "+1", ".5", "2.". */

enum { NUMBER_MAX = 128 /* characters */ };

/* Whether text is such a number; anything else that an option takes is a path. */
bool number_text_is(const char *text);

/* Reads such a number, rounded once. False where it is not one, or overflows to infinity. */
bool number_text_double(const char *text, double *v);

/* How many numbers text is: one, or a list of them (cli/list_text.h); 0 where it is something else.
 */
size_t number_list_count(const char *text);

/* Stores text as FLOAT32 (rounded once), INT8 or UINT8 (exactly) at `at`. ST_INPUT, with a message
 * that names the option, where it does not fit. */
enum status number_text_store(const char *option, const char *text, enum dtype type, void *at,
                              struct diag *dg);

/* The same for a list, one element after the other; number_list_count is not 0. */
enum status number_list_store(const char *option, const char *text, enum dtype type, void *at,
                              struct diag *dg);

/* Reads a number as a FLOAT64, rounded once, or a whole one exactly; false where it is not such a
 * number, or fits neither INT64 nor UINT64. */
bool number_text_scalar(const char *text, bool is_float, struct scalar *s);

/* Stores text, for float types also "nan", "inf" and so on in any case, as an element of a type, in
 * native byte order and rounded once, at an aligned `at`. False where it does not fit. */
bool number_text_element(const char *text, enum dtype type, void *at);

#endif
