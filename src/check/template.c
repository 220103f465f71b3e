#include "check/explain.h"

#include "cli/print.h"
#include "cli/usage.h"
#include "desc/schema.h"

extern const char check_examples[];

/* The examples of operators that dmlop runs, and of a model; others are in the operators' files. */
static const char *const files[OP_COUNT] = {
    [OP_NONE] = "model.json",  [OP_SLICE] = "slice.json",   [OP_SLICE1] = "slice1.json",
    [OP_TOP_K] = "top_k.json", [OP_TOP_K1] = "top_k1.json", [OP_QMATMUL] = "qmatmul.json",
};

/* Members of a model; op_field describes those of operators. */
static const struct {
    const char *key, *about;
} model_keys[] = {
#include "check/model_keys_rows.h"
};

void template_wrap(struct str *b, size_t columns, const char *prefix, const char *text)
{
    size_t width = columns - strlen(prefix);

    while (*text) {
        size_t n = usage_line(text, width);

        str_printf(b, "%s%.*s\n", prefix, (int)n, text);
        text += n + (text[n] == ' ');
    }
}

/* The description of the member that a line begins with, or NULL. */
static const char *about_line(const struct op_schema *op, const char *line)
{
    const struct field *f;
    char key[64];

    if (*line != '"')
        return NULL;
    snprintf(key, sizeof key, "%.*s", (int)strcspn(line + 1, "\""), line + 1);
    for (size_t i = 0; i < ARRAY_LEN(model_keys); i++)
        if (strcmp(key, model_keys[i].key) == 0)
            return model_keys[i].about;
    f = schema_field(op, key);
    return f ? f->about : NULL;
}

static void add_example(struct str *b, const struct op_schema *op, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n"), blanks = strspn(text, " ");
        char prefix[64];
        const char *about = about_line(op, text + blanks);

        if (about) {
            snprintf(prefix, sizeof prefix, "%*s// ", (int)blanks, "");
            template_wrap(b, 98, prefix, about);
        }
        str_add(b, text, n);
        str_puts(b, "\n");
        text += n + (text[n] == '\n');
    }
}

enum status template_print(const char *name, struct diag *dg)
{
    const struct op_schema *op = NULL;
    struct str b = { 0 }, text = { 0 };
    size_t i = schema_index(name);
    const char *command;

    if (*name == '\0')
        return diag_usage(dg,
                          "--template needs a name: model or an operator, such as slice1 or gemm");
    if (i < schema_count())
        op = schema_at(i);
    else if (strcasecmp(name, "model") != 0)
        return diag_usage(
            dg,
            "--template: there is none for '%s'; use model or an operator, such as slice1 or gemm",
            name);
    command = op ? op->run.command : NULL;
    if (!op)
        str_puts(&text, "A DxDispatch model to start from. 'dmlop validate FILE' checks it, "
                        "'dmlop run FILE' runs it. Comments and trailing commas are allowed.");
    else
        str_printf(&text,
                   "A descriptor of DML_OPERATOR_%s to start from. 'dmlop validate FILE' checks "
                   "it%s%s%s. Comments and trailing commas are allowed. A tensor may have more "
                   "members, such as Strides and Flags: see dmlop-descriptor(5).",
                   op->name, command ? ", 'dmlop " : "", command ? command : "",
                   command ? " -d FILE' runs it" : "");
    template_wrap(&b, 98, "// ", text.s ? text.s : "");
    if (op && !command)
        template_wrap(&b, 98, "// ", op->about);
    text.len = 0;
    if (op && op->example)
        str_printf(&text, "{\n  \"type\": \"DML_OPERATOR_%s\",\n  \"desc\": %s\n}", op->name,
                   op->example);
    else
        str_puts(&text, embedded_find(check_examples, files[op ? op->op : OP_NONE]));
    add_example(&b, op ? op : op_schema(OP_SLICE1), text.s ? text.s : "");
    str_done(&text, &b.failed);
    return print_str(&b, dg);
}
