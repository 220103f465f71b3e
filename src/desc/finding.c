#include "desc/finding.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "json/write.h"

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

static char *join_base(struct findings *fs, const char *pointer)
{
    char *s =
        fs->context.base ? str_format("%s%s", fs->context.base, pointer) : mem_strdup(pointer);

    if (!s)
        fs->failed = true;
    return s;
}

/* Applies the last alias that fits a pointer; NULL if none fits or memory is short. */
static char *resolve(struct findings *fs, const char *pointer)
{
    for (size_t i = fs->context.alias_count; pointer && i-- > 0;) {
        const struct finding_alias *a = &fs->context.aliases[i];
        size_t n = strlen(a->meant);
        char *s;

        if (strncmp(pointer, a->meant, n) != 0 || (pointer[n] != '/' && pointer[n] != '\0'))
            continue;
        s = str_format("%s%s", a->there, pointer + n);
        fs->failed = fs->failed || !s;
        return s;
    }
    return NULL;
}

/* Adds the base and applies aliases; owned by the caller. */
static char *full_pointer(struct findings *fs, const char *pointer)
{
    char *meant = join_base(fs, pointer), *there = resolve(fs, meant);

    if (!there)
        return meant;
    free(meant);
    return there;
}

void findings_alias(struct findings *fs, const char *meant, const char *there)
{
    struct finding_alias a;

    if (!mem_reserve(&fs->context.aliases, fs->context.alias_count, &fs->context.alias_cap,
                     sizeof a)) {
        fs->failed = true;
        return;
    }
    a = (struct finding_alias){ join_base(fs, meant), full_pointer(fs, there) };
    fs->context.aliases[fs->context.alias_count++] = a;
    if (!a.meant || !a.there)
        findings_unalias(fs, fs->context.alias_count - 1);
}

void findings_unalias(struct findings *fs, size_t n)
{
    while (fs->context.alias_count > n) {
        struct finding_alias *a = &fs->context.aliases[--fs->context.alias_count];

        free(a->meant);
        free(a->there);
    }
}

static enum severity severity_of(const struct findings *fs, const struct rule_info *info)
{
    if (fs->context.doubtful || (fs->opt.relaxed && info->of == CLASS_LIMIT))
        return SEV_WARNING;
    return info->severity;
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

struct finding *findings_vadd(struct findings *fs, enum rule rule, const char *pointer,
                              enum finding_at at, const char *fmt, va_list ap)
{
    const struct rule_info *info = &rule_table[rule];
    struct finding f = { .list = fs, .rule = rule, .at = at };
    char *there;

    f.pointer = join_base(fs, pointer);
    there = resolve(fs, f.pointer);
    if (at == AT_VALUE && is_unknown(fs, there ? there : f.pointer)) {
        free(f.pointer);
        free(there);
        return NULL;
    }
    fs->broken[rule] |= !fs->context.doubtful;
    f.severity = severity_of(fs, info);
    if (f.severity == SEV_ERROR)
        fs->errors++;
    else
        fs->warnings++;
    f.order = fs->errors + fs->warnings;
    fs->data_errors += info->of == CLASS_DATA;
    if (f.severity == SEV_WARNING && fs->opt.errors_only) {
        free(f.pointer);
        free(there);
        return NULL;
    }
    if (fs->opt.max_findings > 0 && fs->n >= 2 * fs->opt.max_findings)
        findings_locate(fs);
    if (there) {
        f.meant = f.pointer;
        f.pointer = there;
    }
    if (f.pointer && findings_wants(fs, &f)) {
        f.message = format(fs, fmt, ap);
        if (f.message && mem_reserve(&fs->v, fs->n, &fs->cap, sizeof *fs->v)) {
            fs->v[fs->n] = f;
            return &fs->v[fs->n++];
        }
        fs->failed = true;
    }
    free(f.meant);
    free(f.message);
    free(f.pointer);
    return NULL;
}

struct finding *findings_add(struct findings *fs, enum rule rule, const char *pointer,
                             enum finding_at at, const char *fmt, ...)
{
    struct finding *f;
    va_list ap;

    va_start(ap, fmt);
    f = findings_vadd(fs, rule, pointer, at, fmt, ap);
    va_end(ap);
    return f;
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

bool finding_remedy(struct finding *f)
{
    return f && finding_hint(f, "%s", rule_text(f->rule)->remedy);
}

void finding_relate(struct finding *f, const char *pointer, const char *fmt, ...)
{
    struct finding_place place = { 0 };
    struct finding_place *grown;
    va_list ap;

    if (!f)
        return;
    va_start(ap, fmt);
    place.message = format(f->list, fmt, ap);
    va_end(ap);
    place.pointer = full_pointer(f->list, pointer);
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

    if (!f || f->list->context.unsure)
        return;
    free(f->fix.text);
    va_start(ap, fmt);
    f->fix.text = format(f->list, fmt, ap);
    va_end(ap);
}

void finding_fix_string(struct finding *f, const char *fmt, ...)
{
    struct str b = { 0 };
    va_list ap;
    char *s;

    if (!f)
        return;
    va_start(ap, fmt);
    s = format(f->list, fmt, ap);
    va_end(ap);
    json_string(&(struct json_writer){ .out = &b }, NULL, s ? s : "");
    f->list->failed = f->list->failed || b.failed;
    finding_fix(f, "%s", b.s ? b.s : "");
    str_free(&b);
    free(s);
}

void finding_set_range(struct finding *f, size_t offset, size_t end)
{
    if (!f)
        return;
    f->range.offset = offset;
    f->range.end = end;
}

size_t findings_nearest(struct findings *fs, const char *name, const char *const names[], size_t n,
                        size_t found[], size_t most)
{
    enum { COMPARED_MOST = 2000000 }; /* bytes: about a second */

    if (fs->context.compared > COMPARED_MOST)
        return 0;
    fs->context.compared += n * strlen(name);
    return str_nearest_all(name, names, n, found, most);
}

void findings_free(struct findings *fs)
{
    findings_keep(fs, 0);
    findings_unalias(fs, 0);
    free(fs->context.aliases);
    free(fs->v);
    *fs = (struct findings){ 0 };
}
