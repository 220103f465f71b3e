#include <limits.h>

#include "desc/read/reader.h"

#define PREFIX "DML_OPERATOR_"

const struct op_schema *implied_operator(const struct reader *r, size_t fields)
{
    const struct json_node *nodes = r->doc->nodes;
    const struct op_schema *older = NULL, *found = NULL;
    unsigned old_fields = 0, new_fields = 0;

    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        if (strcmp(op_schema((enum op)op)->run.command, r->opt->command) == 0) {
            older = found ? found : op_schema((enum op)op);
            found = op_schema((enum op)op);
        }
    if (!node_is(r, fields, JSON_OBJECT))
        return found;
    for (size_t at = fields + 1; at < nodes[fields].next; at = nodes[at].next) {
        old_fields += schema_field(older, json_doc_key_text(r->doc, at)) != NULL;
        new_fields += schema_field(found, json_doc_key_text(r->doc, at)) != NULL;
    }
    return old_fields > new_fields ? older : found;
}

/* Sets a hint that begins with `start` and ends with the operators that dmlop runs. */
static void hint_runnable(struct finding *f, const char *start)
{
    const char *names[OP_COUNT];
    char list[NAMES_TEXT];

    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        names[op - 1] = op_schema((enum op)op)->name;
    finding_hint(f, "%s %s", start, list_names(names, OP_COUNT - 1, list));
}

static bool has_field(const struct op_schema *s, const char *key)
{
    for (const struct field *f = s->fields; f->name; f++)
        if (strcasecmp(f->name, key) == 0)
            return true;
    return false;
}

static bool is_field(const char *key)
{
    size_t i = 0;

    while (i < schema_count() && !has_field(schema_at(i), key))
        i++;
    return i < schema_count();
}

/* The number of keys that are fields of other operators only, among the first ones; a misspelt key
 * is none. */
static unsigned foreign_keys(const struct reader *r, const struct op_schema *s, size_t fields)
{
    enum { LOOKED_AT = 64 };
    uint32_t n = node_is(r, fields, JSON_OBJECT) ? r->doc->nodes[fields].count : 0;
    size_t at = fields + 1;
    unsigned foreign = 0;

    for (uint32_t i = 0; i < n && i < LOOKED_AT; i++, at = r->doc->nodes[at].next) {
        const char *key = json_doc_key_text(r->doc, at);

        foreign += !has_field(s, key) && is_field(key) && !is_beside(r, key);
    }
    return foreign;
}

/* Copies a name without its version number to text; returns text. */
static const char *unnumbered(const char *name, char text[64])
{
    snprintf(text, 64, "%.*s", (int)strcspn(name, "0123456789"), name);
    return text;
}

/* True if a name is near to an operator's or to another version's. */
static bool is_near(const char *name, const char *known)
{
    char first[64], second[64];
    unsigned cost;

    return str_near(name, known, &cost) ||
           str_near(unnumbered(name, first), unnumbered(known, second), &cost);
}

static bool fits(const struct reader *r, const struct op_schema *s, size_t fields)
{
    const struct field *f = s->fields;

    if (!node_is(r, fields, JSON_OBJECT))
        return false;
    while (f->name && (f->optional || member_node(r, fields, f->name)))
        f++;
    return !f->name && foreign_keys(r, s, fields) == 0;
}

/* The only operator whose fields an object has; NULL if there is none or several are. Its name is
 * near to `name`, unless that is NULL; if `limit` is not UINT_MAX, at most so far away, and fields
 * may be missing. */
static const struct op_schema *fitting_operator(const struct reader *r, const char *name,
                                                unsigned limit, size_t fields)
{
    const struct op_schema *found = NULL;

    for (size_t i = 0; i < schema_count(); i++) {
        unsigned cost = 0;

        if (limit == UINT_MAX
                ? !fits(r, schema_at(i), fields) || (name && !is_near(name, schema_name(i)))
                : !name || !str_near(name, schema_name(i), &cost) || cost > limit ||
                      foreign_keys(r, schema_at(i), fields) > 0)
            continue;
        if (found)
            return NULL;
        found = schema_at(i);
    }
    return found;
}

/* The names that a name is without its first words: ELEMENT_WISE_CLIP for CLIP. */
static size_t names_with_suffix(const char *name, size_t found[], size_t limit)
{
    static const char *const words[] = { "ACTIVATION_", "ELEMENT_WISE_" };
    size_t count = 0;

    for (size_t i = 0; i < schema_count() && count < limit; i++)
        for (size_t w = 0; w < ARRAY_LEN(words); w++) {
            const char *known = schema_name(i);
            size_t n = strlen(words[w]);

            if (strncmp(known, words[w], n) == 0 && strcasecmp(known + n, name) == 0)
                found[count++] = i;
        }
    return count;
}

