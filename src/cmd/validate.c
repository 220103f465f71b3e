#include <string.h>

#include "cmd/checked.h"
#include "cmd/command.h"
#include "cmd/explain.h"
#include "cmd/findings.h"
#include "cmd/fix.h"
#include "cmd/options.h"
#include "cmd/schema.h"
#include "desc/schema.h"

struct validate_args {
    const char *level, *format, *color, *max_findings, *explain, *schema, *output;
    struct option_list bind;
    bool relaxed, portable, rules, fix, quiet, verbose, help;
};

#define AT(member) offsetof(struct validate_args, member)

static const struct option_row rows[] = {
    { "feature-level", 0, OPTION_STRING, AT(level), "L", "check against this DirectML feature level (default: 6_4)" },
    { "relaxed", 0, OPTION_FLAG, AT(relaxed), NULL, "rules that document DirectML's limits, not safety, only warn" },
    { "portable", 0, OPTION_FLAG, AT(portable), NULL, "warn of what DxDispatch does not take, or reads differently" },
    { "bind", 0, OPTION_LIST, AT(bind), "NAME=PATH", "hold a file against a tensor of the descriptor" },
    { "format", 0, OPTION_STRING, AT(format), "FORMAT", "text, json or sarif (default: text)" },
    { "max-findings", 0, OPTION_STRING, AT(max_findings), "N", "print at most N findings of a file, 0 for all (default: 100)" },
    { "fix", 0, OPTION_FLAG, AT(fix), NULL, "write the values that hints know for certain into the text" },
    { "output", 'o', OPTION_STRING, AT(output), "FILE", "with --fix: write the text there (default: standard output)" },
    { "rules", 0, OPTION_FLAG, AT(rules), NULL, "list all rules and stop" },
    { "explain", 0, OPTION_STRING, AT(explain), "RULE", "explain a rule, with examples, and stop" },
    { "schema", 0, OPTION_OPTIONAL, AT(schema), "NAME", "print a JSON Schema (model, descriptor or an operator) and stop" },
    { "color", 0, OPTION_STRING, AT(color), "WHEN", "auto, always or never (default: auto)" },
    { "quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "report errors only" },
    { "verbose", 'v', OPTION_FLAG, AT(verbose), NULL, "say more on standard error" },
    { "help", 'h', OPTION_FLAG, AT(help), NULL, "show this help" },
    { NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

static const struct option_row *const tables[] = { rows, NULL };

static const struct usage usage = {
    "validate",
    "[OPTIONS] FILE...\n--fix [-o FILE] FILE\n--rules | --explain RULE [--format text|json]\n--schema[=NAME]",
    "Checks operator descriptors and DxDispatch model files and reports every violation, each with its place. FILE may be "
    "'-'.", tables,
    "Exit status: 0 valid, 1 a finding of severity error, 3 a file cannot be read or does not fit.\n",
};

enum format { AS_TEXT, AS_JSON, AS_SARIF };

static void print_rules_text(void)
{
    for (int r = 0; r < RULE_COUNT; r++)
        printf("%s %s%s\n    %s\n", rule_table[r].id, rule_table[r].severity == SEV_ERROR ? "error" : "warning",
               rule_table[r].of == CLASS_LIMIT ? " (warning with --relaxed)" : "", rule_table[r].sentence);
}

static enum status print_rules_json(struct diag *dg)
{
    struct str b = { 0 };

    str_puts(&b, "{ \"schema\": \"dmlop.rules/1\", \"rules\": [");
    for (int r = 0; r < RULE_COUNT; r++) {
        const struct rule_info *info = &rule_table[r];

        str_printf(&b, "%s\n  { \"rule\": \"%s\", \"severity\": \"%s\", \"limit\": %s, \"sentence\": \"", r ? "," : "",
                   info->id, info->severity == SEV_ERROR ? "error" : "warning", info->of == CLASS_LIMIT ? "true" : "false");
        str_add_json(&b, info->sentence, strlen(info->sentence));
        str_puts(&b, "\" }");
    }
    str_puts(&b, " ] }\n");
    if (!b.failed)
        fwrite(b.s, 1, b.len, stdout);
    if (b.failed) {
        str_free(&b);
        return diag_nomem(dg);
    }
    str_free(&b);
    return ST_OK;
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* The last line of a file. */
static void print_summary(const struct checked *c, const char *path, enum feature_level level)
{
    const struct findings *fs = &c->document.findings;
    const struct model *m = &c->model;

    printf("%s: ", shown_path(path));
    if (fs->errors > 0)
        printf("%zu error%s", fs->errors, plural(fs->errors));
    else if (c->is_model)
        printf("valid (model of %zu resource%s, %zu dispatchable%s, %zu command%s; feature level %s)", m->resource_count,
               plural(m->resource_count), m->dispatchable_count, plural(m->dispatchable_count), m->command_count,
               plural(m->command_count), level_names[level]);
    else
        printf("valid (DML_OPERATOR_%s, feature level %s)", op_schemas[c->desc.op].name, level_names[level]);
    if (fs->warnings > 0)
        printf(", %zu warning%s", fs->warnings, plural(fs->warnings));
    if (fs->n < fs->errors + fs->warnings)
        printf("; %zu of them shown, see --max-findings", fs->n);
    putchar('\n');
}

/* A report on several files. */
struct report {
    enum format format;
    struct str b;      /* JSON, SARIF */
    bool first;        /* nothing stands in the array yet */
};

static enum status report_file(struct report *r, const struct checked *c, const char *path, const struct validate_args *a,
                        enum feature_level level, struct diag *dg)
{
    enum status st = ST_OK;

    if (r->format == AS_TEXT) {
        st = findings_text(&c->document, path, stdout, dg);
        if (st == ST_OK && !a->quiet)
            print_summary(c, path, level);
    } else if (r->format == AS_JSON) {
        str_puts(&r->b, r->first ? " " : ",\n ");
        r->first = false;
        findings_json(&c->document.findings, path, &r->b);
    } else
        findings_sarif(&c->document, path, &r->first, &r->b);
    return st;
}

static enum status check_all(int n, char **paths, const struct validate_args *a, const struct check_options *opt,
                             enum format format, struct diag *dg)
{
    struct report r = { .format = format, .first = true };
    enum status worst = ST_OK;

    if (format == AS_JSON)
        str_puts(&r.b, "{ \"schema\": \"dmlop.findings/1\", \"files\": [");
    else if (format == AS_SARIF)
        sarif_begin(&r.b);
    for (int i = 0; i < n && !r.b.failed && worst != ST_SYSTEM; i++) {
        struct checked c = { 0 };
        enum status st = checked_load(&c, paths[i], opt, dg), found = document_status(&c.document);

        if (c.document.text && st != ST_SYSTEM && st != ST_USAGE) {
            enum status told = report_file(&r, &c, paths[i], a, opt->desc.level, dg);

            st = told > st ? told : st;
        }
        st = st > found ? st : found;
        worst = st > worst ? st : worst;
        checked_free(&c);
    }
    if (format == AS_JSON)
        str_puts(&r.b, " ] }\n");
    else if (format == AS_SARIF)
        sarif_end(&r.b);
    if (r.b.failed && worst != ST_SYSTEM)
        worst = diag_nomem(dg);
    else if (r.b.len > 0 && worst != ST_SYSTEM)
        fwrite(r.b.s, 1, r.b.len, stdout);
    str_free(&r.b);
    return worst;
}

static enum status read_options(const struct validate_args *a, struct check_options *opt, int *format, struct diag *dg)
{
    static const char *const formats[] = { "text", "json", "sarif", NULL };
    long most = MAX_FINDINGS;
    enum status st = ST_OK;

    *opt = (struct check_options){ .desc.level = LEVEL_NEWEST, .binds = a->bind };
    if (a->format)
        st = option_choice("--format", a->format, formats, format, dg);
    if (st == ST_OK)
        st = option_color(a->color, a->fix ? dg->err : stdout, &dg->color, dg);
    if (st == ST_OK && a->max_findings)
        st = option_number("--max-findings", a->max_findings, 0, 1000000000, &most, dg);
    if (st == ST_OK && a->level) {
        opt->desc.level = level_from_name(a->level);
        if (opt->desc.level == LEVEL_COUNT)
            st = diag_error(dg, ST_USAGE, NULL, "--feature-level: '%s' is none of 1_0 to 6_4", a->level);
    }
    opt->desc.findings = (struct document_options){
        .relaxed = a->relaxed,
        .portable = a->portable,
        .errors_only = a->quiet,
        .max_findings = (size_t)most,
    };
    return st;
}

/* What prints something and stops; false where no such option is given. */
static bool print_instead(const struct validate_args *a, int n, char **operands, enum format format, enum status *st,
                          struct diag *dg)
{
    const char *name = a->schema;

    if (!a->rules && !a->explain && !a->schema)
        return false;
    if (name && *name == '\0' && n == 1) /* --schema NAME */
        name = operands[0], n = 0;
    if (n > 0)
        *st = diag_error(dg, ST_USAGE, NULL, "%s reads no file: '%s'", a->rules ? "--rules" : a->explain ? "--explain" : "--schema",
                         operands[0]);
    else if (format == AS_SARIF)
        *st = diag_error(dg, ST_USAGE, NULL, "--format sarif is for findings");
    else if (a->schema)
        *st = schema_print(name, stdout, dg);
    else if (a->explain)
        *st = explain(a->explain, format == AS_JSON, stdout, dg);
    else if (format == AS_JSON)
        *st = print_rules_json(dg);
    else {
        print_rules_text();
        *st = ST_OK;
    }
    return true;
}

static enum status fix_one(int n, char **paths, const struct validate_args *a, const struct check_options *opt, enum format format,
                           struct diag *dg)
{
    if (n != 1)
        return diag_error(dg, ST_USAGE, NULL, "--fix takes one file");
    if (format != AS_TEXT)
        return diag_error(dg, ST_USAGE, NULL, "--fix writes the text itself, and goes with no --format");
    return fix_file(paths[0], a->output, opt, a->output && strcmp(a->output, "-") != 0 ? stdout : dg->err, dg);
}

enum status cmd_validate(int argc, char **argv, struct diag *dg)
{
    struct check_options opt;
    struct validate_args a = { 0 };
    int first, format = AS_TEXT;
    enum status st = options_parse(&usage, &a, argc, argv, &first, dg);

    if (st)
        return st;
    if (a.help) {
        usage_print(&usage, stdout);
        return ST_OK;
    }
    dg->quiet = a.quiet;
    dg->verbose = a.verbose;
    st = read_options(&a, &opt, &format, dg);
    if (st || print_instead(&a, argc - first, argv + first, (enum format)format, &st, dg))
        return st;
    if (first == argc) {
        diag_error(dg, ST_USAGE, NULL, "no file is given");
        return usage_hint(dg);
    }
    if (a.output && !a.fix)
        return diag_error(dg, ST_USAGE, NULL, "-o goes with --fix: findings are written to standard output");
    if (a.fix)
        return fix_one(argc - first, argv + first, &a, &opt, (enum format)format, dg);
    return check_all(argc - first, argv + first, &a, &opt, (enum format)format, dg);
}
