#ifndef DMLOP_DESC_OP_FIELDS_H
#define DMLOP_DESC_OP_FIELDS_H

#include "desc/schema.h"

/* How an operator that dmlop runs keeps the field of that name; NULL: it does not run op. */
const struct field_use *op_field_use(enum op op, const char *name);

#endif
