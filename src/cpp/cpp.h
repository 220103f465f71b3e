#pragma once

#include "check/checked.h"

/* Descriptors in C++, made from the table of operators. Each function prints. */

/* `validate --dump-header`: dmlop_dump.h, which writes the descriptors of a running program as
 * JSON. Its fixed part is fragments/dmlop_dump.txt. */
enum status cpp_header(struct diag *dg);

/* `validate --cpp`: the C++ that builds the descriptor of a file. If it has errors, they are
 * reported, and nothing is printed: ST_INVALID. Warnings are reported, too. Else as checked_load;
 * ST_USAGE for a model. */
enum status cpp_file(const char *path, const struct check_options *opt, int color, struct diag *dg);
