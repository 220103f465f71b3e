#ifndef DMLOP_DESC_READ_H
#define DMLOP_DESC_READ_H

#include "desc/desc.h"
#include "desc/document.h"
#include "desc/level.h"
#include "desc/rules.h"

struct desc_options {
    const char *command;       /* "slice", ...: implies the operator and restricts it; NULL: any */
    enum feature_level level;
    struct finding_options findings;
};

/*
 * Reads and checks the descriptor that is the value `node` of doc, at a JSON pointer, into d
 * (zeroed before): fields, every rule; d is complete and safe to run only where no error was added.
 * `also` (NULL-terminated) names keys of the outer object that are the caller's. `seen` says what
 * of it is well formed. fs->failed is set where memory is short.
 */
void desc_read(struct desc *d, struct desc_seen *seen, const struct json_doc *doc, size_t node,
               const char *pointer, const char *const also[], const struct desc_options *opt,
               struct findings *fs);

/* A descriptor's text with what was found in it. Zero-initialise; release with desc_file_free; must
 * not move. */
struct desc_file {
    struct document document;
    struct desc desc;          /* complete and safe to run only when there are no errors */
    struct desc_seen seen;
};

/* Reads and checks a text as document_scan, desc_read, document_finish do. */
enum status desc_file_parse(struct desc_file *f, char *text, size_t len,
                            const struct desc_options *opt, struct diag *dg);

void desc_file_free(struct desc_file *f);

#endif
