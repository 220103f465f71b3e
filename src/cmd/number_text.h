#ifndef DMLOP_CMD_NUMBER_TEXT_H
#define DMLOP_CMD_NUMBER_TEXT_H

#include "base/diag.h"
#include "tensor/dtype.h"

/* Numbers as the shell's users write them: JSON's, and also "+1", ".5", "2.". */

/* Whether text is such a number; anything else that an option takes is a path. */
bool number_text_is(const char *text);

/* Reads such a number, rounded once. False where it is not one, or overflows to infinity. */
bool number_text_double(const char *text, double *v);

/* Stores text as FLOAT32 (rounded once), INT8 or UINT8 (exactly) at `at`. ST_INPUT, with a message
 * that names the option, where it does not fit. */
enum status number_text_store(const char *option, const char *text, enum dtype type, void *at,
                              struct diag *dg);

#endif
