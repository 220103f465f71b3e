#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "desc/dml_operators.h"
#include "desc/item.h"
#include "desc/reader.h"
#include "desc/schema.h"

#define PREFIX "DML_OPERATOR_"

/* True if `command` (NULL: any) runs op. */
static bool command_runs(const char *command, enum op op)
{
    return !command || strcmp(op_schemas[op].command, command) == 0;
}

enum op implied_operator(const char *command, const struct item *fields)
{
    enum op older = OP_NONE, found = OP_NONE;
    unsigned old_fields = 0, new_fields = 0;

    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        if (strcmp(op_schemas[op].command, command) == 0) {
            older = found != OP_NONE ? found : (enum op)op;
            found = (enum op)op;
        }
    if (!fields->json || !item_is(fields, JSON_OBJECT))
        return found;
    for (struct item m = item_first(fields); m.json; m = item_next(&m)) {
        old_fields += op_field(older, item_key(&m)) != NULL;
        new_fields += op_field(found, item_key(&m)) != NULL;
    }
    return old_fields > new_fields ? older : found;
}

/* Sets a hint that begins with `start` and ends with the names of all operators of dmlop. */
static void hint_ours(struct finding *f, const char *start)
{
    const char *names[OP_COUNT];
    char list[NAMES_TEXT];

    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        names[op - 1] = op_schemas[op].name;
    finding_hint(f, "%s %s", start, list_names(names, OP_COUNT - 1, list));
}

/* True if a key, in any case, is a field of op. */
static bool has_field(enum op op, const char *key)
{
    for (const struct field *f = op_schemas[op].fields; f->name; f++)
        if (strcasecmp(f->name, key) == 0)
            return true;
    return false;
}

/* True if op has all the fields whose keys any operator has: then no key is unknown because of
 * op. */
static bool fits(enum op op, const struct item *fields)
{
    if (!fields->json || !item_is(fields, JSON_OBJECT))
        return true;
    for (struct item m = item_first(fields); m.json; m = item_next(&m))
        for (int other = OP_NONE + 1; other < OP_COUNT; other++)
            if (has_field((enum op)other, item_key(&m)) && !has_field(op, item_key(&m)))
                return false;
    return true;
}

/* Copies a name without its version number to text; returns text. */
static const char *unnumbered(const char *name, char text[64])
{
    snprintf(text, 64, "%.*s", (int)strcspn(name, "0123456789"), name);
    return text;
}

/* True if a name is near to the name of op or of another version of op. */
static bool is_near(const char *name, enum op op)
{
    const char *known = op_schemas[op].name;
    char first[64], second[64];
    unsigned cost;

    return str_near(name, known, &cost) ||
           str_near(unnumbered(name, first), unnumbered(known, second), &cost);
}

/* The only operator of dmlop that is near to a name and fits the fields; else the only one near to
 * the name; else OP_NONE. */
static enum op likely_operator(const char *name, const struct item *fields)
{
    enum op fitting = OP_NONE, near = OP_NONE;
    unsigned near_count = 0, fitting_count = 0;

    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        if (!is_near(name, (enum op)op))
            continue;
        near = (enum op)op;
        near_count++;
        if (fits((enum op)op, fields)) {
            fitting = (enum op)op;
            fitting_count++;
        }
    }
    return fitting_count == 1 ? fitting : near_count == 1 ? near : OP_NONE;
}

/* Reports that the string at the path names no operator. Returns the operator that is probably
 * meant, or OP_NONE. */
static enum op misspelt_operator(struct reader *r, const char *name, const struct item *fields)
{
    enum { MOST = 4 };
    const char *suffix = dml_operator_suffix(name), *prefix = suffix == name ? "" : PREFIX;
    size_t found[MOST],
        near = str_nearest_all(suffix, dml_operators, dml_operator_count, found, MOST);
    enum op nearest = near == 1 ? op_from_name(dml_operators[found[0]]) : OP_NONE,
            likely = nearest != OP_NONE && fits(nearest, fields) ? nearest : OP_NONE;
    struct finding *f = report(r, RULE_DESC_OPERATOR_UNKNOWN, "there is no operator '%s'", name);
    char start[128] = "dmlop has";
    bool ours = near > 0;

    for (size_t i = 0; i < near; i++)
        ours = ours && op_from_name(dml_operators[found[i]]) != OP_NONE;
    if (!ours) {
        if (near > 0)
            snprintf(start, sizeof start,
                     "did you mean %s%s? dmlop does not know that operator; it has", prefix,
                     dml_operators[found[0]]);
        hint_ours(f, start);
        return OP_NONE;
    }
    if (likely != OP_NONE)
        finding_fix_string(f, "%s%s", prefix, op_schemas[likely].name);
    else {
        likely = likely_operator(suffix, fields);
        r->fs->context.unsure = true;
    }
    if (likely != OP_NONE)
        finding_hint(f, "did you mean %s%s?", prefix, op_schemas[likely].name);
    else
        hint_names(f, prefix, dml_operators, found, near);
    return likely;
}

/* Reports an operator of DxDispatch that dmlop lacks; false for any other name. */
static bool other_operator(struct reader *r, const char *name)
{
    static const char *const others[] = { "hlsl", "onnx", "dmlSerializedGraph" };
    bool any = !r->opt->command;

    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (strcasecmp(name, others[i]) == 0) {
            hint_ours(report(r, RULE_DESC_OPERATOR_UNKNOWN,
                             "dmlop cannot run %s dispatchables, which need a GPU", name),
                      "use");
            return true;
        }
    if (!dml_operator_exists(name))
        return false;
    hint_ours(report(r, any ? RULE_DESC_OPERATOR_UNSUPPORTED : RULE_DESC_OPERATOR_UNKNOWN,
                     "dmlop does not know " PREFIX "%s%s", dml_operator_suffix(name),
                     any ? "; this was not checked" : ""),
              "dmlop has");
    return true;
}

enum op read_operator(struct reader *r, const struct item *type, const struct item *fields)
{
    enum op op = OP_NONE;
    const char *name;

    path_push(r, item_key(type));
    name = string_text(r, type, "the operator's name as a string");
    if (name)
        op = op_from_name(name);
    if (op != OP_NONE && !command_runs(r->opt->command, op))
        finding_hint(report(r, RULE_DESC_OPERATOR_UNKNOWN,
                            "this describes " PREFIX "%s, which is not what 'dmlop %s' runs",
                            op_schemas[op].name, r->opt->command),
                     "use 'dmlop %s'", op_schemas[op].command);
    else if (name && op == OP_NONE && !other_operator(r, name))
        op = misspelt_operator(r, name, fields);
    path_pop(r);
    return op != OP_NONE && command_runs(r->opt->command, op) ? op : OP_NONE;
}