/* Reports that a string names no operator. Returns the operator that is probably meant, or NULL. */
static const struct op_schema *misspelt_operator(struct reader *r, size_t type, size_t fields)
{
    enum { MOST = 4 };
    const char *name = json_doc_text(r->doc, type);
    const char *suffix = name + prefix_length(PREFIX, name), *prefix = suffix == name ? "" : PREFIX;
    size_t found[MOST], near = names_with_suffix(suffix, found, MOST);
    size_t title = strlen(name) > 18 ? strlen(name) - 14 : 0; /* DML_NAME_OPERATOR_DESC */
    char page[64] = "";
    struct finding *f =
        report(r, type, RULE_DESC_OPERATOR_UNKNOWN, "there is no operator '%s'", name);
    const struct op_schema *likely, *fitting;
    unsigned cost = 0;

    if (title > 0 && strncasecmp(name, "DML_", 4) == 0 &&
        strcasecmp(name + title, "_OPERATOR_DESC") == 0) {
        snprintf(page, sizeof page, "%.*s", (int)title - 4, name + 4);
        suffix = page;
        prefix = PREFIX;
    }
    if (near == 0)
        near = findings_nearest(r->fs, suffix, schema_names(), schema_count(), found, MOST);
    likely = near == 1 ? schema_at(found[0]) : NULL;
    if (likely && foreign_keys(r, likely, fields) == 0) {
        finding_hint(f, "did you mean %s%s?", prefix, likely->name);
        str_near(suffix, likely->name, &cost); /* a digit for a letter costs 1 more */
        fitting = fitting_operator(r, suffix, UINT_MAX, fields);
        if (fitting_operator(r, suffix, cost + 1, fields) == likely &&
            (!fitting || fitting == likely))
            finding_fix_string(f, "%s%s", prefix, likely->name);
        return likely;
    }
    r->fs->context.unsure = true;
    likely = fitting_operator(r, suffix, UINT_MAX, fields);
    if (likely)
        finding_hint(f, "did you mean %s%s?", prefix, likely->name);
    else if ((likely = fitting_operator(r, NULL, UINT_MAX, fields)))
        finding_hint(f, "these are the fields of %s%s", prefix, likely->name);
    else if (near)
        hint_names(f, prefix, schema_names(), found, near);
    else
        hint_runnable(f, "see dmlop-operators(7) for all names; dmlop runs");
    return likely;
}

const struct program_name program_names[] = {
#include "desc/programs_rows.h"
};

enum program program_find(const char *name)
{
    for (int p = PROGRAM_NONE + 1; p < PROGRAM_COUNT; p++)
        if (strcasecmp(name, program_names[p].type) == 0)
            return (enum program)p;
    return PROGRAM_NONE;
}

const struct op_schema *read_schema(struct reader *r, size_t type, size_t fields)
{
    const char *name = string_text(r, type, "the operator's name as a string");
    bool other = name && strcmp(dml_operator_suffix(name), "SCATTER_ELEMENTS") == 0;
    const struct op_schema *s = name ? schema_find(other ? "SCATTER" : name) : NULL;
    enum program program = name ? program_find(name) : PROGRAM_NONE;

    if (other)
        finding_hint(report(r, type, RULE_PORTABLE_NAME,
                            "DirectML.h has the name %s, too, but DxDispatch does not know it",
                            name),
                     "write " PREFIX "%s", s->name);
    else if (s)
        portable_name(r, type, "operator", s->name);
    if (s || !name || program == PROGRAM_NONE)
        return s || !name ? s : misspelt_operator(r, type, fields);
    finding_hint(report(r, type, RULE_DESC_OPERATOR_UNKNOWN, "'%s' is not an operator, but %s",
                        name, program_names[program].what),
                 "make it a dispatchable of a model file, or use an operator");
    return NULL;
}

const struct op_schema *read_operator(struct reader *r, size_t type, size_t fields)
{
    const struct op_schema *s = read_schema(r, type, fields);
    const char *command = r->opt->command;

    if (!s || !command || (s->run.command && strcmp(s->run.command, command) == 0))
        return s;
    if (!schema_find(json_doc_text(r->doc, type)))
        return NULL; /* it is misspelt, which is reported */
    if (!s->run.command)
        hint_runnable(report(r, type, RULE_DESC_OPERATOR_UNKNOWN,
                             "this describes " PREFIX "%s, which dmlop checks but does not run",
                             s->name),
                      "dmlop runs");
    else
        finding_hint(report(r, type, RULE_DESC_OPERATOR_UNKNOWN,
                            "this describes " PREFIX "%s, which is not what 'dmlop %s' runs",
                            s->name, command),
                     "use 'dmlop %s'", s->run.command);
    return NULL;
}
