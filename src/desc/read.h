#ifndef DMLOP_DESC_READ_H
#define DMLOP_DESC_READ_H

#include "base/diag.h"
#include "base/finding.h"
#include "desc/desc.h"
#include "desc/level.h"

struct desc_options {
    const char *command;       /* "slice", ...: implies the operator and restricts it; NULL: any */
    enum feature_level level;
    bool relaxed;
};

/* A descriptor's text with what was found in it. Zero-initialise; release with desc_file_free. */
struct desc_file {
    char *text;                /* as read, owned, NUL-terminated */
    size_t len;
    struct findings findings;  /* in text order, with positions */
    struct desc desc;          /* complete and safe to run only when findings.errors is 0 */
};

/*
 * Reads and checks a descriptor: syntax, fields, every rule. `path` may be "-". Returns
 * ST_OK when it was read, whatever was found in it (see findings); ST_INPUT or
 * ST_SYSTEM, with a message, when it could not be.
 */
enum status desc_file_read(struct desc_file *f, const char *path, const struct desc_options *opt,
                           struct diag *dg);

/* The same for text in memory; f takes ownership of text (malloc'd, len bytes and a NUL). */
enum status desc_file_parse(struct desc_file *f, char *text, size_t len, const struct desc_options *opt,
                            struct diag *dg);

void desc_file_free(struct desc_file *f);

/* Prints findings as `FILE:LINE:COL: error: MESSAGE [rule-id]` lines. */
void findings_print(const struct findings *fs, const char *file, FILE *out);

#endif
