#include <dirent.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/path.h"
#include "check/explain.h"
#include "check/findings.h"
#include "check/fix.h"
#include "check/schema.h"
#include "cli/usage.h"
#include "cli/print.h"
#include "cmd/commands.h"
#include "cpp/cpp.h"
#include "io/file.h"
#include "io/kind.h"
#include "run/shared_options.h"

enum format { AS_TEXT, AS_JSON, AS_SARIF };

struct validate_args {
    struct common_args common;
    struct checking_args checking;
    struct option_list bind;
    long skip_lines;
    int format;        /* enum format */
    long max_findings; /* 0: FINDINGS_MOST */
    const char *array, *explain, *schema, *template, *output;
    bool portable, rules, fix, in_place, cpp, dump_header;
};

static void rule_words(struct str *words, const char *command)
{
    (void)command;
    for (int rule = 0; rule < RULE_COUNT; rule++)
        completion_add(words, rule_table[rule].id);
}

static void template_words(struct str *words, const char *command)
{
    (void)command;
    completion_add(words, "model");
    for (size_t i = 0; i < schema_count(); i++)
        completion_add_lower(words, schema_name(i));
}

static void schema_words(struct str *words, const char *command)
{
    completion_add(words, "model");
    completion_add(words, "descriptor");
    template_words(words, command);
}

/* What --rules and the like have no use for. */
#define CHECKING_OPTIONS \
    "feature-level", "relaxed", "portable", "bind", "skip-lines", "array", "max-findings"
#define CHECKS_NOTHING ": no file is checked"

#include "cmd/validate_rows.h"

static enum status print_rules(bool json, struct diag *dg)
{
    struct str b = { 0 };
    struct json_writer w = { .out = &b };

    if (json)
        json_format(&w, "{ schema: %s rules: [", "dmlop.rules/1");
    for (int r = 0; r < RULE_COUNT; r++) {
        const char *id = rule_table[r].id, *severity = severity_name(rule_table[r].severity);
        const char *sentence = rule_table[r].sentence;
        bool limit = rule_table[r].of == CLASS_LIMIT;

        if (json)
            json_format(&w, "\n  { rule: %s severity: %s limit: %d sentence: %s }", id, severity,
                        limit, sentence);
        else
            str_printf(&b, "%s %s%s\n    %s\n", id, severity,
                       limit ? " (warning with --relaxed)" : "", sentence);
    }
    return json ? print_json(&w, dg) : print_str(&b, dg);
}

static const char *plural(size_t n) { return n == 1 ? "" : "s"; }

/* The summary of a file without errors; `whole`: all bound files could be read. */
static const char *verdict(const struct checked *c, bool whole)
{
    const struct findings *fs = &c->document.findings;

    if (!whole)
        return "no errors, but a bound file could not be read";
    if (fs->broken[RULE_DESC_OPERATOR_UNSUPPORTED])
        return "no errors in what was checked";
    if (fs->broken[RULE_SUPPORT_OPERATOR])
        return "no errors, but the feature level lacks the operator";
    return "valid";
}

/* Prints the last line of the report on a file. */
static void print_summary(const struct checked *c, const char *path, enum feature_level level,
                          bool whole)
{
    const struct findings *fs = &c->document.findings;
    const struct model *m = &c->model;

    print_path(path, stdout);
    fputs(": ", stdout);
    if (fs->errors > 0)
        printf("%zu error%s", fs->errors, plural(fs->errors));
    else
        printf("%s", verdict(c, whole));
    if (fs->errors == 0 && c->is_model)
        printf(" (model of %zu resource%s, %zu dispatchable%s, %zu command%s; feature level %s)",
               m->resource_count, plural(m->resource_count), m->dispatchable_count,
               plural(m->dispatchable_count), m->command_count, plural(m->command_count),
               level_names[level]);
    else if (fs->errors == 0 && c->values.schema)
        printf(" (DML_OPERATOR_%s, feature level %s)", c->values.schema->name, level_names[level]);
    if (fs->warnings > 0)
        printf(", %zu warning%s", fs->warnings, plural(fs->warnings));
    if (fs->n < fs->errors + fs->warnings)
        printf("; %zu of them shown, see --max-findings", fs->n);
    putchar('\n');
}

