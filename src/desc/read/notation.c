#include "desc/read/document.h"

#include <string.h>

#include "base/str.h"

/* Sets the hint of an edit: its JSON, if that is short. */
static void hint_edit(struct finding *f, const struct json_edit *e, const char *json, size_t n)
{
    enum { SHORT = 60 };

    if (n <= SHORT && !memchr(json, '\n', n) && !memchr(json, '\r', n))
        finding_hint(f, "write %.*s", (int)n, json);
    else
        finding_hint(f, "write %s instead", *e->before == '[' ? "[ and ]" : "{ and }");
}

/* The message of an edit, around the text that it replaces. */
static const struct {
    const char *before, *after;
    bool text; /* show the text */
} messages[] = {
    [JSON_BRACES] = { "a list must be in square brackets, not in braces", "", false },
    [JSON_PARENTHESES] = { "a list must be in square brackets, not in parentheses", "", false },
    [JSON_KEY] = { "the key ", " must be in double quotes", true },
    [JSON_NAME] = { "", " must be in double quotes", true },
    [JSON_QUOTES] = { "", " must be in double quotes, not in single ones", true },
    [JSON_CONSTANT] = { "JSON does not have ", "", true },
    [JSON_SPECIAL] = { "JSON does not have ", "; in a model, initialValues may have it as a string",
                       true },
};

/* Reports an edit and the edits inside it as one fix. */
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
    finding_fix(f, "%.*s", (int)n, json);
    finding_set_range(f, e->offset, last->end);
    if (f) {
        f->fix.offset = e->offset;
        f->fix.end = last->end;
    }
}

enum json_result notation_read(struct document *d, struct json_error *err)
{
    enum json_result result;

    if (!json_notation_read(&d->notation, d->text, d->len))
        return JSON_NOMEM;
    if (d->notation.n == 0)
        return JSON_INVALID;
    result = json_doc_scan(&d->doc, d->notation.json, d->notation.json_len, err);
    for (size_t i = 0; i < d->notation.n; i = d->notation.edits[i].last + 1)
        report_edit(d, &d->notation.edits[i]);
    if (result == JSON_INVALID)
        err->offset = json_notation_source(&d->notation, err->offset);
    return result;
}
