#include <string.h>

#include "check/diff.h"
#include "check/fix.h"
#include "lsp/finding.h"

/* The actions that are being written. */
struct actions {
    const struct lsp_view *view;
    const struct lsp_actions *wanted;
    struct lsp_findings findings; /* what they solve, and where */
    struct lsp_places places;     /* of edits */
};

/* Opens an edit as far as its list of text edits; it is closed by json_close_to. */
static void open_edit(struct json_writer *w, const struct actions *a)
{
    json_open(w, "edit", "{}");
    if (!a->wanted->versioned) {
        struct str uri = { 0 };

        json_open(w, "changes", "{}");
        str_add_json(&uri, a->view->uri, strlen(a->view->uri));
        w->out->failed = w->out->failed || uri.failed;
        json_open(w, uri.s ? uri.s : "", "[]");
        str_free(&uri);
        return;
    }
    json_open(w, "documentChanges", "[]");
    json_open(w, NULL, "{}");
    json_open(w, "textDocument", "{}");
    json_string(w, "uri", a->view->uri);
    json_int(w, "version", a->wanted->version);
    json_close(w);
    json_open(w, "edits", "[]");
}

/* One text edit: the bytes [start, end) become n bytes of text. */
static void write_edit(struct json_writer *w, struct actions *a, size_t start, size_t end,
                       const char *text, size_t n)
{
    json_open(w, NULL, "{}");
    lsp_write_range(w, "range", &a->places, start, end);
    json_stringf(w, "newText", "%.*s", (int)n, text);
    json_close(w);
}

static bool has_fix(const struct finding *f) { return f->fix.text && f->fix.end > 0; }

static void write_quick_fix(struct json_writer *w, struct actions *a, const struct finding *f)
{
    unsigned depth = w->depth;

    json_open(w, NULL, "{}");
    json_string(w, "title", f->hint ? f->hint : f->message);
    json_string(w, "kind", "quickfix");
    json_open(w, "diagnostics", "[]");
    lsp_write_finding(w, NULL, &a->findings, f);
    json_close(w);
    open_edit(w, a);
    write_edit(w, a, f->fix.offset, f->fix.end, f->fix.text, strlen(f->fix.text));
    json_close_to(w, depth);
}

static void write_quick_fixes(struct json_writer *w, struct actions *a)
{
    const struct findings *found = &a->view->checked->document.findings;
    size_t start, end;

    for (size_t i = 0; i < found->n; i++) {
        const struct finding *f = &found->v[i];

        lsp_finding_range(a->view, f, &start, &end);
        if (has_fix(f) && start <= a->wanted->end && end >= a->wanted->start)
            write_quick_fix(w, a, f);
    }
}

/* What makes one text the other, as one action. */
static void write_changes(struct json_writer *w, struct actions *a, const struct str *from,
                          const struct str *to, size_t fixes)
{
    struct diff_change c = { 0 };
    unsigned depth = w->depth;

    json_open(w, NULL, "{}");
    json_stringf(w, "title", "Fix all (%zu value%s)", fixes, fixes == 1 ? "" : "s");
    json_string(w, "kind", "source.fixAll");
    open_edit(w, a);
    a->places.offset = a->places.line = a->places.character = 0;
    while (diff_next(from, to, &c))
        write_edit(w, a, c.old_start, c.old_end, to->s + c.new_start, c.new_end - c.new_start);
    json_close_to(w, depth);
}

static void write_fix_all(struct json_writer *w, struct actions *a)
{
    const struct document *d = &a->view->checked->document;
    struct str from = { 0 }, to = { 0 };
    struct checked left = { 0 };
    size_t fixes = 0;
    bool any = false;

    for (size_t i = 0; i < d->findings.n && !any; i++)
        any = has_fix(&d->findings.v[i]);
    if (!any)
        return;
    str_add(&from, d->text, d->len);
    str_add(&to, d->text, d->len);
    if (from.failed || to.failed ||
        fix_text(a->view->path, &to, a->view->opt, &left, &fixes, a->wanted->dg) != ST_OK)
        w->out->failed = true;
    else if (fixes > 0)
        write_changes(w, a, &from, &to, fixes);
    checked_free(&left);
    str_free(&to);
    str_free(&from);
}

void lsp_answer_actions(struct json_writer *w, const char *key, const struct lsp_view *v,
                        const struct lsp_actions *wanted)
{
    struct lsp_findings findings = lsp_findings_of(v);
    struct actions a = { .view = v, .wanted = wanted, .findings = findings,
                         .places = findings.places };

    json_open(w, key, "[]");
    if (wanted->quick_fixes)
        write_quick_fixes(w, &a);
    if (wanted->fix_all)
        write_fix_all(w, &a);
    json_close(w);
}
