#include "desc/read.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "desc/item.h"
#include "desc/reader.h"
#include "desc/rules.h"
#include "desc/schema.h"

/* Whether `command` (NULL: any) runs op. */
static bool command_runs(const char *command, enum op op)
{
    return !command || strcmp(op_schemas[op].command, command) == 0;
}

/* The operator that a command implies where the text names none: SLICE1, TOP_K1, unless the fields
 * are those of the predecessor. */
static enum op implied_op(const char *command, const struct item *fields)
{
    enum op older = OP_NONE, found = OP_NONE;
    unsigned old_fields = 0, new_fields = 0;

    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        if (strcmp(op_schemas[op].command, command) == 0) {
            older = found != OP_NONE ? found : (enum op)op;
            found = (enum op)op;
        }
    for (struct item m = item_first(fields); m.json; m = item_next(&m)) {
        old_fields += op_field(older, item_key(&m)) != NULL;
        new_fields += op_field(found, item_key(&m)) != NULL;
    }
    return old_fields > new_fields ? older : found;
}

static void unknown_operator(struct reader *r, const char *name)
{
    static const char *const others[] = { "hlsl", "onnx", "dmlSerializedGraph" };
    const char *names[OP_COUNT];
    char operators[NAMES_TEXT];
    struct finding *f;

    for (int i = 0; i < OP_COUNT; i++)
        names[i] = op_schemas[i].name;
    list_names(names + 1, OP_COUNT - 1, operators);
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (strcmp(name, others[i]) == 0) {
            finding_hint(report(r, RULE_DESC_OPERATOR_UNKNOWN,
                                "dmlop runs no %s dispatchables, which need a GPU", name),
                         "use %s", operators);
            return;
        }
    f = unknown_name(r, RULE_DESC_OPERATOR_UNKNOWN, "operator", name, "DML_OPERATOR_", names,
                     OP_COUNT);
    if (f && !f->hint)
        finding_hint(f, "dmlop has %s", operators);
}

/* The operator that a type names; OP_NONE, with a finding, where there is none of the name or the
 * command has another. */
static enum op read_operator(struct reader *r, const struct item *type, const char *key)
{
    size_t mark = path_push(r, key);
    enum op op = OP_NONE;

    if (!item_is(type, JSON_STRING))
        wrong_type(r, type->node, "the operator's name as a string");
    else {
        op = op_from_name(item_string(type));
        if (op == OP_NONE)
            unknown_operator(r, item_string(type));
        else if (!command_runs(r->opt->command, op)) {
            finding_hint(report(r, RULE_DESC_OPERATOR_UNKNOWN,
                                "this describes DML_OPERATOR_%s, which is not what 'dmlop %s' runs",
                                op_schemas[op].name, r->opt->command),
                         "use 'dmlop %s'", op_schemas[op].command);
            op = OP_NONE;
        }
    }
    path_pop(r, mark);
    return op;
}

/* The member called `lower` or `upper`, whichever is there (the first before the second), and its
 * key. */
static struct item either(const struct item *object, const char *lower, const char *upper,
                          const char **key)
{
    struct item m = item_member(object, lower);

    *key = lower;
    if (!m.json) {
        m = item_member(object, upper);
        *key = m.json ? upper : NULL;
    }
    return m;
}

static enum op find_operator(struct reader *r, const struct item *type, const struct item *fields)
{
    struct finding *f;

    r->seen->type_pointer = !r->type_key ? "" : r->type_key[0] == 'T' ? "/Type" : "/type";
    if (r->type_key && r->type_key[0] == 'T' && r->fs->portable) {
        f = findings_add(r->fs, RULE_PORTABLE_TYPE_CASE, "/Type", AT_KEY,
                         "DxDispatch knows the operator by 'type', and would find none here");
        finding_hint(f, "write \"type\"");
        finding_fix_string(f, "/Type", AT_KEY, "type");
    }
    if (r->type_key)
        return read_operator(r, type, r->type_key);
    if (r->opt->command)
        return implied_op(r->opt->command, fields);
    finding_hint(findings_add(r->fs, RULE_DESC_OPERATOR_MISSING, "", AT_OPENING,
                              "the descriptor does not say which operator it describes"),
                 "add \"type\": \"DML_OPERATOR_SLICE1\", or the operator that is meant");
    return OP_NONE;
}

