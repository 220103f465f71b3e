#include "cmd/explain.h"

#include <string.h>

#include "base/str.h"

#define PAGES "https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_"
#define GUIDE "https://github.com/microsoft/DirectML/tree/master/DxDispatch"

/* Where the rules of a group come from, and since when. */
static const struct {
    const char *prefix, *page, *since;
} sources[] = {
    { "json.", "RFC 8259, and what DxDispatch allows beyond it: " GUIDE, "any" },
    { "desc.", "DxDispatch's reader of descriptors: " GUIDE, "any" },
    { "tensor.", PAGES "buffer_tensor_desc", "1_0" },
    { "slice.", PAGES "slice1_operator_desc, and DML_SLICE_OPERATOR_DESC", "1_0 (SLICE), 2_1 (SLICE1)" },
    { "topk.", PAGES "top_k1_operator_desc, and DML_TOP_K_OPERATOR_DESC", "2_0 (TOP_K), 2_1 (TOP_K1)" },
    { "qmatmul.", PAGES "quantized_linear_matrix_multiply_operator_desc", "2_1" },
    { "support.", "the tables of feature levels on the operators' reference pages", "any" },
    { "bind.", "dmlop-validate(1), --bind", "any" },
    { "run.", "DxDispatch's guide to model files: " GUIDE "; dmlop-model(5)", "any" },
    { "portable.", "DxDispatch's reader of model files: " GUIDE, "any" },
};

static const char *page_of(const char *id, const char **since)
{
    for (size_t i = 0; i < ARRAY_LEN(sources); i++)
        if (strncmp(id, sources[i].prefix, strlen(sources[i].prefix)) == 0) {
            *since = sources[i].since;
            return sources[i].page;
        }
    *since = "any";
    return "";
}

/* An example's text with the edits made. */
static struct str edited(enum example example, const struct example_edit edits[3])
{
    struct str b = { 0 };

    str_puts(&b, example_texts[example]);
    for (int i = 0; i < 3 && edits[i].to; i++) {
        struct str next = { 0 };
        const char *at = edits[i].from && b.s ? strstr(b.s, edits[i].from) : NULL;

        if (at) {
            str_add(&next, b.s, (size_t)(at - b.s));
            str_puts(&next, edits[i].to);
            str_puts(&next, at + strlen(edits[i].from));
        } else
            str_puts(&next, edits[i].to);
        next.failed = next.failed || b.failed;
        str_free(&b);
        b = next;
    }
    return b;
}

/* Lines, indented. */
static void add_indented(struct str *b, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");

        str_puts(b, "    ");
        str_add(b, text, n);
        str_puts(b, "\n");
        text += n + (text[n] == '\n');
    }
}

/* Words in lines of at most 100 columns, indented by two. */
static void add_wrapped(struct str *b, const char *text)
{
    enum { WIDTH = 98 };

    while (*text) {
        size_t n = strlen(text);

        if (n > WIDTH)
            for (n = WIDTH; n > 0 && text[n] != ' '; n--)
                ;
        str_puts(b, "  ");
        str_add(b, text, n);
        str_puts(b, "\n");
        text += n + (text[n] == ' ');
    }
}

static void add_example(struct str *b, const char *title, const struct explanation *e, const struct example_edit edits[3],
                        const char *data)
{
    struct str text = edited(e->example, edits);

    str_printf(b, "\n%s", title);
    if (e->options)
        str_printf(b, ", with %s", e->options);
    str_puts(b, ":\n");
    add_indented(b, text.s ? text.s : "");
    if (data)
        str_printf(b, "  where x.npy is written by\n    %s\n", data);
    b->failed = b->failed || text.failed;
    str_free(&text);
}

static const char *severity_of(const struct rule_info *info)
{
    static const char *const notes[] = {
        [CLASS_PLAIN] = "",
        [CLASS_LIMIT] = ", a warning with --relaxed",
        [CLASS_DATA] = ", exit status 3",
        [CLASS_PORTABLE] = ", with --portable only",
        [CLASS_RANGE] = "",
    };

    return notes[info->of];
}

static void add_text(struct str *b, const struct rule_info *info, const struct explanation *e)
{
    const char *since, *page = page_of(info->id, &since);

    str_printf(b, "%s (%s%s)\n", info->id, info->severity == SEV_ERROR ? "error" : "warning", severity_of(info));
    add_wrapped(b, info->sentence);
    str_puts(b, "\n");
    add_wrapped(b, e->why);
    add_example(b, "Wrong", e, e->wrong, e->wrong_data);
    add_example(b, "Right", e, e->right, e->right_data);
    str_printf(b, "\nTo mend it: %s.\nSource: %s.\nFeature level: %s.\n", info->remedy, page, since);
}

static void add_member(struct str *b, const char *name, const char *value)
{
    str_printf(b, ",\n  \"%s\": \"", name);
    str_add_json(b, value, strlen(value));
    str_puts(b, "\"");
}

static void add_json(struct str *b, const struct rule_info *info, const struct explanation *e)
{
    const char *since, *page = page_of(info->id, &since);
    struct str wrong = edited(e->example, e->wrong), right = edited(e->example, e->right);

    str_puts(b, "{ \"schema\": \"dmlop.rule/1\"");
    add_member(b, "rule", info->id);
    add_member(b, "severity", info->severity == SEV_ERROR ? "error" : "warning");
    add_member(b, "sentence", info->sentence);
    add_member(b, "why", e->why);
    add_member(b, "remedy", info->remedy);
    add_member(b, "source", page);
    add_member(b, "since", since);
    add_member(b, "options", e->options ? e->options : "");
    add_member(b, "wrong", wrong.s ? wrong.s : "");
    add_member(b, "right", right.s ? right.s : "");
    if (e->wrong_data) {
        add_member(b, "wrong_data", e->wrong_data);
        add_member(b, "right_data", e->right_data);
    }
    str_puts(b, " }\n");
    b->failed = b->failed || wrong.failed || right.failed;
    str_free(&wrong);
    str_free(&right);
}

enum status explain(const char *id, bool as_json, FILE *out, struct diag *dg)
{
    const char *ids[RULE_COUNT];
    struct str b = { 0 };
    bool failed;
    size_t r = 0, near;

    for (; r < RULE_COUNT && strcmp(id, rule_table[r].id) != 0; r++)
        ids[r] = rule_table[r].id;
    if (r == RULE_COUNT) {
        near = str_nearest(id, ids, RULE_COUNT);
        return diag_error(dg, ST_USAGE, NULL, "--explain: there is no rule '%s'%s%s; 'dmlop validate --rules' lists them", id,
                          near < RULE_COUNT ? "; did you mean " : "", near < RULE_COUNT ? ids[near] : "");
    }
    if (as_json)
        add_json(&b, &rule_table[r], &explanations[r]);
    else
        add_text(&b, &rule_table[r], &explanations[r]);
    failed = b.failed;
    if (!failed)
        fwrite(b.s, 1, b.len, out);
    str_free(&b);
    return failed ? diag_nomem(dg) : ST_OK;
}
