#ifndef DMLOP_CMD_FINDINGS_H
#define DMLOP_CMD_FINDINGS_H

#include <stdio.h>

#include "base/finding.h"
#include "base/str.h"
#include "desc/read.h"

/*
 * The findings of a descriptor as people read them: `FILE:LINE:COL: error: MESSAGE [rule-id]`, the source line with a
 * caret under the value, the hint, and the other places spoken of. Warnings and colour only where asked.
 */
void findings_text(const struct desc_file *f, const char *file, bool warnings, bool color, FILE *out);

/* One entry of "files" in schema "dmlop.findings/1". */
void findings_json(const struct findings *fs, const char *file, struct str *b);

/* Reads a text file or standard input ("-") of at most JSON_MAX_TEXT bytes and checks it as a descriptor. ST_OK
 * whatever was found; ST_INPUT or ST_SYSTEM, with a message, where it cannot be read. */
enum status descriptor_load(struct desc_file *f, const char *path, const struct desc_options *opt, struct diag *dg);

/* The name to print for a path: "-" is <stdin>. */
const char *shown_path(const char *path);

#endif
