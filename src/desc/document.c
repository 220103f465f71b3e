#include "desc/document.h"

#include <stdlib.h>
#include <string.h>

#include "desc/place.h"
#include "desc/syntax.h"

static size_t source(const struct document *d, size_t at)
{
    return json_notation_source(&d->notation, at);
}

static void found_duplicate(void *context, size_t node, size_t first)
{
    struct document *d = context;
    char *key = json_doc_key(&d->doc, node);
    struct finding *f = findings_add(&d->findings, RULE_JSON_DUPLICATE_KEY, "", AT_KEY,
                                     "the key \"%s\" stands twice in one object", key ? key : "");

    finding_hint(f, "delete one of the two");
    finding_relate(f, "", "it stands here first");
    if (f) {
        f->offset = source(d, d->doc.nodes[node].key);
        f->end = source(d, json_doc_key_end(&d->doc, node));
    }
    if (f && f->related_count) {
        f->related[0].offset = source(d, d->doc.nodes[first].key);
        f->related[0].end = source(d, json_doc_key_end(&d->doc, first));
    }
    free(key);
}

enum status document_scan(struct document *d, char *text, size_t len,
                          const struct document_options *opt, struct diag *dg)
{
    struct json_error err;
    enum json_result scanned;

    *d = (struct document){ .text = text, .len = len };
    d->findings = (struct findings){ .relaxed = opt->relaxed,
                                     .portable = opt->portable,
                                     .errors_only = opt->errors_only,
                                     .most = opt->max_findings,
                                     .shrink = findings_shrink,
                                     .doc = &d->doc,
                                     .notation = &d->notation };
    scanned = json_doc_scan(&d->doc, text, len, &err);
    if (scanned == JSON_INVALID)
        scanned = syntax_read(d, &err);
    if (scanned == JSON_OK && !json_doc_each_duplicate(&d->doc, found_duplicate, d))
        scanned = JSON_NOMEM;
    return scanned == JSON_NOMEM || d->findings.failed ? diag_nomem(dg) : ST_OK;
}

bool document_is_readable(const struct document *d)
{
    return d->doc.node_count > 0;
}

bool document_is_json(const struct document *d)
{
    return document_is_readable(d) && d->notation.n == 0;
}

enum status document_finish(struct document *d, struct diag *dg)
{
    if (d->findings.failed || !findings_place(&d->findings, d->text, d->len))
        return diag_nomem(dg);
    return ST_OK;
}

enum status document_status(const struct document *d)
{
    if (d->findings.errors == 0)
        return ST_OK;
    return d->findings.data_errors ? ST_INPUT : ST_INVALID;
}

void document_free(struct document *d)
{
    findings_free(&d->findings);
    json_doc_free(&d->doc);
    json_notation_free(&d->notation);
    free(d->text);
    *d = (struct document){ 0 };
}
