#ifndef DMLOP_DESC_DOCUMENT_H
#define DMLOP_DESC_DOCUMENT_H

#include "base/diag.h"
#include "desc/finding.h"
#include "json/doc.h"
#include "json/notation.h"

#define DESC_MAX_TEXT ((size_t)64 << 20) /* bytes of a descriptor's text */

/* A text that is checked, with its findings. Zero-initialise; release with document_free. Must not
 * move while it is in use. */
struct document {
    char *text;               /* as read, owned */
    size_t len;
    struct json_doc doc;      /* without nodes where the text cannot be read */
    struct json_notation notation; /* edits that made JSON of the text */
    struct findings findings; /* after document_finish in text order, with positions */
};

/*
 * Takes text (from base/mem.h, len bytes, at most JSON_MAX_TEXT; owned by d from now on) and scans
 * it. What is JSON in another notation (see json/notation.h), a syntax error and duplicate keys
 * become findings. Returns ST_OK whatever was found; ST_SYSTEM, with a message, where memory is
 * short.
 */
enum status document_scan(struct document *d, char *text, size_t len,
                          const struct finding_options *opt, struct diag *dg);

/* Whether there are values to read: the text is JSON, or is read as JSON in another notation. */
bool document_is_readable(const struct document *d);

/* Whether the text is JSON, so that offsets in d->doc are those of the text. */
bool document_is_json(const struct document *d);

/* Gives the findings their places and order. May be called again after further findings. ST_SYSTEM,
 * with a message, where memory is short or was short while findings were added. */
enum status document_finish(struct document *d, struct diag *dg);

/* What the findings amount to: ST_OK, ST_INVALID, or ST_INPUT where a file's data are at fault. */
enum status document_status(const struct document *d);

void document_free(struct document *d);

#endif
