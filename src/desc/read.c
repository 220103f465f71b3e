#include "desc/read.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "desc/item.h"
#include "desc/reader.h"
#include "desc/rules.h"
#include "desc/schema.h"

static const char *const outer_names[] = { "type", "desc" };

enum { MAX_BESIDE = 8 /* keys of the outer object that are the caller's, and two more */ };

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

/* The member whose key is surely `name` misspelt, `name` being "type" or "desc", which is taken for
 * it, with a finding; json is NULL where there is none. */
static struct item misspelt(struct reader *r, const struct item *top, const char *name,
                            enum rule rule)
{
    const size_t n = ARRAY_LEN(outer_names);
    struct item m = item_first(top);

    for (; m.json; m = item_next(&m)) {
        size_t i = meant_key(r, top->node, item_key(&m), outer_names, n);

        if (i < n && strcmp(outer_names[i], name) == 0 && !is_beside(r, item_key(&m))) {
            misspelt_key(r, rule, item_key(&m), name);
            break;
        }
    }
    return m;
}

static void not_portable_type(struct reader *r)
{
    struct finding *f = findings_add(
        r->fs, RULE_PORTABLE_TYPE_CASE, "/Type", AT_KEY,
        "DxDispatch looks for the operator's name in 'type', and would not find it here");

    finding_hint(f, "write \"type\"");
    finding_fix_string(f, "/Type", AT_KEY, "type");
}

/* The operator of the outer object's type, or the one that the command implies. */
static enum op find_operator(struct reader *r, const struct item *top, const struct item *fields)
{
    struct item type = either(top, "type", "Type", &r->type_key);

    r->seen->type_pointer = !r->type_key ? "" : r->type_key[0] == 'T' ? "/Type" : "/type";
    if (type.json && r->type_key[0] == 'T' && r->fs->opt.portable)
        not_portable_type(r);
    if (!type.json && r->opt->command)
        return implied_operator(r->opt->command, fields);
    if (!type.json) {
        type = misspelt(r, top, "type", RULE_DESC_OPERATOR_MISSING);
        r->type_key = type.json ? item_key(&type) : NULL;
        r->seen->type_pointer = type.json ? "/type" : "";
    }
    if (type.json)
        return read_operator(r, &type, r->type_key, fields);
    finding_hint(findings_add(r->fs, RULE_DESC_OPERATOR_MISSING, "", AT_OPENING,
                              "the descriptor does not say which operator it describes"),
                 "add \"type\": \"DML_OPERATOR_SLICE1\", or the operator that is meant");
    return OP_NONE;
}

/* Reports the members beside "desc" in the outer object that are not known there. */
static void read_beside(struct reader *r, const struct item *top, const struct item *desc)
{
    const struct keys k = { .names = outer_names, .n = ARRAY_LEN(outer_names), .outer = true };
    size_t found[ARRAY_LEN(outer_names)];
    const char *const *also = r->also;
    const char *beside[MAX_BESIDE] = { item_key(desc) };

    for (size_t i = 1; also && *also && i + 1 < MAX_BESIDE; i++)
        beside[i] = *also++;
    also = r->also;
    r->also = beside;
    match_keys(r, top->node, &k, found);
    r->also = also;
}

/* The fields under "desc", or beside the type where there is no such member. */
static void read_inner(struct reader *r, const struct item *top, const struct item *desc)
{
    if (!desc->json) {
        if (r->desc->op != OP_NONE)
            read_fields(r, top, true);
        return;
    }
    read_beside(r, top, desc);
    path_push(r, r->seen->fields + 1);
    if (!item_is(desc, JSON_OBJECT)) {
        wrong_type(r, desc->node, "an object with the operator's fields");
        r->desc->op = OP_NONE;
    } else if (r->desc->op != OP_NONE)
        read_fields(r, desc, false);
    path_pop(r, 0);
}

/* A number, or arrays around one. */
static bool may_be_tensor(const struct item *top)
{
    const struct json_node *nodes = top->doc->nodes;
    size_t i = top->node;

    while (nodes[i].type == JSON_ARRAY && i + 1 < nodes[i].next)
        i++;
    return nodes[i].type == JSON_NUMBER;
}

/* The outer object: a type, and the fields under "desc" or beside it. */
static void read_top(struct reader *r, const struct item *top)
{
    const char *desc_key;
    struct item desc;

    if (!item_is(top, JSON_OBJECT)) {
        finding_hint(findings_add(r->fs, RULE_DESC_NOT_OBJECT, "", AT_VALUE,
                                  "a descriptor must be an object, but this is %s",
                                  value_kind(top->doc, top->node)),
                     "write { \"type\": ..., \"desc\": { ... } }%s",
                     may_be_tensor(top) ? "; a tensor is checked with --bind InputTensor=FILE"
                                        : "");
        return;
    }
    desc = either(top, "desc", "Desc", &desc_key);
    if (!desc.json)
        desc = misspelt(r, top, "desc", RULE_DESC_FIELD_MISSING);
    r->seen->fields = !desc.json ? "" : desc_key && desc_key[0] == 'D' ? "/Desc" : "/desc";
    r->desc->op = find_operator(r, top, desc.json ? &desc : top);
    read_inner(r, top, &desc);
}

void desc_read(struct desc *d, struct desc_seen *seen, const struct json_doc *doc, size_t node,
               const char *pointer, const char *const also[], const struct desc_options *opt,
               struct findings *fs)
{
    struct reader r = { .doc = doc, .opt = opt, .desc = d, .seen = seen, .also = also, .fs = fs };
    const char *base = fs->context.base;
    size_t aliases = fs->context.alias_count;
    struct item top;

    *d = (struct desc){ 0 };
    *seen = (struct desc_seen){ .type_pointer = "", .fields = "" };
    if (!item_parse(&top, doc, node)) {
        fs->failed = true;
        return;
    }
    fs->context.base = pointer;
    read_top(&r, &top);
    if (d->op != OP_NONE)
        desc_check(d, seen, opt->level, fs);
    if (!seen->dimension_count)
        d->dimension_count = d->tensor[SLOT_IN].rank;
    if (d->op == OP_TOP_K)
        d->direction = AXIS_DECREASING;
    findings_unalias(fs, aliases);
    fs->context.unsure = false;
    fs->context.base = base;
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
