#include <ctype.h>
#include <string.h>

#include "check/explain.h"
#include "lsp/finding.h"

struct lsp_findings lsp_findings_of(const struct lsp_view *v)
{
    struct lsp_places at_start = { .text = v->checked->document.text,
                                   .len = v->checked->document.len, .encoding = v->encoding };

    return (struct lsp_findings){ .view = v, .places = at_start, .related = at_start };
}

void lsp_finding_range(const struct lsp_view *v, const struct finding *f, size_t *start,
                       size_t *end)
{
    const char *text = v->checked->document.text;
    size_t len = v->checked->document.len;

    *start = f->range.offset < len ? f->range.offset : len;
    *end = f->range.end < len ? f->range.end : len;
    if (*start < *end)
        return;
    if (*start == len) /* what is missing at the end is missing after the last thing there */
        while (*start > 0 && isspace((unsigned char)text[*start - 1]))
            --*start;
    *start -= *start > 0;
    while (*start > 0 && ((unsigned char)text[*start] & 0xc0) == 0x80)
        --*start;
    *end = *start < len ? *start + 1 : len;
}

static void write_related(struct json_writer *w, struct lsp_findings *fs, const struct finding *f)
{
    json_open(w, "relatedInformation", "[]");
    for (size_t i = 0; i < f->related_count; i++) {
        const struct finding_place *p = &f->related[i];

        json_open(w, NULL, "{}");
        json_open(w, "location", "{}");
        json_string(w, "uri", fs->view->uri);
        lsp_write_range(w, "range", &fs->related, p->range.offset, p->range.end);
        json_close(w);
        json_string(w, "message", p->message);
        json_close(w);
    }
    json_close(w);
}

static void write_address(struct json_writer *w, const char *rule)
{
    size_t n;
    const char *address = explain_address(rule, &n);

    if (!address)
        return;
    json_open(w, "codeDescription", "{}");
    json_stringf(w, "href", "%.*s", (int)n, address);
    json_close(w);
}

void lsp_write_finding(struct json_writer *w, const char *key, struct lsp_findings *fs,
                       const struct finding *f)
{
    size_t start, end;

    lsp_finding_range(fs->view, f, &start, &end);
    json_open(w, key, "{}");
    lsp_write_range(w, "range", &fs->places, start, end);
    json_uint(w, "severity", f->severity == SEV_ERROR ? 1 : 2);
    json_string(w, "code", rule_table[f->rule].id);
    write_address(w, rule_table[f->rule].id);
    json_string(w, "source", "dmlop");
    json_stringf(w, "message", f->hint ? "%s\n%s" : "%s", f->message, f->hint);
    if (f->related_count > 0)
        write_related(w, fs, f);
    json_close(w);
}

void lsp_answer_diagnostics(struct json_writer *w, const char *key, const struct lsp_view *v,
                            long long version)
{
    const struct findings *found = &v->checked->document.findings;
    struct lsp_findings fs = lsp_findings_of(v);

    json_open(w, key, "{}");
    json_string(w, "uri", v->uri);
    json_int(w, "version", version);
    json_open(w, "diagnostics", "[]");
    for (size_t i = 0; i < found->n; i++)
        lsp_write_finding(w, NULL, &fs, &found->v[i]);
    json_close(w);
    json_close(w);
}
