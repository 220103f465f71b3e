#include "check/findings.h"
#include "os/file.h"

/* SARIF 2.1.0, in the form that GitHub's code scanning accepts. */

/* A path as a URI reference: x/y, file:///x, and on Windows file:///C:/x or file://server/share/x.
 * Bytes other than separators and unreserved ones are percent-encoded. */
static void write_artifact(struct json_writer *w, const char *file)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789-._~";
    static const char *const starts[] = { "", "file://", "file:", "file:///" };
    const char *path = strcmp(file, "-") == 0 ? "stdin" : file;
    size_t root = os_path_root(path);
    bool absolute = root > 0 && strchr(os_separators, path[root - 1]);
    struct str uri = { 0 };

    str_puts(&uri, starts[!absolute ? 0 : root < 3 ? root : 3]);
    for (const char *p = path; *p; p++) {
        bool kept = strchr(plain, *p) || (*p == ':' && absolute && p < path + root);

        if (strchr(os_separators, *p))
            str_puts(&uri, "/");
        else
            str_printf(&uri, kept ? "%c" : "%%%02X", (unsigned char)*p);
    }
    json_format(w, "artifactLocation: {");
    json_str(w, "uri", &uri);
    json_close(w);
}

static void write_location(struct json_writer *w, const char *file,
                           const struct finding_range *range)
{
    size_t end = range->end_column > range->column ? range->end_column : range->column + 1;

    json_format(w, "physicalLocation: {");
    write_artifact(w, file);
    json_format(w, "region: { startLine: %zu startColumn: %zu endLine: %zu endColumn: %zu } }",
                range->line, range->column, range->line, end);
}

static void write_related(struct json_writer *w, const char *file, const struct finding *f)
{
    json_format(w, "\n      relatedLocations: [");
    for (size_t i = 0; i < f->related_count; i++) {
        json_format(w, "{ id: %zu", i + 1);
        write_location(w, file, &f->related[i].range);
        json_format(w, "message: { text: %s } }", f->related[i].message);
    }
    json_close(w);
}

static void write_fix(struct json_writer *w, const char *file, const struct finding *f)
{
    json_format(w, "fixes: [ { description: { text: %s } artifactChanges: [ {",
                f->hint ? f->hint : "fix");
    write_artifact(w, file);
    json_format(w,
                "replacements: [ { deletedRegion: { byteOffset: %zu byteLength: %zu } "
                "insertedContent: { text: %s } } ] } ] } ]",
                f->fix.offset, f->fix.end - f->fix.offset, f->fix.text);
}

static void write_result(struct json_writer *w, const char *file, const struct finding *f)
{
    /* The fingerprint stays when the line moves. */
    uint64_t hash = hash_text(HASH_START, rule_table[f->rule].id);

    json_format(w, "\n    { ruleId: %s ruleIndex: %u level: %s message: {", rule_table[f->rule].id,
                (unsigned)f->rule, severity_name(f->severity));
    json_stringf(w, "text", f->hint ? "%s; %s" : "%s", f->message, f->hint);
    json_format(w, "} \n      locations: [ {");
    write_location(w, file, &f->range);
    json_format(w, "logicalLocations: [ { fullyQualifiedName: %s } ] } ]", f->pointer);
    if (f->related_count > 0)
        write_related(w, file, f);
    json_format(w, "\n      partialFingerprints: {");
    json_stringf(w, "rulePointer/v1", "%016jx", hash_text(hash, f->pointer));
    json_close(w);
    if (f->fix.text)
        write_fix(w, file, f);
    json_close(w);
}

void findings_sarif(struct json_writer *w, const struct findings *fs, const char *file)
{
    for (size_t i = 0; i < fs->n; i++)
        write_result(w, file, &fs->v[i]);
}

void sarif_begin(struct json_writer *w)
{
    json_format(w,
                "{ $schema: %s version: %s runs: [ { \n  tool: { driver: { name: %s version: %s "
                "rules: [",
                "https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", "dmlop", DMLOP_VERSION);
    for (int r = 0; r < RULE_COUNT; r++)
        json_format(w,
                    "\n    { id: %s shortDescription: { text: %s } help: { text: %s } "
                    "defaultConfiguration: { level: %s } }",
                    rule_table[r].id, rule_table[r].sentence, rule_table[r].remedy,
                    severity_name(rule_table[r].severity));
    json_format(w, "] } } \n  columnKind: %s \n  results: [", "unicodeCodePoints");
}

void sarif_end(struct json_writer *w, const char *const unread[], size_t n)
{
    json_format(w, "] \n  invocations: [ { executionSuccessful: %d toolExecutionNotifications: [",
                n == 0);
    for (size_t i = 0; i < n; i++) {
        json_format(w, "\n    { level: %s message: { text: %s } locations: [ { physicalLocation: {",
                    "error", "the file was not checked; standard error has the reason");
        write_artifact(w, unread[i]);
        json_format(w, "} } ] }");
    }
    json_close_to(w, 0);
}
