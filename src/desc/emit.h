#ifndef DMLOP_DESC_EMIT_H
#define DMLOP_DESC_EMIT_H

#include "base/str.h"
#include "desc/desc.h"
#include "json/write.h"

/* Adds d to b as descriptor JSON with full enumeration names, laid out for reading, ready for
 * desc_file_read and DxDispatch. Defaults (packed strides, flags NONE) are left out. */
void desc_emit(const struct desc *d, struct str *b);

/* Writes its members, "type" and "desc", to an object that is open, on lines with that indent. */
void desc_emit_members(const struct desc *d, struct json_writer *w, unsigned indent);

#endif