/* A run of the command: options, and the report on all files. */
struct validation {
    struct validate_args args;
    struct check_options opt;
    struct str b;         /* JSON, SARIF */
    struct json_writer w; /* into b, inside the array of files or results */
    bool refused;         /* the output is a file that is read */
    struct diag *dg;
};

/* Notes for -v which rules are checked. */
static void note_rules(const struct validation *v, const char *path, const char *read_as)
{
    const struct desc_options *opt = &v->opt.desc;
    int n = 0;

    for (int r = 0; r < RULE_COUNT; r++)
        n += rule_table[r].of != CLASS_PORTABLE || opt->findings.portable;
    diag_note(v->dg, path, "%s%d rules, feature level %s", read_as, n, level_names[opt->level]);
}

/* Checks a file and reports on it; returns the worse of the command's status and that of the
 * findings. */
static enum status check_one(struct validation *v, const char *path, bool *unread)
{
    struct checked c = { 0 };
    enum status st = checked_load(&c, path, &v->opt, v->dg), found = document_status(&c.document);

    v->refused = v->refused || file_check_apart(path, v->args.output, v->dg) != ST_OK ||
                 checked_apart(&c, &v->opt, v->args.output, v->dg) != ST_OK;
    if (c.document.text && st != ST_SYSTEM && st != ST_USAGE) {
        enum status reported = ST_OK;

        note_rules(v, path, c.is_model ? "read as a model file: " : "read as a descriptor: ");
        if (v->args.format == AS_TEXT) {
            reported = findings_text(&c.document, path, stdout, v->args.common.color, v->dg);
            if (reported == ST_OK && !v->args.common.quiet)
                print_summary(&c, path, v->opt.desc.level, st == ST_OK);
        } else if (v->args.format == AS_JSON) {
            if (v->w.any)
                json_line(&v->w, 1);
            findings_json(&v->w, &c.document.findings, path);
        } else
            findings_sarif(&v->w, &c.document.findings, path);
        st = reported > st ? reported : st;
    } else
        *unread = true;
    checked_free(&c);
    return st > found ? st : found;
}

/* Changes the order of paths. */
static enum status check_all(struct validation *v, size_t n, char **paths)
{
    enum status worst = ST_OK;
    size_t unread_count = 0; /* files that could not be read */

    v->w.out = &v->b;
    if (v->args.format == AS_SARIF)
        sarif_begin(&v->w);
    else if (v->args.format == AS_JSON)
        json_format(&v->w, "{ schema: %s files: [", "dmlop.findings/1");
    for (size_t i = 0; i < n && !v->b.failed && !v->refused && worst != ST_SYSTEM; i++) {
        char *path = paths[i];
        bool unread = false;
        enum status st = check_one(v, path, &unread);

        worst = st > worst ? st : worst;
        if (unread) { /* these come first */
            paths[i] = paths[unread_count];
            paths[unread_count++] = path;
        }
    }
    if (v->args.format == AS_SARIF)
        sarif_end(&v->w, (const char *const *)paths, unread_count);
    if (v->args.format != AS_TEXT && worst != ST_SYSTEM && print_json(&v->w, v->dg) != ST_OK)
        worst = ST_SYSTEM;
    str_free(&v->b);
    return worst;
}

/* The names to be checked, owned. */
struct names {
    char **v;
    size_t n, room;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds a path, or of a folder its files .json, in the order of their names. */
static enum status add_path(struct names *names, const char *path, struct diag *dg)
{
    struct stat sb;
    bool folder = strcmp(path, "-") != 0 && stat(path, &sb) == 0 && S_ISDIR(sb.st_mode);
    DIR *d = folder && !parts_folder_is(path) ? opendir(path) : NULL; /* parts are refused later */
    size_t before = names->n;
    struct dirent *e;
    bool good = true;

    do {
        e = d ? readdir(d) : NULL;
        if (d && !(e && path_has_extension(e->d_name, ".json")))
            continue;
        good = mem_reserve(&names->v, names->n, &names->room, sizeof *names->v) &&
               (names->v[names->n] = e ? path_join(path, e->d_name) : mem_strdup(path));
        names->n += good;
    } while (good && e);
    if (d)
        closedir(d);
    if (!good)
        return diag_nomem(dg);
    if (names->n == before)
        return diag_input(dg, path, "is a directory, without a .json");
    qsort(names->v + before, names->n - before, sizeof *names->v, by_name);
    return ST_OK;
}

static enum status check_given(struct validation *v, int n, char **paths)
{
    struct names names = { .n = 0 };
    enum status worst = ST_OK, st;

