#ifndef DMLOP_DESC_DML_OPERATORS_H
#define DMLOP_DESC_DML_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>

/* The names of all operators of DirectML up to feature level 6_4, without DML_OPERATOR_. op_schemas
 * has the few that dmlop runs. */
extern const char *const dml_operators[];
extern const size_t dml_operator_count;

/* True for one of these names, with or without DML_OPERATOR_. Case matters, as in DxDispatch. */
bool dml_operator_exists(const char *name);

/* A name without the prefix DML_OPERATOR_, in any case, if it has the prefix. */
const char *dml_operator_suffix(const char *name);

#endif
