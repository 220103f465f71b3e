#include <string.h>

#include "base/hash.h"
#include "check/findings.h"

/* SARIF 2.1.0, in the form that GitHub's code scanning accepts. */

/* Opens an array and the object that is its only element. */
static void open_one(struct json_writer *w, const char *key)
{
    json_open(w, key, "[ ]");
    json_open(w, NULL, "{ }");
}

/* An object whose only member is a string. */
static void write_only(struct json_writer *w, const char *key, const char *member, const char *s)
{
    json_open(w, key, "{ }");
    json_string(w, member, s);
    json_close(w);
}

static void write_region(struct json_writer *w, const struct finding_range *r)
{
    size_t end = r->end_column > r->column ? r->end_column : r->column + 1;

    json_open(w, "region", "{ }");
    json_uint(w, "startLine", r->line);
    json_uint(w, "startColumn", r->column);
    json_uint(w, "endLine", r->line);
    json_uint(w, "endColumn", end);
    json_close(w);
}

/* A path as a URI reference: bytes other than '/' and unreserved ones are percent-encoded. */
static void write_artifact(struct json_writer *w, const char *file)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789-._~/";
    struct str uri = { 0 };

    str_puts(&uri, *file == '/' ? "file://" : "");
    for (const char *p = strcmp(file, "-") == 0 ? "stdin" : file; *p; p++)
        str_printf(&uri, strchr(plain, *p) ? "%c" : "%%%02X", (unsigned char)*p);
    json_open(w, "artifactLocation", "{ }");
    json_str(w, "uri", &uri);
    json_close(w);
}

static void write_location(struct json_writer *w, const char *file,
                           const struct finding_range *range)
{
    json_open(w, "physicalLocation", "{ }");
    write_artifact(w, file);
    write_region(w, range);
    json_close(w);
}

static void write_locations(struct json_writer *w, const char *file, const struct finding *f)
{
    unsigned depth = w->depth;

    open_one(w, "locations");
    write_location(w, file, &f->range);
    open_one(w, "logicalLocations");
    json_string(w, "fullyQualifiedName", f->pointer);
    json_close_to(w, depth);
}

static void write_related(struct json_writer *w, const char *file, const struct finding *f)
{
    json_open(w, "relatedLocations", "[ ]");
    for (size_t i = 0; i < f->related_count; i++) {
        const struct finding_place *p = &f->related[i];

        json_open(w, NULL, "{ }");
        json_uint(w, "id", i + 1);
        write_location(w, file, &p->range);
        write_only(w, "message", "text", p->message);
        json_close(w);
    }
    json_close(w);
}

/* A hash of rule and pointer, which stays when the line moves. */
static unsigned long long fingerprint(const struct finding *f)
{
    uint64_t h = HASH_EMPTY;

    for (const char *p = rule_table[f->rule].id; *p; p++)
        h = hash_add(h, (unsigned char)*p);
    for (const char *p = f->pointer; *p; p++)
        h = hash_add(h, (unsigned char)*p);
    return h;
}

static void write_fix(struct json_writer *w, const char *file, const struct finding *f)
{
    unsigned depth = w->depth;

    open_one(w, "fixes");
    write_only(w, "description", "text", f->hint ? f->hint : "fix");
    open_one(w, "artifactChanges");
    write_artifact(w, file);
    open_one(w, "replacements");
    json_open(w, "deletedRegion", "{ }");
    json_uint(w, "byteOffset", f->fix.offset);
    json_uint(w, "byteLength", f->fix.end - f->fix.offset);
    json_close(w);
    write_only(w, "insertedContent", "text", f->fix.text);
    json_close_to(w, depth);
}

static void write_result(struct json_writer *w, const char *file, const struct finding *f)
{
    json_open(w, NULL, "{ }");
    json_string(w, "ruleId", rule_table[f->rule].id);
    json_uint(w, "ruleIndex", f->rule);
    json_string(w, "level", severity_name(f->severity));
    json_open(w, "message", "{ }");
    json_stringf(w, "text", f->hint ? "%s; %s" : "%s", f->message, f->hint);
    json_close(w);
    json_line(w, 6);
    write_locations(w, file, f);
    if (f->related_count > 0) {
        json_line(w, 6);
        write_related(w, file, f);
    }
    json_line(w, 6);
    json_open(w, "partialFingerprints", "{ }");
    json_stringf(w, "rulePointer/v1", "%016llx", fingerprint(f));
    json_close(w);
    if (f->fix.text)
        write_fix(w, file, f);
    json_close(w);
}

void findings_sarif(struct json_writer *w, const struct findings *fs, const char *file)
{
    for (size_t i = 0; i < fs->n; i++) {
        json_line(w, 4);
        write_result(w, file, &fs->v[i]);
    }
}

static void write_rule(struct json_writer *w, enum rule rule)
{
    const struct rule_info *info = &rule_table[rule];

    json_open(w, NULL, "{ }");
    json_string(w, "id", info->id);
    write_only(w, "shortDescription", "text", rule_text(rule)->sentence);
    write_only(w, "help", "text", rule_text(rule)->remedy);
    write_only(w, "defaultConfiguration", "level", severity_name(info->severity));
    json_close(w);
}

void sarif_begin(struct json_writer *w)
{
    json_open(w, NULL, "{ }");
    json_string(w, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_string(w, "version", "2.1.0");
    open_one(w, "runs");
    json_line(w, 2);
    json_open(w, "tool", "{ }");
    json_open(w, "driver", "{ }");
    json_string(w, "name", "dmlop");
    json_string(w, "version", DMLOP_VERSION);
    json_open(w, "rules", "[ ]");
    for (int r = 0; r < RULE_COUNT; r++) {
        json_line(w, 4);
        write_rule(w, (enum rule)r);
    }
    json_close_to(w, 3);
    json_line(w, 2);
    json_string(w, "columnKind", "unicodeCodePoints");
    json_line(w, 2);
    json_open(w, "results", "[ ]");
}

void sarif_end(struct json_writer *w, const char *const unread[], size_t n)
{
    unsigned depth = w->depth;

    json_close_to(w, depth - 1); /* the results */
    json_line(w, 2);
    open_one(w, "invocations");
    json_bool(w, "executionSuccessful", n == 0);
    json_open(w, "toolExecutionNotifications", "[ ]");
    for (size_t i = 0; i < n; i++) {
        json_line(w, 4);
        json_open(w, NULL, "{ }");
        json_string(w, "level", "error");
        write_only(w, "message", "text", "the file could not be read");
        open_one(w, "locations");
        json_open(w, "physicalLocation", "{ }");
        write_artifact(w, unread[i]);
        json_close_to(w, depth + 2);
    }
    json_close_to(w, 0);
}
