#pragma once

#include "base/diag.h"
#include "desc/finding.h"

#define DESC_MAX_TEXT ((size_t)64 << 20) /* bytes of a descriptor's text */

/* A text and its findings. Zero-initialise; release with document_free; must not move. */
struct document {
    char *text; /* as read, owned */
    size_t len;
    struct json_doc doc;           /* without nodes if the text cannot be read */
    struct json_notation notation; /* edits that made JSON of the text */
    struct findings findings;      /* after document_finish in text order, with positions */
};

/* Scans text (from base/mem.h, len bytes, at most JSON_MAX_TEXT); d owns it from now on. Other
 * notations (see json/notation.h), a syntax error and duplicate keys become findings, and the
 * result is ST_OK. ST_SYSTEM, with a message, if memory is short. */
enum status document_scan(struct document *d, char *text, size_t len,
                          const struct finding_options *opt, struct diag *dg);

/* True if there are values: the text is JSON, or was read as JSON in another notation. */
static inline bool document_is_readable(const struct document *d) { return d->doc.node_count > 0; }

/* True if the text is JSON; then offsets in d->doc are offsets in the text. */
static inline bool document_is_json(const struct document *d)
{
    return document_is_readable(d) && d->notation.n == 0;
}

/* Places and sorts the findings. May be called again after further findings. ST_SYSTEM, with a
 * message, if memory is short or was short before. */
static inline enum status document_finish(struct document *d, struct diag *dg)
{
    bool placed = !d->findings.failed && findings_place(&d->findings, d->text, d->len);

    return placed ? ST_OK : diag_nomem(dg);
}

/* The exit status: ST_OK, ST_INVALID, or ST_INPUT if a file's data have errors. */
enum status document_status(const struct document *d);

void document_free(struct document *d);

/* Private to desc/. */

/* Reports a text that is C, such as "UINT sizes[] = { 1, 1, 4, 4 };", or an example in the notation
 * of DirectML's pages; the scanner stopped at `offset`. False, without a finding, for other texts.
 */
bool foreign_report(struct document *d, size_t offset);
