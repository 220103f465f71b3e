#ifndef DMLOP_DESC_SYNTAX_H
#define DMLOP_DESC_SYNTAX_H

#include "desc/document.h"

/*
 * Says what a text is that the scanner refused with *err, and reads it all the same where it is
 * JSON in another notation: that becomes findings with fixes, and d->doc and d->notation are set.
 * JSON_INVALID where there is nothing to read, which a finding says; JSON_NOMEM where memory is
 * short.
 */
enum json_result syntax_read(struct document *d, struct json_error *err);

#endif
