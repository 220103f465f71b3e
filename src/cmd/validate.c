#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/findings.h"
#include "cmd/options.h"
#include "desc/schema.h"

struct validate_args {
    const char *level, *format, *color;
    bool relaxed, rules, quiet, verbose, help;
};

#define AT(member) offsetof(struct validate_args, member)

static const struct option_row rows[] = {
    { "feature-level", 0, OPTION_STRING, AT(level), "L", "check against this DirectML feature level (default: 6_4)" },
    { "relaxed", 0, OPTION_FLAG, AT(relaxed), NULL, "rules that document DirectML's limits, not safety, only warn" },
    { "format", 0, OPTION_STRING, AT(format), "FORMAT", "text or json (default: text)" },
    { "rules", 0, OPTION_FLAG, AT(rules), NULL, "list all rules and stop" },
    { "color", 0, OPTION_STRING, AT(color), "WHEN", "auto, always or never (default: auto)" },
    { "quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "report errors only" },
    { "verbose", 'v', OPTION_FLAG, AT(verbose), NULL, "say more on standard error" },
    { "help", 'h', OPTION_FLAG, AT(help), NULL, "show this help" },
    { NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

static const struct option_row *const tables[] = { rows, NULL };

static const struct usage usage = {
    "validate", "[OPTIONS] FILE...\n--rules [--format text|json]",
    "Checks operator descriptors and reports every violation, each with its place. FILE may be '-'.", tables,
    "Exit status: 0 valid, 1 a finding of severity error, 3 a file cannot be read.\n",
};

static void print_rules_text(void)
{
    for (int r = 0; r < RULE_COUNT; r++)
        printf("%s %s%s\n    %s\n", rule_table[r].id, rule_table[r].severity == SEV_ERROR ? "error" : "warning",
               rule_table[r].limit ? " (warning with --relaxed)" : "", rule_table[r].sentence);
}

static enum status print_rules_json(struct diag *dg)
{
    struct str b = { 0 };

    str_puts(&b, "{ \"schema\": \"dmlop.rules/1\", \"rules\": [");
    for (int r = 0; r < RULE_COUNT; r++) {
        const struct rule_info *info = &rule_table[r];

        str_printf(&b, "%s\n  { \"rule\": \"%s\", \"severity\": \"%s\", \"limit\": %s, \"sentence\": \"", r ? "," : "",
                   info->id, info->severity == SEV_ERROR ? "error" : "warning", info->limit ? "true" : "false");
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

static void print_text(const struct desc_file *f, const char *path, const struct validate_args *a,
                       enum feature_level level, bool color)
{
    const struct findings *fs = &f->findings;

    findings_text(f, path, !a->quiet, color, stdout);
    if (a->quiet)
        return;
    if (fs->errors == 0)
        printf("%s: valid (DML_OPERATOR_%s, feature level %s)", shown_path(path), op_schemas[f->desc.op].name,
               level_names[level]);
    else
        printf("%s: %zu error%s", shown_path(path), fs->errors, fs->errors == 1 ? "" : "s");
    if (fs->warnings)
        printf(", %zu warning%s", fs->warnings, fs->warnings == 1 ? "" : "s");
    putchar('\n');
}

/* Checks one file; its report goes to standard output, or to `json`. */
static enum status check(const char *path, const struct validate_args *a, const struct desc_options *opt,
                         struct str *json, struct diag *dg)
{
    struct desc_file f = { 0 };
    enum status st = descriptor_load(&f, path, opt, dg);

    if (st)
        return st;
    if (json) {
        str_puts(json, json->s[json->len - 1] == '[' ? " " : ",\n ");
        findings_json(&f.findings, path, json);
    } else
        print_text(&f, path, a, opt->level, dg->color);
    st = f.findings.errors ? ST_INVALID : ST_OK;
    desc_file_free(&f);
    return st;
}

static enum status check_all(int n, char **paths, const struct validate_args *a, const struct desc_options *opt,
                             bool as_json, struct diag *dg)
{
    enum status worst = ST_OK;
    struct str json = { 0 };

    str_puts(&json, "{ \"schema\": \"dmlop.findings/1\", \"files\": [");
    for (int i = 0; i < n && !json.failed; i++) {
        enum status st = check(paths[i], a, opt, as_json ? &json : NULL, dg);

        worst = st > worst ? st : worst;
    }
    str_puts(&json, " ] }\n");
    if (json.failed)
        worst = diag_nomem(dg);
    else if (as_json)
        fwrite(json.s, 1, json.len, stdout);
    str_free(&json);
    return worst;
}

enum status cmd_validate(int argc, char **argv, struct diag *dg)
{
    static const char *const formats[] = { "text", "json", NULL };
    struct desc_options opt = { .level = LEVEL_NEWEST };
    struct validate_args a = { 0 };
    int first, format = 0;
    enum status st = options_parse(&usage, &a, argc, argv, &first, dg);

    if (st)
        return st;
    if (a.help) {
        usage_print(&usage, stdout);
        return ST_OK;
    }
    dg->quiet = a.quiet;
    dg->verbose = a.verbose;
    if (a.format)
        st = option_choice("--format", a.format, formats, &format, dg);
    if (st == ST_OK)
        st = option_color(a.color, stdout, &dg->color, dg);
    if (st == ST_OK && a.level) {
        opt.level = level_from_name(a.level);
        if (opt.level == LEVEL_COUNT)
            st = diag_error(dg, ST_USAGE, NULL, "--feature-level: '%s' is none of 1_0 to 6_4", a.level);
    }
    if (st)
        return st;
    if (a.rules) {
        if (format == 1)
            return print_rules_json(dg);
        print_rules_text();
        return ST_OK;
    }
    if (first == argc) {
        diag_error(dg, ST_USAGE, NULL, "no file is given");
        return usage_hint(dg);
    }
    opt.relaxed = a.relaxed;
    return check_all(argc - first, argv + first, &a, &opt, format == 1, dg);
}
