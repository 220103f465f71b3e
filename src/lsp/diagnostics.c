#include "check/explain.h"
#include "check/fix.h"
#include "lsp/work.h"
#include "lsp/cursor.h"

/* The bytes that are marked for a finding: at least one character, unless the text has none. */
static struct lsp_span range_of(const struct lsp_work *v, const struct finding *f)
{
    const char *text = v->checked->document.text;
    size_t len = v->checked->document.len, start = f->range.offset < len ? f->range.offset : len;
    size_t end = f->range.end < len ? f->range.end : len;

    if (start < end)
        return (struct lsp_span){ start, end };
    if (start == len) /* at the end of the text: mark its last character */
        while (start > 0 && isspace((unsigned char)text[start - 1]))
            start--;
    start -= start > 0;
    return (struct lsp_span){ start, start < len ? start + 1 : len };
}

static void write_related(struct json_writer *w, const struct lsp_work *v,
                          struct lsp_places *places, const struct finding *f)
{
    json_format(w, "relatedInformation: [");
    for (size_t i = 0; i < f->related_count; i++) {
        const struct finding_place *p = &f->related[i];

        json_format(w, "{ location: { uri: %s", v->doc->uri);
        lsp_write_range(w, "range", places, p->range.offset, p->range.end);
        json_close(w);
        lsp_write_text(w, "message", p->message);
        json_close(w);
    }
    json_close(w);
}

/* Writes a finding as a Diagnostic. Findings are best in text order; `related` has the places that
 * they refer to. */
static void write_finding(struct json_writer *w, struct lsp_work *v, struct lsp_places *related,
                          const struct finding *f)
{
    const char *rule = rule_table[f->rule].id, *address;
    struct lsp_span marked = range_of(v, f);
    struct str message = { 0 };
    size_t n;

    json_format(w, "{");
    lsp_write_range(w, "range", &v->places, marked.start, marked.end);
    json_format(w, "severity: %u code: %s", f->severity == SEV_ERROR ? 1U : 2U, rule);
    address = explain_address(rule, &n);
    if (address) {
        json_format(w, "codeDescription: {");
        json_stringf(w, "href", "%.*s", (int)n, address);
        json_close(w);
    }
    json_string(w, "source", "dmlop");
    str_add_escaped(&message, f->message, strlen(f->message));
    str_puts(&message, f->hint ? "\n" : "");
    str_add_escaped(&message, f->hint ? f->hint : "", f->hint ? strlen(f->hint) : 0);
    json_str(w, "message", &message);
    if (f->related_count > 0)
        write_related(w, v, related, f);
    json_close(w);
}

void lsp_answer_diagnostics(struct json_writer *w, struct lsp_work *v)
{
    const struct findings *found = &v->checked->document.findings;
    struct lsp_places related = v->places;

    json_format(w, "params: { uri: %s", v->doc->uri);
    json_int(w, "version", v->doc->version);
    json_format(w, "diagnostics: [");
    for (size_t i = 0; i < found->n; i++)
        write_finding(w, v, &related, &found->v[i]);
    json_format(w, "] }");
}

/* Opens an action up to its list of diagnostics or edits; json_close_to closes it. */
static void open_action(struct json_writer *w, const char *title, const char *kind)
{
    json_format(w, "{");
    lsp_write_text(w, "title", title);
    json_string(w, "kind", kind);
}

/* Opens an edit up to its list of text edits; json_close_to closes it. */
static void open_edit(struct json_writer *w, const struct lsp_work *v)
{
    const struct lsp_doc *doc = v->doc;

    json_format(w, "edit: {");
    if (!v->settings->versioned) {
        struct str uri = { 0 };

        json_format(w, "changes: {");
        str_add_json(&uri, doc->uri, strlen(doc->uri));
        json_open(w, uri.s ? uri.s : "", "[]");
        str_done(&uri, &w->out->failed);
        return;
    }
    json_format(w, "documentChanges: [ { textDocument: { uri: %s", doc->uri);
    json_int(w, "version", doc->version);
    json_format(w, "} edits: [");
}

