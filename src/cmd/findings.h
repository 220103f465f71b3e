#ifndef DMLOP_CMD_FINDINGS_H
#define DMLOP_CMD_FINDINGS_H

#include <stdio.h>

#include "base/str.h"
#include "desc/document.h"
#include "desc/read.h"

/* Findings as people read them, and as programs do. */

enum { MAX_FINDINGS = 100 /* printed of one file, unless --max-findings says otherwise */ };

/*
 * `FILE:LINE:COL: error: MESSAGE [rule-id]` for each finding that was kept, the source line with a caret under the
 * value, the hint, and the other places spoken of. In colour where dg has it. ST_SYSTEM, with a message, where memory is short.
 */
enum status findings_text(const struct document *d, const char *file, FILE *out, struct diag *dg);

/* One entry of "files" in schema "dmlop.findings/1". */
void findings_json(const struct findings *fs, const char *file, struct str *b);

/* A file's findings as SARIF results: an array's entries, `first` telling whether one stands before them. */
void findings_sarif(const struct document *d, const char *file, bool *first, struct str *b);

/* What stands before and after the results in a SARIF log of version 2.1.0 with one run. */
void sarif_begin(struct str *b);
void sarif_end(struct str *b);

/* Reads a text file or standard input ("-") of at most `most` bytes; *text is the caller's (free). ST_INPUT or ST_SYSTEM with
 * a message. `what` names the kind of file that may be so long. */
enum status text_load(const char *path, size_t most, const char *what, char **text, size_t *len, struct diag *dg);

/* Reads such a file as a descriptor and checks it. ST_OK whatever was found; ST_INPUT or ST_SYSTEM, with a
 * message, where it cannot be read. */
enum status descriptor_load(struct desc_file *f, const char *path, const struct desc_options *opt, struct diag *dg);

/* The name to print for a path: "-" is <stdin>. */
const char *shown_path(const char *path);

#endif
