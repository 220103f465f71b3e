#ifndef DMLOP_DESC_DML_OPERATORS_H
#define DMLOP_DESC_DML_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>

/* All operators of DirectML up to feature level 6_4, by name, without DML_OPERATOR_. dmlop has a
 * few of them: op_schemas. */
extern const char *const dml_operators[];
extern const size_t dml_operator_count;

/* Whether it names one of them, in full or without DML_OPERATOR_. Case matters, as in
 * DxDispatch. */
bool dml_operator_exists(const char *name);

/* What follows DML_OPERATOR_, in any case; the whole name where it does not begin so. */
const char *dml_operator_suffix(const char *name);

#endif
