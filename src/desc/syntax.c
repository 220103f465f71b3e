#include "desc/syntax.h"

#include <string.h>

#include "base/str.h"
#include "desc/foreign.h"

/* The hint for a syntax error, by the text where it is. */
static const char *syntax_hint(const char *at, size_t n)
{
    static const struct {
        const char *text, *hint;
    } known[] = {
        { "'", "write strings and keys in double quotes" },
        { "True", "write true" },
        { "False", "write false" },
        { "None", "write null" },
        { "NaN",
          "only tensors have NaN; write a number, or the string \"nan\" among initial values" },
        { "#", "comments begin with // or /*" },
        { "+", "write the number without '+'" },
        { ".", "write a digit before the point" },
        { "=", "write ':' between a key and its value" },
        { ";", "write ',' between values" },
    };

    if (n == 0)
        return "the text ends too early; close what was opened";
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (n >= strlen(known[i].text) && memcmp(at, known[i].text, strlen(known[i].text)) == 0)
            return known[i].hint;
    return "mend the text here; comments and trailing commas are allowed";
}

static void syntax_error(struct document *d, const struct json_error *err)
{
    struct finding *f =
        findings_add(&d->findings, RULE_JSON_SYNTAX, "", AT_VALUE, "%s", err->message);
    size_t offset = err->offset < d->len ? err->offset : d->len;

    finding_hint(f, "%s", syntax_hint(d->text + offset, d->len - offset));
    if (f) {
        f->offset = err->offset;
        f->end = err->offset + 1;
    }
}


/* The hint of an edit: what to write, where that is short. */
static void hint_edit(struct finding *f, const struct json_edit *e, const char *json, size_t n)
{
    enum { SHORT = 60 };

    if (n <= SHORT && !memchr(json, '\n', n) && !memchr(json, '\r', n))
        finding_hint(f, "write %.*s", (int)n, json);
    else
        finding_hint(f, "write %s instead", *e->before == '[' ? "[ and ]" : "{ and }");
}

/* The message of an edit: what stands before and after the text that is replaced. */
static const struct {
    const char *before, *after;
    bool text; /* it is shown */
} messages[] = {
    [JSON_BRACES] = { "a list must be in square brackets, not in braces", "", false },
    [JSON_PARENTHESES] = { "a list must be in square brackets, not in parentheses", "", false },
    [JSON_KEY] = { "the key ", " must be in double quotes", true },
    [JSON_NAME] = { "", " must be in double quotes", true },
    [JSON_QUOTES] = { "", " must be in double quotes, not in single ones", true },
    [JSON_CONSTANT] = { "JSON does not have ", "", true },
    [JSON_SPECIAL] = { "JSON does not have ", "; a model's initial values take it as a string", true },
};

/* Reports an edit, with those in it, as one fix. */
static void report_edit(struct document *d, const struct json_edit *e)
{
    enum { SHOWN = 40 };
    const struct json_edit *last = &d->notation.edits[e->last];
    const char *json = d->notation.json + e->at, *text = d->text + e->offset;
    size_t n = last->at_end - e->at, shown = 0;
    struct finding *f;

    while (messages[e->kind].text && shown < SHOWN && shown < e->end - e->offset)
        shown += str_utf8_length(text + shown, e->end - e->offset - shown);
    if (e->kind == JSON_PARENTHESES && *e->before == '{')
        f = findings_add(&d->findings, RULE_JSON_SYNTAX, "", AT_VALUE,
                         "an object must be in braces, not in parentheses");
    else
        f = findings_add(&d->findings, RULE_JSON_SYNTAX, "", AT_VALUE, "%s%.*s%s",
                         messages[e->kind].before, (int)shown, text, messages[e->kind].after);
    hint_edit(f, e, json, n);
    finding_fix(f, "", AT_VALUE, "%.*s", (int)n, json);
    if (f) {
        f->offset = f->fix.offset = e->offset;
        f->end = f->fix.end = last->end;
    }
}

enum json_result syntax_read(struct document *d, struct json_error *err)
{
    enum json_result result;

    if (foreign_report(d, err->offset))
        return JSON_INVALID;
    if (!json_notation_read(&d->notation, d->text, d->len))
        return JSON_NOMEM;
    if (d->notation.n == 0) {
        syntax_error(d, err);
        return JSON_INVALID;
    }
    result = json_doc_scan(&d->doc, d->notation.json, d->notation.json_len, err);
    for (size_t i = 0; i < d->notation.n; i = d->notation.edits[i].last + 1)
        report_edit(d, &d->notation.edits[i]);
    if (result == JSON_INVALID) {
        err->offset = json_notation_source(&d->notation, err->offset);
        syntax_error(d, err);
    }
    return result;
}
