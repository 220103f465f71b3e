#include "desc/read/document.h"

#include <stdlib.h>
#include <string.h>

/* The range of a member's key in the text. */
static struct finding_range key_range(const struct document *d, size_t node)
{
    return (struct finding_range){
        .offset = json_notation_source(&d->notation, d->doc.nodes[node].key),
        .end = json_notation_source(&d->notation, json_doc_key_end(&d->doc, node)),
    };
}

static void found_duplicate(struct document *d, size_t node, size_t first)
{
    char *key = json_doc_key(&d->doc, node);
    struct finding *f =
        findings_add(&d->findings, RULE_JSON_DUPLICATE_KEY, "", AT_KEY,
                     "the key \"%s\" appears twice in the same object", key ? key : "");

    finding_hint(f, "delete one of the two");
    finding_relate(f, "", "it appears here first");
    if (f)
        f->range = key_range(d, node);
    if (f && f->related_count)
        f->related[0].range = key_range(d, first);
    free(key);
}

/* Handles a text that the scanner refused: reads JSON in another notation, and reports C and
 * DirectML's pages. */
static enum json_result read_refused(struct document *d, struct json_error *err)
{
    size_t refused = err->offset;
    enum json_result result = notation_read(d, err);

    if (result == JSON_INVALID && foreign_report(d, refused))
        return result;
    notation_report(d);
    if (result == JSON_INVALID)
        syntax_error(d, err);
    return result;
}

static void check_byte_order_mark(struct document *d)
{
    static const char mark[] = { '\xEF', '\xBB', '\xBF' };
    struct finding *f;

    if (!d->findings.opt.portable || d->len < sizeof mark ||
        memcmp(d->text, mark, sizeof mark) != 0)
        return;
    f = findings_add(&d->findings, RULE_PORTABLE_BYTE_ORDER_MARK, "", AT_VALUE,
                     "the text begins with a byte-order mark, which DxDispatch cannot read");
    finding_remedy(f);
    finding_set_range(f, 0, sizeof mark);
}

enum status document_scan(struct document *d, char *text, size_t len,
                          const struct finding_options *opt, struct diag *dg)
{
    struct json_error err;
    enum json_result scanned;

    *d = (struct document){ .text = text, .len = len };
    d->findings =
        (struct findings){ .opt = *opt, .context = { .doc = &d->doc, .notation = &d->notation } };
    if (opt->max_findings == 0 || opt->max_findings > FINDINGS_MOST)
        d->findings.opt.max_findings = FINDINGS_MOST;
    check_byte_order_mark(d);
    scanned = json_doc_scan(&d->doc, text, len, &err);
    if (scanned == JSON_INVALID)
        scanned = read_refused(d, &err);
    for (size_t i = 0; i < d->doc.node_count; i++)
        if (d->doc.nodes[i].repeated)
            found_duplicate(d, i, d->doc.nodes[i].repeated);
    return scanned == JSON_NOMEM || d->findings.failed ? diag_nomem(dg) : ST_OK;
}

bool document_is_readable(const struct document *d) { return d->doc.node_count > 0; }

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
