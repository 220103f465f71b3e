#pragma once

#include "desc/desc.h"
#include "json/write.h"

/* Adds d to b as the JSON of a descriptor, on several lines, with full enumeration names; dmlop and
 * DxDispatch can read it. Leaves out defaults: packed strides, flags NONE. */
void desc_emit(const struct desc *d, struct str *b);

/* Writes the members "type" and "desc" to an open object, on lines with that indent. */
void desc_emit_members(const struct desc *d, struct json_writer *w, unsigned indent);
