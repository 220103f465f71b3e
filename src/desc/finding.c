#include "desc/finding.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "json/write.h"

const struct rule_info rule_table[RULE_COUNT] = {
#define X(name, ...) { __VA_ARGS__ },
#include "desc/rule_rows.h"
#undef X
};

const char *severity_name(enum severity severity)
{
    return severity == SEV_ERROR ? "error" : "warning";
}

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

/* The index of the first alias of an object or of one after it. */
static size_t alias_index(const struct finding_context *c, size_t object)
{
    size_t low = 0, high = c->alias_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c->aliases[middle].object < object)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void findings_alias(struct findings *fs, size_t member, const char *key)
{
    struct finding_context *c = &fs->context;
    uint32_t object = c->doc->nodes[member].parent;
    size_t at = alias_index(c, object);

    if (!mem_reserve(&c->aliases, c->alias_count, &c->alias_cap, sizeof *c->aliases)) {
        fs->failed = true;
        return;
    }
    memmove(&c->aliases[at + 1], &c->aliases[at], (c->alias_count++ - at) * sizeof *c->aliases);
    c->aliases[at] = (struct finding_alias){ object, (uint32_t)member, key };
}

const char *findings_key(const struct findings *fs, size_t member)
{
    const struct finding_context *c = &fs->context;
    uint32_t object = c->doc->nodes[member].parent;

    for (size_t i = alias_index(c, object); i < c->alias_count && c->aliases[i].object == object;
         i++)
        if (c->aliases[i].member == member)
            return c->aliases[i].key;
    return json_doc_key_text(c->doc, member);
}

void finding_add_key(struct str *pointer, const char *key)
{
    str_puts(pointer, "/");
    for (; *key; key++)
        if (*key == '~' || *key == '/')
            str_puts(pointer, *key == '~' ? "~0" : "~1");
        else
            str_add(pointer, key, 1);
}

/* The member of an object that the token "/KEY" of a pointer means, or -1. */
static ptrdiff_t alias_member(const struct finding_context *c, size_t object, const char *token,
                              const char *end)
{
    size_t n = (size_t)(end - token);

    for (size_t i = alias_index(c, object); i < c->alias_count && c->aliases[i].object == object;
         i++)
        if (strlen(c->aliases[i].key) + 1 == n && memcmp(c->aliases[i].key, token + 1, n - 1) == 0)
            return (ptrdiff_t)c->aliases[i].member;
    return -1;
}

/* Adds the base to a pointer, and replaces keys by those of the text; owned by the caller, as
 * *meant, the pointer before, which is NULL if it is the same. */
static char *full_pointer(struct findings *fs, const char *below, char **meant)
{
    const struct finding_context *c = &fs->context;
    char *whole = join_base(fs, below);
    const char *pointer = whole;
    struct str there = { 0 };
    ptrdiff_t node = 0;
    bool any = false;

    while (pointer && c->alias_count > 0 && *pointer && node >= 0) {
        const char *token = pointer;
        size_t object = (size_t)node;

        node = json_doc_step(c->doc, object, &pointer);
        if (node >= 0 || (node = alias_member(c, object, token, pointer)) < 0) {
            str_add(&there, token, (size_t)(pointer - token));
            continue;
        }
        finding_add_key(&there, json_doc_key_text(c->doc, (size_t)node));
        any = true;
    }
    *meant = NULL;
    if (any) {
        str_puts(&there, pointer);
        *meant = whole;
        whole = str_detach(&there);
        fs->failed = fs->failed || !whole;
    }
    str_done(&there, &fs->failed);
    return whole;
}

uint64_t finding_hash(uint64_t hash, const char *s)
{
    for (; *s; s++)
        hash = (hash ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    return hash;
}

/* The entry of a hash in a table, or a free one. */
static uint64_t *find_hash(uint64_t *table, size_t room, uint64_t hash)
{
    size_t i = hash % room;

    while (table[i] && table[i] != hash)
        i = (i + 1) % room;
    return &table[i];
}

bool findings_noted(const struct findings *fs, uint64_t hash)
{
    const struct finding_context *c = &fs->context;

    return c->noted_room > 0 && *find_hash(c->noted, c->noted_room, hash);
}

void findings_note(struct findings *fs, uint64_t hash)
{
    struct finding_context *c = &fs->context;
    size_t room = 2 * c->noted_room + 64;

    if (2 * c->noted_count >= c->noted_room) {
        uint64_t *table = mem_zalloc(room, sizeof *table);

        fs->failed = fs->failed || !table;
        if (!table)
            return;
        for (size_t i = 0; i < c->noted_room; i++)
            *find_hash(table, room, c->noted[i]) = c->noted[i];
        free(c->noted);
        c->noted = table;
        c->noted_room = room;
    }
    *find_hash(c->noted, c->noted_room, hash) = hash;
    c->noted_count++;
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

struct finding *findings_vadd(struct findings *fs, enum rule rule, const char *pointer,
                              enum finding_at at, const char *fmt, va_list ap)
{
    struct finding f = { .list = fs, .rule = rule, .at = at };
    bool kept;

    f.pointer = full_pointer(fs, pointer, &f.meant);
    kept = count_finding(fs, &f);
    if (kept) {
        f.message = format(fs, fmt, ap);
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
    return f && finding_hint(f, "%s", rule_table[f->rule].remedy);
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
    struct str text = { 0 };
    const char *at = f ? strstr(f->pointer, "/desc/") : NULL;

    if (!f || !f->fix.text)
        return;
    for (at = at ? at + 6 : f->pointer + 1; !f->fix.from && *at; at++) /* Sizes/1: Sizes[1] */
        if (*at == '/' && at[1] >= '0' && at[1] <= '9') {
            size_t n = strcspn(at + 1, "/");

            str_printf(&text, "[%.*s]", (int)n, at + 1);
            at += n;
        } else
            str_printf(&text, "%c", *at == '/' ? '.' : *at);
    str_printf(&text, "%s %s = %" PRIu64, f->fix.from ? "," : " is computed from", name, v);
    at = f->fix.from;
    f->fix.from = str_format("%s%s", at ? at : "", text.s ? text.s : "");
    free((char *)at);
    f->list->failed = f->list->failed || !f->fix.from;
    str_done(&text, &f->list->failed);
}

void finding_doubt(struct finding *f)
{
    char *use = f && f->fix.text ? f->hint : NULL;

    if (!f)
        return;
    if (use) { /* else memory is short */
        f->hint = NULL;
        finding_hint(f, strchr(use, ';') ? "%s" : "%s, or change the other values", use);
    }
    free(use);
    free(f->fix.text);
    f->fix.text = NULL;
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
    free(fs->context.aliases);
    free(fs->context.noted);
    free(fs->v);
    *fs = (struct findings){ 0 };
}
