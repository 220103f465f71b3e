#include "desc/read/read.h"

#include "desc/read/reader.h"

/* The operator that the outer object's type names, or else the command implies. */
static const struct op_schema *find_operator(struct reader *r, size_t top, size_t fields)
{
    size_t type =
        outer_member(r, top, OUTER_TYPE, r->opt->command ? RULE_COUNT : RULE_DESC_OPERATOR_MISSING);
    bool upper = type && strcmp(json_doc_key_text(r->doc, type), "Type") == 0;

    if (upper) {
        struct finding *f = report_key(
            r, type, RULE_PORTABLE_TYPE_CASE,
            "DxDispatch looks for the operator's name in 'type', and would not find it here");

        finding_hint(f, "write \"type\"");
        finding_fix_string(f, "type");
    }
    if (!type && r->opt->command)
        return implied_operator(r, fields);
    if (type) {
        r->values->type_pointer = upper ? "/Type" : "/type";
        add_beside(r, json_doc_key_text(r->doc, type));
        return read_operator(r, type, fields);
    }
    finding_hint(findings_add(r->fs, RULE_DESC_OPERATOR_MISSING, "", AT_OPENING,
                              "the descriptor does not say which operator it describes"),
                 "add \"type\": \"DML_OPERATOR_SLICE1\", or the operator that is meant");
    return NULL;
}

static bool may_be_tensor(const struct json_node *nodes, size_t i)
{
    while (nodes[i].type == JSON_ARRAY && i + 1 < nodes[i].next)
        i++;
    return nodes[i].type == JSON_NUMBER;
}

/* Reads the outer object: a type, and fields in "desc" or beside the type. */
static void read_top(struct reader *r, size_t top)
{
    size_t desc;

    if (!node_is(r, top, JSON_OBJECT)) {
        finding_hint(
            findings_add(r->fs, RULE_DESC_NOT_OBJECT, "", AT_VALUE,
                         "a descriptor must be an object, but this is %s", value_kind(r->doc, top)),
            "write { \"type\": ..., \"desc\": { ... } }%s",
            may_be_tensor(r->doc->nodes, top) ? "; a tensor is checked with --bind InputTensor=FILE"
                                              : "");
        return;
    }
    desc = outer_member(r, top, OUTER_DESC, RULE_DESC_FIELD_MISSING);
    read_values(r, top, desc, find_operator(r, top, desc ? desc : top));
}

void desc_read(struct op_values *v, const struct json_doc *doc, size_t node, const char *pointer,
               const char *const also[], const struct desc_options *opt, struct findings *fs)
{
    static const char *const top[] = { "$schema", NULL };
    struct reader r = { .doc = doc, .opt = opt, .values = v, .fs = fs, .root = node };
    const char *base = fs->context.base;

    *v = (struct op_values){ .type_pointer = "", .fields = "", .findings = fs->n };
    for (also = also ? also : top; *also; also++)
        add_beside(&r, *also);
    fs->context.base = pointer;
    read_top(&r, node);
    if (v->schema && !fs->failed)
        values_check(v, opt->level, fs);
    fs->context.unsure = false;
    fs->context.base = base;
    fs->failed = fs->failed || r.pointer.failed;
    str_free(&r.pointer);
}

enum status desc_file_parse(struct desc_file *f, char *text, size_t len,
                            const struct desc_options *opt, struct diag *dg)
{
    enum status st = document_scan(&f->document, text, len, &opt->findings, dg);

    if (st == ST_OK && document_is_readable(&f->document))
        desc_read(&f->values, &f->document.doc, 0, "", NULL, opt, &f->document.findings);
    st = st ? st : document_finish(&f->document, dg);
    if (st)
        desc_file_free(f);
    return st;
}
