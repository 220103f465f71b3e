#include "desc/finding.h"

#include "base/mem.h"
#include "json/write.h"

const struct rule_info rule_table[RULE_COUNT] = {
#define X(name, ...) { __VA_ARGS__ },
#include "desc/rule_rows.h"
#undef X
};

static char *format(struct findings *fs, const char *fmt, va_list ap)
{
    struct str b = { 0 };
    char *s;

    str_vprintf(&b, fmt, ap);
    s = str_detach(&b);
    if (!s)
        fs->failed = true;
    return s;
}

/* Adds the base to a pointer, and replaces keys by those of the text; owned by the caller, as
 * *meant, the pointer before, which is NULL if it is the same. */
static char *full_pointer(struct findings *fs, const char *below, char **meant)
{
    char *whole = str_format("%s%s", fs->context.base ? fs->context.base : "", below);
    struct str text = { 0 };

    *meant = NULL;
    if (whole && json_alias_pointer(&fs->context.aliases, fs->context.doc, whole, &text)) {
        *meant = whole;
        whole = str_detach(&text);
    }
    fs->failed = fs->failed || !whole;
    str_done(&text, &fs->failed);
    return whole;
}

/* True if the value at a pointer is none, which was reported: null for what cannot be a value. */
static bool is_unknown(const struct findings *fs, const char *pointer)
{
    const struct finding_context *c = &fs->context;
    ptrdiff_t node;

    if (!pointer || !c->notation || c->notation->n == 0 || c->doc->node_count == 0)
        return false;
    node = json_doc_find(c->doc, pointer);
    return node >= 0 && c->doc->nodes[node].type == JSON_NULL &&
           json_notation_is_unknown(c->notation,
                                    json_notation_source(c->notation, c->doc->nodes[node].start));
}

/* Counts a finding. False if it is not to be kept. */
static bool count_finding(struct findings *fs, struct finding *f)
{
    const struct rule_info *info = &rule_table[f->rule];

    if ((info->of == CLASS_PORTABLE && !fs->opt.portable) ||
        (f->at == AT_VALUE && is_unknown(fs, f->pointer)))
        return false;
    fs->broken[f->rule] |= !fs->context.doubtful;
    f->severity = fs->context.doubtful || (fs->opt.relaxed && info->of == CLASS_LIMIT)
                      ? SEV_WARNING
                      : info->severity;
    f->turn = fs->errors + fs->warnings;
    ++*(f->severity == SEV_ERROR ? &fs->errors : &fs->warnings);
    fs->data_errors += info->of == CLASS_DATA;
    if (f->severity == SEV_WARNING && fs->opt.errors_only)
        return false;
    if (fs->opt.max_findings > 0 && fs->n >= 2 * fs->opt.max_findings)
        findings_locate(fs);
    return f->pointer && findings_wants(fs, f);
}

struct finding *findings_add(struct findings *fs, enum rule rule, const char *pointer,
                             enum finding_at at, const char *fmt, ...)
{
    struct finding f = { .list = fs, .rule = rule, .at = at };
    bool kept;
    va_list ap;

    f.pointer = full_pointer(fs, pointer, &f.meant);
    kept = count_finding(fs, &f);
    if (kept) {
        va_start(ap, fmt);
        f.message = format(fs, fmt, ap);
        va_end(ap);
        kept = f.message && mem_reserve(&fs->v, fs->n, &fs->cap, sizeof *fs->v);
        fs->failed = fs->failed || !kept;
    }
    if (!kept) {
        finding_release(&f);
        return NULL;
    }
    fs->v[fs->n] = f;
    return &fs->v[fs->n++];
}

bool finding_hint(struct finding *f, const char *fmt, ...)
{
    va_list ap;

    if (!f)
        return false;
    free(f->hint);
    va_start(ap, fmt);
    f->hint = format(f->list, fmt, ap);
    va_end(ap);
    return false;
}

