#ifndef DMLOP_CMD_EXPLAIN_ELEMENT_H
#define DMLOP_CMD_EXPLAIN_ELEMENT_H

#include "cmd/inputs.h"

/* `qmatmul --explain I,J`: prints how one output element comes about, for somebody who checks it by
 * hand. The inputs have their views. ST_USAGE for a text that is not an index, or one outside the
 * output. */
enum status explain_element(const struct inputs *in, const char *index, struct diag *dg);

#endif
