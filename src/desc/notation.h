#ifndef DMLOP_DESC_NOTATION_H
#define DMLOP_DESC_NOTATION_H

#include "desc/document.h"

/*
 * Reads a text that the scanner refused as JSON in another notation (see json/notation.h): what is
 * written otherwise becomes findings with fixes, and d->doc and d->notation are set. JSON_INVALID
 * where something is left that is not JSON: *err says what and where, as before in the text.
 * JSON_NOMEM where memory is short.
 */
enum json_result notation_read(struct document *d, struct json_error *err);

#endif