void finding_relate(struct finding *f, const char *pointer, const char *fmt, ...)
{
    struct finding_place place = { 0 }, *grown;
    char *meant;
    va_list ap;

    if (!f)
        return;
    va_start(ap, fmt);
    place.message = format(f->list, fmt, ap);
    va_end(ap);
    place.pointer = full_pointer(f->list, pointer, &meant);
    free(meant);
    grown = mem_realloc(f->related, f->related_count + 1, sizeof *grown);
    if (grown)
        f->related = grown;
    if (!grown || !place.message || !place.pointer) {
        f->list->failed = true;
        free(place.message);
        free(place.pointer);
        return;
    }
    grown[f->related_count++] = place;
}

void finding_fix(struct finding *f, const char *fmt, ...)
{
    va_list ap;

    if (!f || f->list->context.unsure || f->rule == RULE_DESC_DISPUTED)
        return;
    free(f->fix.text);
    va_start(ap, fmt);
    f->fix.text = format(f->list, fmt, ap);
    va_end(ap);
}

void finding_fix_string(struct finding *f, const char *fmt, ...)
{
    struct str text = { 0 }, json = { 0 };
    va_list ap;

    if (!f)
        return;
    va_start(ap, fmt);
    str_vprintf(&text, fmt, ap);
    va_end(ap);
    json_str(&(struct json_writer){ .out = &json }, NULL, &text);
    finding_fix(f, "%s", json.s ? json.s : "");
    str_done(&json, &f->list->failed);
}

void finding_fix_name(struct finding *f, const char *prefix, const char *name)
{
    const struct json_doc *doc = f ? f->list->context.doc : NULL;
    ptrdiff_t node = doc && doc->node_count ? json_doc_find(doc, f->pointer) : -1;
    bool plain = node >= 0 && doc->nodes[node].type == JSON_STRING &&
                 strncmp(json_doc_text(doc, (size_t)node), "DML_", 4) != 0;

    finding_fix_string(f, "%s%s", plain ? "" : prefix, name);
}

void finding_from(struct finding *f, const char *name, uint64_t v)
{
    const char *at = f ? strstr(f->pointer, "/desc/") : NULL;
    struct str *b = f ? &f->fix.from : NULL;
    bool more = f && b->len > 0;

    if (!f || !f->fix.text)
        return;
    for (at = at ? at + 6 : f->pointer + 1; !more && *at; at++) /* Sizes/1: Sizes[1] */
        if (*at == '/' && at[1] >= '0' && at[1] <= '9') {
            size_t n = strcspn(at + 1, "/");

            str_printf(b, "[%.*s]", (int)n, at + 1);
            at += n;
        } else
            str_printf(b, "%c", *at == '/' ? '.' : *at);
    str_printf(b, "%s %s = %ju", more ? "," : " is computed from", name, v);
    f->list->failed = f->list->failed || b->failed;
}

void finding_doubt(struct finding *f)
{
    char *use = f && f->fix.text ? f->hint : NULL;

    if (use && !strchr(use, ';')) { /* NULL: memory is short */
        f->hint = NULL;
        finding_hint(f, "%s, or change the other values", use);
        free(use);
    }
    if (f) {
        free(f->fix.text);
        f->fix.text = NULL;
    }
}

void finding_set_range(struct finding *f, size_t offset, size_t end)
{
    if (!f)
        return;
    f->range.offset = offset;
    f->range.end = end;
}

size_t findings_nearest(struct findings *fs, const char *name, const char *const names[], size_t n,
                        size_t found[], size_t limit)
{
    enum { COMPARED_MOST = 2000000 }; /* bytes: about a second */

    if (fs->context.compared > COMPARED_MOST)
        return 0;
    fs->context.compared += n * strlen(name);
    return str_nearest_all(name, names, n, found, limit);
}

void findings_free(struct findings *fs)
{
    findings_keep(fs, 0);
    free(fs->context.aliases.v);
    hash_set_free(&fs->context.noted);
    free(fs->v);
    *fs = (struct findings){ 0 };
}
