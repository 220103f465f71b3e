#ifndef DMLOP_DESC_EMIT_H
#define DMLOP_DESC_EMIT_H

#include "base/str.h"
#include "desc/desc.h"

/* Adds d to b as descriptor JSON with full enumeration names, laid out for reading, ready for
 * desc_file_read and DxDispatch. Defaults (packed strides, flags NONE) are left out. */
void desc_emit(const struct desc *d, struct str *b);

#endif
