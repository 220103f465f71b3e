#include "desc/read.h"

#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "desc/place.h"
#include "desc/reader.h"
#include "desc/rules.h"
#include "desc/schema.h"

static const char *const operator_names[OP_COUNT] = {
    NULL, "DML_OPERATOR_SLICE", "DML_OPERATOR_SLICE1", "DML_OPERATOR_TOP_K", "DML_OPERATOR_TOP_K1",
    "DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY",
};

/* Whether `command` (NULL: any) takes op. */
static bool command_takes(const char *command, enum op op)
{
    return !command || strcmp(op_schemas[op].command, command) == 0;
}

/* The operator that a command implies where the text names none: SLICE1, TOP_K1, unless the fields are those of the
 * predecessor. */
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
        old_fields += op_field(older, m.json->string) != NULL;
        new_fields += op_field(found, m.json->string) != NULL;
    }
    return old_fields > new_fields ? older : found;
}

static void unknown_operator(struct reader *r, const struct item *type)
{
    const char *name = type->json->valuestring, *bare = name;
    const char *suffixes[OP_COUNT];
    struct finding *f;
    size_t near;

    if (strncmp(name, "DML_OPERATOR_", 13) == 0)
        bare += 13;
    for (int i = 0; i < OP_COUNT; i++)
        suffixes[i] = op_schemas[i].name;
    near = str_nearest(bare, suffixes, OP_COUNT);
    f = findings_add(r->fs, RULE_DESC_OPERATOR_UNKNOWN, path_text(r), AT_VALUE, "there is no operator '%s' here", name);
    if (near < OP_COUNT)
        finding_hint(r->fs, f, "did you mean %s?", operator_names[near]);
    else
        finding_hint(r->fs, f, "dmlop has SLICE, SLICE1, TOP_K, TOP_K1 and QUANTIZED_LINEAR_MATRIX_MULTIPLY");
}

/* The operator that a type names; OP_NONE, with a finding, where it is none that may stand here. */
static enum op read_operator(struct reader *r, const struct item *type, const char *key)
{
    size_t mark = path_push(r, key);
    enum op op = OP_NONE;

    if (!cJSON_IsString(type->json))
        wrong_type(r, type, "the operator's name as a string");
    else {
        op = op_from_name(type->json->valuestring);
        if (op == OP_NONE)
            unknown_operator(r, type);
        else if (!command_takes(r->opt->command, op)) {
            struct finding *f = findings_add(r->fs, RULE_DESC_OPERATOR_UNKNOWN, path_text(r), AT_VALUE,
                                             "this describes %s, which is not what 'dmlop %s' runs", operator_names[op],
                                             r->opt->command);

            finding_hint(r->fs, f, "use 'dmlop %s'", op_schemas[op].command);
            op = OP_NONE;
        }
    }
    path_pop(r, mark);
    return op;
}

/* The member called `lower` or `upper`, whichever is there (the first before the second), and its key. */
static struct item either(const struct item *object, const char *lower, const char *upper, const char **key)
{
    struct item m = item_member(object, lower);

    *key = lower;
    if (!m.json) {
        m = item_member(object, upper);
        *key = m.json ? upper : NULL;
    }
    return m;
}

static enum op find_operator(struct reader *r, const struct item *type, const char *key, const struct item *fields)
{
    struct finding *f;

    r->seen->type_pointer = !key ? "" : key[0] == 'T' ? "/Type" : "/type";
    if (type->json)
        return read_operator(r, type, key);
    if (r->opt->command)
        return implied_op(r->opt->command, fields);
    f = findings_add(r->fs, RULE_DESC_OPERATOR_MISSING, "", AT_OPENING,
                     "the descriptor does not say which operator it describes");
    finding_hint(r->fs, f, "add \"type\": \"DML_OPERATOR_SLICE1\", or the operator that is meant");
    return OP_NONE;
}

