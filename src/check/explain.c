#include "check/explain.h"

#include "cli/print.h"

extern const char check_examples[];

/* Rules by prefix: their source, first feature level, and shared example. */
static const struct rule_source {
    const char *prefix, *page, *since, *example;
} sources[] = {
#include "check/sources_rows.h"
};

static const struct rule_source *source_of(const char *id)
{
    const struct rule_source *s = sources;

    while (strncmp(id, s->prefix, strlen(s->prefix)) != 0)
        s++;
    return s;
}

const char *explain_address(const char *id, size_t *n)
{
    const char *address = strstr(source_of(id)->page, "https://");

    *n = address ? strcspn(address, " ,;") : 0;
    return address;
}

/* The file examples/RULE.SUFFIX; empty if there is none. */
static const char *file_of(const char *id, const char *suffix)
{
    char name[64];

    snprintf(name, sizeof name, "%s.%s", id, suffix);
    return embedded_find(check_examples, name);
}

/* The rule's own wrong.json or right.json, else the shared example. */
static const char *example_of(const char *id, const char *which)
{
    const char *file = file_of(id, which);

    return *file ? file : embedded_find(check_examples, source_of(id)->example);
}

/* Why the rule exists, its lines joined to one; owned by the caller. */
static struct str reason_for(const char *id)
{
    struct str b = { 0 };

    for (const char *p = file_of(id, "why.txt"); *p; p++)
        str_add(&b, *p == '\n' ? " " : p, 1);
    return b;
}

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

static void add_example(struct str *b, const char *id, const char *title, const char *which,
                        const char *data)
{
    const char *options = file_of(id, "options.txt"), *written_by = file_of(id, data);

    str_printf(b, "\n%s", title);
    if (*options)
        str_printf(b, ", with %s", options);
    str_puts(b, ":\n");
    add_indented(b, example_of(id, which));
    if (*written_by)
        str_printf(b, "  where x.npy is written by\n    %s\n", written_by);
}

/* Printed after the severity of a rule, by its class. */
static const char *const notes[] = {
    [CLASS_PLAIN] = "",
    [CLASS_LIMIT] = ", a warning with --relaxed",
    [CLASS_DATA] = ", exit status 3",
    [CLASS_PORTABLE] = ", with --portable only",
    [CLASS_RANGE] = "",
};

static void add_text(struct str *b, enum rule rule, const char *why)
{
    const struct rule_info *info = &rule_table[rule];
    const struct rule_source *s = source_of(info->id);

    str_printf(b, "%s (%s%s)\n", info->id, severity_name(info->severity), notes[info->of]);
    template_wrap(b, 100, "  ", info->sentence);
    str_puts(b, "\n");
    template_wrap(b, 100, "  ", why);
    add_example(b, info->id, "Wrong", "wrong.json", "wrong.py");
    add_example(b, info->id, "Right", "right.json", "right.py");
    str_printf(b, "\nTo fix it: %s.\nSource: %s.\nFeature level: %s.\n", info->remedy, s->page,
               s->since);
}

static void write_json(struct json_writer *w, enum rule rule, const char *why)
{
    const struct rule_info *info = &rule_table[rule];
    const struct rule_source *s = source_of(info->id);

    json_format(w,
                "{ schema: %s \n  rule: %s \n  severity: %s \n  sentence: %s \n  why: %s "
                "\n  remedy: %s \n  source: %s \n  since: %s \n  options: %s \n  ",
                "dmlop.rule/1", info->id, severity_name(info->severity), info->sentence, why,
                info->remedy, s->page, s->since, file_of(info->id, "options.txt"));
    json_stringf(w, "wrong", "%s\n", example_of(info->id, "wrong.json"));
    json_line(w, 2);
    json_stringf(w, "right", "%s\n", example_of(info->id, "right.json"));
    if (*file_of(info->id, "wrong.py"))
        json_format(w, "\n  wrong_data: %s \n  right_data: %s", file_of(info->id, "wrong.py"),
                    file_of(info->id, "right.py"));
}

void explain_markdown(struct str *b, enum rule rule)
{
    const struct rule_info *info = &rule_table[rule];
    const struct rule_source *s = source_of(info->id);
    struct str why = reason_for(info->id);

    str_printf(b, "**%s** (%s%s): %s\n\n%s\n\nTo fix it: %s.\n\nSource: %s. Feature level: %s.",
               info->id, severity_name(info->severity), notes[info->of], info->sentence,
               why.s ? why.s : "", info->remedy, s->page, s->since);
    str_done(&why, &b->failed);
}

enum status explain(const char *id, bool as_json, struct diag *dg)
{
    const char *ids[RULE_COUNT];
    struct str b = { 0 }, why;
    struct json_writer w = { .out = &b };
    size_t r = 0, near;

    for (; r < RULE_COUNT && strcmp(id, rule_table[r].id) != 0; r++)
        ids[r] = rule_table[r].id;
    if (r == RULE_COUNT) {
        near = str_nearest(id, ids, RULE_COUNT);
        return diag_usage(
            dg, "--explain: there is no rule '%s'%s%s; 'dmlop validate --rules' lists them", id,
            near < RULE_COUNT ? "; did you mean " : "", near < RULE_COUNT ? ids[near] : "");
    }
    why = reason_for(id);
    if (as_json)
        write_json(&w, (enum rule)r, why.s ? why.s : "");
    else
        add_text(&b, (enum rule)r, why.s ? why.s : "");
    str_done(&why, &b.failed);
    return as_json ? print_json(&w, dg) : print_str(&b, dg);
}