    for (int i = 0; i < n && worst != ST_SYSTEM; i++) {
        st = add_path(&names, paths[i], v->dg);
        worst = st > worst ? st : worst;
    }
    if (names.n > 0 && worst != ST_SYSTEM) {
        st = check_all(v, names.n, names.v);
        worst = st > worst ? st : worst;
    }
    for (size_t i = 0; i < names.n; i++)
        free(names.v[i]);
    free(names.v);
    return worst;
}

/* Handles the options that print something and stop; false if none is given. */
static bool print_instead(const struct validate_args *a, int n, char **operands, enum status *st,
                          struct diag *dg)
{
    const char *name = a->schema ? a->schema : a->template;
    const char *option = a->rules         ? "--rules"
                         : a->explain     ? "--explain"
                         : a->schema      ? "--schema"
                         : a->dump_header ? "--dump-header"
                         : name           ? "--template"
                                          : NULL;

    if (!option)
        return false;
    if (name && *name == '\0' && n == 1) /* --schema NAME */
        name = operands[0], n = 0;
    if (n > 0)
        *st = diag_usage(dg, "%s does not read files: '%s'", option, operands[0]);
    else if (a->format == AS_SARIF)
        *st = diag_usage(dg, "--format sarif is for findings");
    else if (a->dump_header)
        *st = cpp_header(dg);
    else if (a->schema)
        *st = schema_print(name, dg);
    else if (a->template)
        *st = template_print(name, dg);
    else if (a->explain)
        *st = explain(a->explain, a->format == AS_JSON, dg);
    else
        *st = print_rules(a->format == AS_JSON, dg);
    return true;
}

/* --fix and --cpp. */
static enum status write_one(const struct validation *v, int n, char **paths)
{
    const char *output = v->args.in_place && n == 1 ? paths[0] : v->args.output,
               *option = v->args.fix ? "fix" : "cpp";

    if (n != 1)
        return diag_usage(v->dg, "--%s takes one file", option);
    if (v->args.format != AS_TEXT)
        return diag_usage(v->dg, "--%s writes a text, and cannot be used together with --format",
                          option);
    if (v->args.in_place && strcmp(output, "-") == 0)
        return diag_usage(v->dg, "--in-place is for a file, not standard input");
    note_rules(v, paths[0], "");
    if (v->args.cpp)
        return cpp_file(paths[0], &v->opt, v->args.common.color, v->dg);
    return fix_file(paths[0], output, &v->opt,
                    output && strcmp(output, "-") != 0 ? stdout : v->dg->err, v->args.common.color,
                    v->dg);
}

enum status cmd_validate(int argc, char **argv, struct diag *dg)
{
    struct validation v = { .dg = dg };
    const struct validate_args *a = &v.args;
    enum status st;

    if (!command_begin(validate_options, &v.args, &argc, &argv, &st, dg))
        return st;
    if (!a->fix)
        st = print_to(a->output,
                      a->cpp                 ? ST_OK
                      : a->format == AS_TEXT ? ST_INVALID
                                             : ST_INPUT,
                      argc, argv, dg);
    if (st || print_instead(a, argc, argv, &st, dg))
        return st;
    if (!input_given(&argc, &argv))
        return usage_error(dg, "no file is given");
    v.opt.desc = checking_rules(&a->checking, a->common.quiet);
    v.opt.desc.findings.portable = a->portable;
    v.opt.desc.findings.max_findings = (size_t)a->max_findings;
    v.opt.binds = a->bind;
    v.opt.skip_lines = (uint64_t)a->skip_lines;
    v.opt.array = a->array;
    if (!a->fix && checked_apart(&(struct checked){ 0 }, &v.opt, a->output, dg) != ST_OK)
        return ST_USAGE;
    st = a->fix || a->cpp ? write_one(&v, argc, argv) : check_given(&v, argc, argv);
    return v.refused ? ST_USAGE : st;
}