/* The members beside "desc" in the outer object. */
static void read_beside(struct reader *r, const struct item *top, const char *desc_key)
{
    for (struct item m = item_first(top); m.json; m = item_next(&m)) {
        const char *key = item_key(&m);

        if (strcmp(key, desc_key) != 0 && !is_beside(r, key))
            unknown_key(r, top->node, key, (const char *const[]){ "type", "desc" }, 2);
    }
}

/* The outer object: a type, and the fields under "desc" or beside it. */
static void read_top(struct reader *r, const struct item *top)
{
    const char *desc_key;
    struct item type, desc;

    if (!item_is(top, JSON_OBJECT)) {
        finding_hint(findings_add(r->fs, RULE_DESC_NOT_OBJECT, "", AT_VALUE,
                                  "the top value is %s; a descriptor is an object",
                                  value_kind(top->doc, top->node)),
                     "write { \"type\": ..., \"desc\": { ... } }");
        return;
    }
    type = either(top, "type", "Type", &r->type_key);
    desc = either(top, "desc", "Desc", &desc_key);
    r->desc->op = find_operator(r, &type, desc.json ? &desc : top);
    r->seen->fields = !desc_key ? "" : desc_key[0] == 'D' ? "/Desc" : "/desc";
    if (!desc_key) {
        if (r->desc->op != OP_NONE)
            read_fields(r, top, true);
        return;
    }
    read_beside(r, top, desc_key);
    path_push(r, desc_key);
    if (!item_is(&desc, JSON_OBJECT)) {
        wrong_type(r, desc.node, "an object with the operator's fields");
        r->desc->op = OP_NONE;
    } else if (r->desc->op != OP_NONE)
        read_fields(r, &desc, false);
    path_pop(r, 0);
}

void desc_read(struct desc *d, struct desc_seen *seen, const struct json_doc *doc, size_t node,
               const char *pointer, const char *const also[], const struct desc_options *opt,
               struct findings *fs)
{
    struct reader r = { .doc = doc, .opt = opt, .desc = d, .seen = seen, .also = also, .fs = fs };
    const char *base = fs->base;
    struct item top;

    *d = (struct desc){ 0 };
    *seen = (struct desc_seen){ .type_pointer = "", .fields = "" };
    if (!item_parse(&top, doc, node)) {
        fs->failed = true;
        return;
    }
    fs->base = pointer;
    read_top(&r, &top);
    if (d->op != OP_NONE)
        desc_check(d, seen, opt->level, fs);
    if (!seen->dimension_count)
        d->dimension_count = d->tensor[SLOT_IN].rank;
    if (d->op == OP_TOP_K)
        d->direction = AXIS_DECREASING;
    fs->base = base;
    fs->failed = fs->failed || r.path.failed;
    str_free(&r.path);
    item_free(&top);
}

enum status desc_file_parse(struct desc_file *f, char *text, size_t len,
                            const struct desc_options *opt, struct diag *dg)
{
    static const char *const also[] = { "$schema", NULL };
    enum status st = document_scan(&f->document, text, len, &opt->findings, dg);

    if (st == ST_OK && document_is_readable(&f->document))
        desc_read(&f->desc, &f->seen, &f->document.doc, 0, "", also, opt, &f->document.findings);
    if (st == ST_OK)
        st = document_finish(&f->document, dg);
    if (st)
        desc_file_free(f);
    return st;
}

void desc_file_free(struct desc_file *f)
{
    document_free(&f->document);
    *f = (struct desc_file){ 0 };
}
