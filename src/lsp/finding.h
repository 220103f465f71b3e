#ifndef DMLOP_LSP_FINDING_H
#define DMLOP_LSP_FINDING_H

#include "lsp/answers.h"

/* A finding as a Diagnostic. */

/* Writes the findings of a view, best in text order. */
struct lsp_findings {
    const struct lsp_view *view;
    struct lsp_places places, related; /* of the findings, and of places that they refer to */
};

struct lsp_findings lsp_findings_of(const struct lsp_view *v);

/* The bytes of a finding that are marked: at least a character, where the text has one. */
void lsp_finding_range(const struct lsp_view *v, const struct finding *f, size_t *start,
                       size_t *end);

void lsp_write_finding(struct json_writer *w, const char *key, struct lsp_findings *fs,
                       const struct finding *f);

#endif
