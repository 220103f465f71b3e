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
    char *text;                /* as read, owned */
    size_t len;
    struct findings findings;  /* in text order, with positions */
    struct desc desc;          /* complete and safe to run only when findings.errors is 0 */
};

/*
 * Reads and checks a descriptor: syntax, fields, every rule. f takes ownership of text (from base/mem.h, len bytes, at
 * most JSON_MAX_TEXT). Returns ST_OK when it was read, whatever was found in it (see findings); ST_SYSTEM, with a
 * message, where memory is short.
 */
enum status desc_file_parse(struct desc_file *f, char *text, size_t len, const struct desc_options *opt,
                            struct diag *dg);

void desc_file_free(struct desc_file *f);


#endif
