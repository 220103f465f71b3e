#include "cli/option_groups.h"
#include "cli/print.h"
#include "cli/usage.h"
#include "cmd/commands.h"
#include "desc/schema.h"
#include "os/process.h"

extern const char cli_help[];

const struct command commands[] = {
#define X(name, summary) { #name, summary, cmd_##name, name##_options },
    COMMANDS(X)
#undef X
        { .name = NULL },
};

/* Manual pages not of a command, with the command to run if there is no man, and its option. */
#define TOPICS(X) \
    X(rules, "validate", "--rules") \
    X(descriptor, "validate", "--template=slice1") \
    X(model, "validate", "--template=model") \
    X(operators, "validate", NULL) \
    X(parts, "join", "--help") \
    X(dump, "validate", "--dump-header")

static const struct topic {
    const char *name, *command, *option;
} topics[] = {
#define X(name, command, option) { #name, command, option },
    TOPICS(X)
#undef X
        { NULL, NULL, NULL },
};

/* The commands, then the topics. */
static const char *const names[] = {
#define X(name, ...) #name,
    COMMANDS(X) TOPICS(X)
#undef X
        NULL,
};

/* What other programs call a command. */
static const char *const called[][2] = {
#include "cli/called_commands_rows.h"
};

enum { TOPICS = ARRAY_LEN(topics) - 1, NAMES = ARRAY_LEN(names) - 1 };

enum status usage_unknown(const char *what, const char *name, const char *const known[], size_t n,
                          const char *otherwise, struct diag *dg)
{
    size_t near = str_nearest(name, known, n);

    if (near < n)
        return usage_error(dg, "%s '%s'; did you mean '%s'?", what, name, known[near]);
    return usage_error(dg, "%s '%s'%s", what, name, otherwise);
}

static const struct command *find_command(const char *name)
{
    for (const struct command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

const struct command *command_find(const char *name, struct diag *dg)
{
    const struct command *c = find_command(name);

    for (size_t i = 0; !c && i < ARRAY_LEN(called); i++)
        if (strcmp(name, called[i][0]) == 0) {
            usage_error(dg, "unknown command '%s'; did you mean '%s'?", name, called[i][1]);
            return NULL;
        }
    if (!c)
        usage_unknown("unknown command", name, names, NAMES - TOPICS, "", dg);
    return c;
}

void print_help(FILE *out)
{
    for (const char *line = embedded_find(cli_help, "dmlop.txt"); line; line = strchr(line, '\n')) {
        line += *line == '\n';
        for (const struct command *c = commands; *line == '@' && c->name; c++) {
            fprintf(out, "  %-11s ", c->name);
            usage_text(out, c->summary, 14, 14);
        }
        if (*line == '\n')
            fputc('\n', out);
        else if (*line != '@')
            usage_text(out, line, 0, 0);
    }
}

enum status cmd_completion(int argc, char **argv, struct diag *dg)
{
    struct common_args args = { .color = COLOR_AUTO };
    enum status st;

    if (!command_begin(completion_options, &args, &argc, &argv, &st, dg))
        return st;
    if (argc != 1)
        return usage_error(dg, "takes one shell: bash, zsh, fish or powershell");
    st = completion_print(argv[0], commands, dg);
    return st == ST_USAGE ? usage_hint(dg) : st;
}

#include "cmd/commands_rows.h"

/* Prints all operators, with what they do, in place of dmlop-operators(7). */
static enum status print_operators(struct diag *dg)
{
    struct str b = { 0 };

    for (size_t i = 0; i < schema_count(); i++)
        str_printf(&b, "%s\n    %s\n", schema_name(i), schema_at(i)->about);
    return print_str(&b, dg);
}

enum status cmd_help(int argc, char **argv, struct diag *dg)
{
    const struct topic *topic = topics;
    const struct op_schema *op;
    const struct command *c;
    char page[80];

    if (argc > 2)
        return usage_error(dg, "takes the name of one command");
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return ST_OK;
    }
    while (topic->name && strcmp(topic->name, argv[1]) != 0)
        topic++;
    c = find_command(topic->name ? topic->command : argv[1]);
    op = !c && schema_index(argv[1]) < schema_count() ? schema_at(schema_index(argv[1])) : NULL;
    if (op)
        c = find_command("validate");
    if (!c)
        return usage_unknown(
            "there is no help on", argv[1], names, NAMES,
            "; give a command, an operator, rules, descriptor, model, operators, parts or dump",
            dg);
    snprintf(page, sizeof page, "dmlop-%s", argv[1]);
    (void)fflush(stdout);
    if (!op && os_show_manual(page))
        return ST_OK;
    if (!op)
        diag_print(dg, DIAG_WARNING, ST_OK, NULL, -1,
                   "there is no man here, or no page %s; this is what the program says itself",
                   page);
    if (topic->name && !topic->option)
        return print_operators(dg);
    dg->command = c->name;
    if (op)
        snprintf(page, sizeof page, "--template=%s", op->name);
    else
        snprintf(page, sizeof page, "%s", topic->name ? topic->option : "--help");
    return c->run(2, (char *[]){ argv[1], page, NULL }, dg);
}
