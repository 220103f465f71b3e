#pragma once

#include "cli/options.h"
#include "desc/read/document.h"
#include "json/write.h"

/* Prints `FILE:LINE:COL: error: MESSAGE [rule-id]` for each finding, the source line with a caret
 * under the value, the hint, and the related places. color: an enum color_when. ST_SYSTEM, with a
 * message, if memory is short. */
enum status findings_text(const struct document *d, const char *file, FILE *out, int color,
                          struct diag *dg);

/* Writes the findings of a file as an element of "files" in schema "dmlop.findings/1". */
void findings_json(struct json_writer *w, const struct findings *fs, const char *file);

/* Opens a SARIF 2.1.0 log with one run, up to its array of results. sarif_end closes it, with a
 * notification for each of n files that could not be read. */
void sarif_begin(struct json_writer *w);
void sarif_end(struct json_writer *w, const char *const unread[], size_t n);

/* Writes the findings of a file as elements of that array. */
void findings_sarif(struct json_writer *w, const struct findings *fs, const char *file);
