#include "desc/read/document.h"

/* The hint for a syntax error, by the n bytes of text from there on. */
static const char *syntax_hint(const char *at, size_t n)
{
    static const struct {
        const char *text, *hint;
    } known[] = {
#include "desc/syntax_hints_rows.h"
    };

    if (n == 0)
        return "the text ends too early; close every bracket, brace and quote";
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (n >= strlen(known[i].text) && memcmp(at, known[i].text, strlen(known[i].text)) == 0)
            return known[i].hint;
    return "fix the text here; comments and trailing commas are allowed";
}

static void syntax_error(struct document *d, const struct json_error *err)
{
    struct finding *f =
        findings_add(&d->findings, RULE_JSON_SYNTAX, "", AT_VALUE, "%s", err->message);
    size_t offset = err->offset < d->len ? err->offset : d->len;

    finding_hint(f, "%s", syntax_hint(d->text + offset, d->len - offset));
    finding_set_range(f, err->offset, err->offset + 1);
}

/* The message of an edit, around the text that it replaces, and its hint; NULL: the JSON. */
static const struct {
    const char *before, *after;
    bool text; /* show the text */
    const char *hint;
} messages[] = {
#include "desc/edits_rows.h"
};

/* Adds the JSON of an edit and of the edits inside it; what cannot be a value stays. */
static void add_json(const struct document *d, const struct json_edit *e, struct str *b)
{
    const struct json_edit *last = &d->notation.edits[e->last];
    size_t at = e->at;

    for (const struct json_edit *in = e; in < last; in++)
        if (in->kind == JSON_UNKNOWN) {
            str_add(b, d->notation.json + at, in->at - at);
            str_add(b, d->text + in->offset, in->end - in->offset);
            at = in->at_end;
        }
    str_add(b, d->notation.json + at, last->at_end - at);
}

static struct finding *add_finding(struct document *d, const struct json_edit *e)
{
    enum { SHOWN = 40 };
    const char *text = d->text + e->offset;
    size_t shown = 0;

    while (messages[e->kind].text && shown < SHOWN && shown < e->end - e->offset &&
           !strchr("\r\n", text[shown]))
        shown += str_utf8_length(text + shown, e->end - e->offset - shown);
    while (shown > 0 && text[shown - 1] == ' ')
        shown--;
    if (e->kind == JSON_PARENTHESES && *e->before == '{')
        return findings_add(&d->findings, RULE_JSON_SYNTAX, "", AT_VALUE,
                            "an object must be in braces, not in parentheses");
    return findings_add(&d->findings, RULE_JSON_SYNTAX, "", AT_VALUE, "%s%.*s%s",
                        messages[e->kind].before, (int)shown, text, messages[e->kind].after);
}

/* Reports an edit and the edits inside it as one fix. Its range is what is replaced, or the value
 * beside what is missing. */
static void report_edit(struct document *d, const struct json_edit *e)
{
    enum { SHORT = 60 };
    struct json_lexer next = { .text = d->text, .len = d->len, .start = e->end, .end = e->end };
    struct finding *f = add_finding(d, e);
    size_t end = d->notation.edits[e->last].end, at = e->offset - (e->offset == e->end);
    const char *hint = messages[e->kind].hint;
    struct str json = { 0 };

    add_json(d, e, &json);
    if (!json.failed) {
        if (hint)
            finding_hint(f, "%s", hint);
        else if (json.len <= SHORT && !strpbrk(json.s, "\r\n"))
            finding_hint(f, "write %s", json.s);
        else
            finding_hint(f, "write %s instead", *e->before == '[' ? "[ and ]" : "{ and }");
        finding_fix(f, "%s", json.s ? json.s : "");
    }
    str_done(&json, &d->findings.failed);
    if (e->kind == JSON_COLON) {
        json_lex(&next);
        finding_set_range(f, next.start, next.start + 1);
    } else {
        while (at > 0 && str_continues(d->text[at]))
            at--;
        finding_set_range(f, at, end);
    }
    if (f) {
        f->fix.offset = e->offset;
        f->fix.end = end;
    }
}

static void report_unknown(struct document *d, const struct json_edit *e)
{
    struct json_lexer lx = { .text = d->text, .len = d->len, .start = e->offset, .end = e->offset };

    json_lex(&lx);
    json_lex_expected(&lx, "a value");
    lx.err.offset = e->offset;
    syntax_error(d, &lx.err);
}

/* Adds a finding for each edit of d->notation, with a fix where the JSON is certain. */
static void notation_report(struct document *d)
{
    size_t covered = 0; /* edits before this one are part of a fix */

    for (size_t i = 0; i < d->notation.n; i++) {
        const struct json_edit *e = &d->notation.edits[i];

        if (e->kind == JSON_UNKNOWN)
            report_unknown(d, e);
        else if (i >= covered && e->kind != JSON_CLOSING)
            report_edit(d, e);
        if ((e->kind == JSON_BRACES || e->kind == JSON_PARENTHESES) && e->last > covered)
            covered = e->last;
    }
}

static struct finding_range key_range(const struct document *d, size_t node)
{
    return (struct finding_range){
        .offset = json_notation_source(&d->notation, d->doc.nodes[node].key),
        .end = json_notation_source(&d->notation, json_doc_key_end(&d->doc, node)),
    };
}

static void found_duplicate(struct document *d, size_t node, size_t first)
{
    struct finding *f = findings_add(&d->findings, RULE_JSON_DUPLICATE_KEY, "", AT_KEY,
                                     "the key \"%s\" appears twice in the same object",
                                     json_doc_key_text(&d->doc, node));

    finding_hint(f, "delete one of the two");
    finding_relate(f, "", "it appears here first");
    if (f)
        f->range = key_range(d, node);
    if (f && f->related_count)
        f->related[0].range = key_range(d, first);
}

/* Handles a text that the scanner refused: reads JSON in another notation, which sets d->doc and
 * d->notation, and reports C and DirectML's pages. */
static enum json_result read_refused(struct document *d, struct json_error *err)
{
    size_t refused = err->offset;
    enum json_result result = JSON_INVALID;

    if (!json_notation_read(&d->notation, d->text, d->len))
        return JSON_NOMEM;
    if (d->notation.n > 0) {
        result = json_doc_scan(&d->doc, d->notation.json, d->notation.json_len, err);
        if (result == JSON_INVALID)
            err->offset = json_notation_source(&d->notation, err->offset);
    }
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
    if (d->notation.edits)
        json_notation_free(&d->notation);
    free(d->text);
    *d = (struct document){ 0 };
}
