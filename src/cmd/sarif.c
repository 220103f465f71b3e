#include <string.h>

#include "base/hash.h"
#include "cmd/findings.h"

/* SARIF 2.1.0, as GitHub's code scanning takes it. */

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static void add_string(struct str *b, const char *name, const char *value)
{
    str_printf(b, "\"%s\": \"", name);
    str_add_json(b, value, strlen(value));
    str_puts(b, "\"");
}

/* A path as a relative URI reference: bytes that are not unreserved or '/' in percent form. */
static void add_uri(struct str *b, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

    str_puts(b, *path == '/' ? "file://" : "");
    for (; *path; path++)
        str_printf(b, strchr(plain, *path) ? "%c" : "%%%02X", (unsigned char)*path);
}

static void add_region(struct str *b, size_t line, size_t column, size_t end_column)
{
    str_printf(b, "{ \"startLine\": %zu, \"startColumn\": %zu, \"endLine\": %zu, \"endColumn\": %zu }", line, column, line,
               end_column > column ? end_column : column + 1);
}

static void add_artifact(struct str *b, const char *file)
{
    str_puts(b, "\"artifactLocation\": { \"uri\": \"");
    add_uri(b, strcmp(file, "-") == 0 ? "stdin" : file);
    str_puts(b, "\" }");
}

static void add_location(struct str *b, const char *file, size_t line, size_t column, size_t end_column)
{
    str_puts(b, "\"physicalLocation\": { ");
    add_artifact(b, file);
    str_puts(b, ", \"region\": ");
    add_region(b, line, column, end_column);
    str_puts(b, " }");
}

/* A hash of what names a finding wherever its line moves to. */
static unsigned long long fingerprint(const struct finding *f)
{
    uint64_t h = HASH_EMPTY;

    for (const char *p = rule_table[f->rule].id; *p; p++)
        h = hash_add(h, (unsigned char)*p);
    for (const char *p = f->pointer; *p; p++)
        h = hash_add(h, (unsigned char)*p);
    return h;
}

static void add_fix(struct str *b, const char *file, const struct finding *f)
{
    str_puts(b, ", \"fixes\": [ { \"description\": { ");
    add_string(b, "text", f->hint ? f->hint : "fix");
    str_puts(b, " }, \"artifactChanges\": [ { ");
    add_artifact(b, file);
    str_printf(b, ", \"replacements\": [ { \"deletedRegion\": { \"byteOffset\": %zu, \"byteLength\": %zu }, ", f->fix.offset,
               f->fix.end - f->fix.offset);
    str_puts(b, "\"insertedContent\": { ");
    add_string(b, "text", f->fix.text);
    str_puts(b, " } } ] } ] } ]");
}

static void add_result(struct str *b, const char *file, const struct finding *f)
{
    struct str text = { 0 };

    str_puts(&text, f->message);
    if (f->hint)
        str_printf(&text, "; %s", f->hint);
    str_printf(b, "{ \"ruleId\": \"%s\", \"ruleIndex\": %d, \"level\": \"%s\", \"message\": { ", rule_table[f->rule].id,
               (int)f->rule, f->severity == SEV_ERROR ? "error" : "warning");
    add_string(b, "text", text.s ? text.s : "");
    str_puts(b, " },\n      \"locations\": [ { ");
    add_location(b, file, f->line, f->column, f->end_column);
    str_puts(b, ", \"logicalLocations\": [ { ");
    add_string(b, "fullyQualifiedName", f->pointer);
    str_puts(b, " } ] } ]");
    for (size_t i = 0; i < f->related_count; i++) {
        const struct finding_place *p = &f->related[i];

        str_printf(b, "%s{ \"id\": %zu, ", i ? ", " : ",\n      \"relatedLocations\": [ ", i + 1);
        add_location(b, file, p->line, p->column, p->end_column);
        str_puts(b, ", \"message\": { ");
        add_string(b, "text", p->message);
        str_puts(b, i + 1 == f->related_count ? " } } ]" : " } }");
    }
    str_printf(b, ",\n      \"partialFingerprints\": { \"rulePointer/v1\": \"%016llx\" }", fingerprint(f));
    if (f->fix.pointer)
        add_fix(b, file, f);
    str_puts(b, " }");
    b->failed = b->failed || text.failed;
    str_free(&text);
}

void findings_sarif(const struct document *d, const char *file, bool *first, struct str *b)
{
    for (size_t i = 0; i < d->findings.n; i++) {
        str_puts(b, *first ? "\n    " : ",\n    ");
        *first = false;
        add_result(b, file, &d->findings.v[i]);
    }
}

void sarif_begin(struct str *b)
{
    str_puts(b, "{ \"$schema\": \"" SCHEMA "\", \"version\": \"2.1.0\", \"runs\": [ {\n"
                "  \"tool\": { \"driver\": { \"name\": \"dmlop\", \"version\": \"" DMLOP_VERSION "\", \"rules\": [");
    for (int r = 0; r < RULE_COUNT; r++) {
        const struct rule_info *info = &rule_table[r];

        str_printf(b, "%s\n    { \"id\": \"%s\", \"shortDescription\": { ", r ? "," : "", info->id);
        add_string(b, "text", info->sentence);
        str_puts(b, " }, \"help\": { ");
        add_string(b, "text", info->remedy);
        str_printf(b, " }, \"defaultConfiguration\": { \"level\": \"%s\" } }",
                   info->severity == SEV_ERROR ? "error" : "warning");
    }
    str_puts(b, " ] } },\n  \"columnKind\": \"unicodeCodePoints\",\n  \"results\": [");
}

void sarif_end(struct str *b)
{
    str_puts(b, " ] } ] }\n");
}