/* Adds n bytes to a title, each run of white space as one blank; cut, with "...", if long. */
static void add_short(struct str *title, const char *text, size_t n)
{
    enum { MOST = 70 /* bytes of a title */ };

    for (size_t i = 0; i < n && !title->failed; i++) {
        bool blank = isspace((unsigned char)text[i]) != 0;

        if (blank && title->s[title->len - 1] == ' ')
            continue;
        if (title->len >= MOST && !str_continues(text[i])) {
            str_puts(title, "...");
            return;
        }
        str_add(title, blank ? " " : text + i, 1);
    }
}

/* Opens the action of a fix, which is titled by what it does. A string that replaces a string is
 * shown without its quotes. */
static void open_quick_fix(struct json_writer *w, const struct lsp_work *v,
                           const struct finding_fix *fix)
{
    const char *old = v->checked->document.text + fix->offset, *text = fix->text;
    size_t n = strlen(text);
    struct str title = { 0 };

    if (n >= 2 && *text == '"' && fix->end > fix->offset && *old == '"') {
        text++;
        n -= 2;
    }
    str_puts(&title, fix->end == fix->offset ? "Insert " : *fix->text ? "Replace by " : "Delete ");
    add_short(&title, *fix->text ? text : old, *fix->text ? n : fix->end - fix->offset);
    open_action(w, title.s ? title.s : "", "quickfix");
    str_done(&title, &w->out->failed);
}

/* Writes an action for each finding in the wanted range that has a fix, if such actions are wanted.
 * True if any finding of the text has one. */
static bool write_quick_fixes(struct json_writer *w, struct lsp_work *v)
{
    const struct findings *found = &v->checked->document.findings;
    struct lsp_places related = v->places, edits = v->places;
    unsigned depth = w->depth;
    bool any = false;

    for (size_t i = 0; i < found->n; i++) {
        const struct finding *f = &found->v[i];
        struct lsp_span marked = range_of(v, f);

        if (!f->fix.text || f->fix.end == 0)
            continue;
        any = true;
        if (!v->quick_fixes || marked.start > v->end || marked.end < v->start)
            continue;
        open_quick_fix(w, v, &f->fix);
        json_format(w, "diagnostics: [");
        write_finding(w, v, &related, f);
        json_close(w);
        open_edit(w, v);
        lsp_write_edit(w, &edits, f->fix.offset, f->fix.end, f->fix.text, strlen(f->fix.text));
        json_close_to(w, depth);
    }
    return any;
}

static void write_fix_all(struct json_writer *w, struct lsp_work *v)
{
    const struct str *text = &v->doc->text.bytes;
    struct fixed f = { .count = 0 };
    struct diff_change c = { .first = 0 };
    unsigned depth = w->depth;
    char title[64];

    if (fix_text(v->path, text, &v->settings->check, &f, v->dg) != ST_OK)
        w->out->failed = true;
    else if (f.count > 0) {
        snprintf(title, sizeof title, "Fix all (%zu value%s)", f.count, f.count == 1 ? "" : "s");
        open_action(w, title, "source.fixAll");
        open_edit(w, v);
        while (diff_next(&f.diff, text, &f.text, &c)) {
            struct diff_change t = c;

            diff_trim(&t, text, &f.text);
            lsp_write_edit(w, &v->places, t.old_start, t.old_end, f.text.s + t.new_start,
                           t.new_end - t.new_start);
        }
        json_close_to(w, depth);
    }
    fixed_free(&f);
}

void lsp_answer_actions(struct json_writer *w, struct lsp_work *v)
{
    json_format(w, "result: [");
    if (write_quick_fixes(w, v) && v->fix_all)
        write_fix_all(w, v);
    json_close(w);
}