/* The top object: a type, and the fields under "desc" or beside it. Returns where the fields stand. */
static const char *read_top(struct reader *r, const struct item *top)
{
    const char *keys[2];
    struct item type, desc;

    if (!cJSON_IsObject(top->json)) {
        struct finding *f = findings_add(r->fs, RULE_DESC_NOT_OBJECT, "", AT_VALUE,
                                         "the top value is %s; a descriptor is an object", item_kind(top));

        finding_hint(r->fs, f, "write { \"type\": ..., \"desc\": { ... } }");
        return "";
    }
    type = either(top, "type", "Type", &keys[0]);
    desc = either(top, "desc", "Desc", &keys[1]);
    r->desc->op = find_operator(r, &type, keys[0], desc.json ? &desc : top);
    if (!desc.json) {
        if (r->desc->op != OP_NONE)
            read_fields(r, top, keys);
        return "";
    }
    for (struct item m = item_first(top); m.json; m = item_next(&m))
        if (m.json != type.json && m.json != desc.json && strcmp(m.json->string, keys[1]) != 0 &&
            !(keys[0] && strcmp(m.json->string, keys[0]) == 0))
            unknown_key(r, m.json->string, (const char *const[]){ "type", "desc" }, 2);
    path_push(r, keys[1]);
    if (!cJSON_IsObject(desc.json))
        wrong_type(r, &desc, "an object with the operator's fields");
    else if (r->desc->op != OP_NONE)
        read_fields(r, &desc, (const char *const[]){ NULL, NULL });
    if (!cJSON_IsObject(desc.json))
        r->desc->op = OP_NONE;
    path_pop(r, 0);
    return keys[1][0] == 'D' ? "/Desc" : "/desc";
}

/* What json_doc_duplicates tells. */
struct duplicates {
    struct findings *fs;
    const struct json_doc *doc;
};

static void found_duplicate(void *context, size_t node, size_t first)
{
    struct duplicates *du = context;
    char *key = json_doc_key(du->doc, node);
    struct finding *f = findings_add(du->fs, RULE_JSON_DUPLICATE_KEY, "", AT_KEY,
                                     "the key \"%s\" stands twice in one object", key ? key : "");

    finding_hint(du->fs, f, "delete one of the two");
    finding_relate(du->fs, f, "", "it stands here first");
    if (f) {
        f->offset = du->doc->nodes[node].key;
        f->end = json_doc_key_end(du->doc, node);
    }
    if (f && f->related_count) {
        f->related[0].offset = du->doc->nodes[first].key;
        f->related[0].end = json_doc_key_end(du->doc, first);
    }
    free(key);
}

static void read_document(struct desc_file *f, const struct json_doc *doc, const struct desc_options *opt)
{
    struct desc_seen seen = { 0 };
    struct reader r = { .doc = doc, .opt = opt, .desc = &f->desc, .seen = &seen, .fs = &f->findings };
    cJSON *tree = cJSON_ParseWithLength(doc->clean, doc->len); /* fails only for want of memory */
    const char *prefix;

    if (!tree) {
        f->findings.failed = true;
        return;
    }
    prefix = read_top(&r, &(struct item){ doc, tree, 0 });
    if (f->desc.op != OP_NONE)
        desc_check(&f->desc, &seen, opt->level, prefix, &f->findings);
    if (!seen.dimension_count)
        f->desc.dimension_count = f->desc.tensor[SLOT_IN].rank;
    if (f->desc.op == OP_TOP_K)
        f->desc.direction = AXIS_DECREASING;
    f->findings.failed = f->findings.failed || r.path.failed;
    str_free(&r.path);
    cJSON_Delete(tree);
}

static void syntax_error(struct desc_file *f, const struct json_error *err)
{
    struct finding *found = findings_add(&f->findings, RULE_JSON_SYNTAX, "", AT_VALUE, "%s", err->message);

    if (found) {
        found->offset = err->offset;
        found->end = err->offset + 1;
    }
}

enum status desc_file_parse(struct desc_file *f, char *text, size_t len, const struct desc_options *opt, struct diag *dg)
{
    struct json_doc doc = { 0 };
    struct json_error err;
    int scanned;

    *f = (struct desc_file){ .text = text, .len = len, .findings = { .relaxed = opt->relaxed } };
    scanned = json_doc_scan(&doc, text, len, &err);
    if (scanned == 1)
        syntax_error(f, &err);
    else if (scanned == 0) {
        struct duplicates du = { &f->findings, &doc };

        f->findings.failed = json_doc_duplicates(&doc, found_duplicate, &du) != 0;
        read_document(f, &doc, opt);
    }
    if (scanned < 0 || f->findings.failed || findings_place(&f->findings, &doc, text, len) != 0) {
        json_doc_free(&doc);
        desc_file_free(f);
        return diag_nomem(dg);
    }
    json_doc_free(&doc);
    return ST_OK;
}

void desc_file_free(struct desc_file *f)
{
    findings_free(&f->findings);
    free(f->text);
    *f = (struct desc_file){ 0 };
}
