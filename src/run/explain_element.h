#ifndef DMLOP_RUN_EXPLAIN_ELEMENT_H
#define DMLOP_RUN_EXPLAIN_ELEMENT_H

#include "run/inputs.h"

/* --explain of the operators' commands: prints how the element of the output at `at` comes
 * about, for somebody who checks it by hand. The inputs have their data and are in the shape of
 * their descriptions. ST_USAGE for words that are not coordinates, ST_INPUT for coordinates that do
 * not fit the output or an input that was cut short, ST_SYSTEM, each with a message. */
enum status explain_element(const struct inputs *in, const struct option_list *at, struct diag *dg);

#endif
