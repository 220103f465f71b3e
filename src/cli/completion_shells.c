#include <string.h>

#include "cli/completion.h"

/* What differs between shells: src/cli/shells/ has the functions that these pieces call. */

/* Adds a text with backslashes before the characters of `special` and with `instead` for each
 * single quote, for the inside of a shell's single quotes. */
static void quote(struct str *out, const char *text, const char *special, const char *instead)
{
    for (; *text; text++) {
        if (*text == '\'')
            str_puts(out, instead);
        else
            str_printf(out, "%s%c", strchr(special, *text) ? "\\" : "", *text);
    }
}

/* A call of the function that completes a value. */
static void write_call(const struct completion_value *v, struct str *out)
{
    if (v->function)
        str_printf(out, " _dmlop_%s%s%s", v->function, *v->args ? " " : "", v->args);
}

/* bash: a function for each command, which gets the option whose value is typed. */

static void bash_start(const struct command *list, struct str *out)
{
    str_puts(out, "# bash completion for dmlop, as 'dmlop completion bash' prints it.\n"
                  "# shellcheck shell=bash\n\n_dmlop_commands=(");
    for (const struct command *c = list; c->name; c++)
        str_printf(out, "%s%s", c == list ? "" : " ", c->name);
    str_puts(out, ")\n");
}

/* The branch of an option that takes a value. */
static void bash_branch(const struct completion_option *option, struct str *out)
{
    const struct option_row *row = option->row;

    if (row->kind == OPTION_FLAG)
        return;
    str_puts(out, "    ");
    if (row->letter)
        str_printf(out, "-%c | ", row->letter);
    if (row->kind != OPTION_OPTIONAL)
        str_printf(out, "--%s | ", row->name);
    str_printf(out, "--%s=)", row->name);
    write_call(&option->value, out);
    str_puts(out, " ;;\n");
}

static void bash_name(const struct option_row *row, struct str *out)
{
    if (row->letter)
        str_printf(out, " -%c", row->letter);
    str_printf(out, " --%s", row->name);
    if (row->kind == OPTION_OPTIONAL)
        str_printf(out, " --%s=", row->name);
}

static void bash_piece(const struct completion *c, struct str *out)
{
    str_printf(out, "\n_dmlop_command_%s() {\n    case $1 in\n", c->command);
    for (size_t i = 0; i < c->n; i++)
        bash_branch(&c->options[i], out);
    str_puts(out, "    *) _dmlop_options");
    for (size_t i = 0; i < c->n; i++)
        bash_name(c->options[i].row, out);
    if (c->operands.function)
        str_puts(out, " ||");
    write_call(&c->operands, out);
    str_puts(out, " ;;\n    esac\n}\n");
}

/* zsh: a function for each command, with specifications for _arguments. */

static void zsh_start(const struct command *list, struct str *out)
{
    str_puts(out, "#compdef dmlop\n"
                  "# zsh completion for dmlop, as 'dmlop completion zsh' prints it.\n\n"
                  "_dmlop_commands() {\n    local -a commands\n    commands=(\n");
    for (const struct command *c = list; c->name; c++) {
        str_printf(out, "        '%s:", c->name);
        quote(out, c->summary, ":\\", "'\\''");
        str_puts(out, "'\n");
    }
    str_puts(out, "    )\n    _describe command commands\n}\n");
}

/* The action of a value. After a blank, a function gets no options of compadd; a blank alone offers
 * nothing. */
static void zsh_action(const struct completion_value *v, struct str *out)
{
    if (v->function && strcmp(v->function, "words") == 0)
        str_printf(out, "(%s)", v->args);
    else if (v->function)
        write_call(v, out);
    else
        str_puts(out, " ");
}

/* The spellings of an option: '--name=' or '(-n --name)'{-n+,--name=}. */
static void zsh_spelling(const struct option_row *row, struct str *out)
{
    const char *end = row->kind == OPTION_FLAG ? "" : row->kind == OPTION_OPTIONAL ? "=-" : "=";
    const char *again = row->kind == OPTION_LIST ? "*" : "";

    if (row->letter)
        str_printf(out, "        '(-%c --%s)'%s{-%c%s,--%s%s}'[", row->letter, row->name, again,
                   row->letter, *end ? "+" : "", row->name, end);
    else
        str_printf(out, "        '%s--%s%s[", again, row->name, end);
}

static void zsh_option(const struct completion_option *option, struct str *out)
{
    const struct option_row *row = option->row;

    zsh_spelling(row, out);
    quote(out, option->help, "[]\\", "'\\''");
    str_puts(out, "]");
    if (row->kind != OPTION_FLAG) {
        str_printf(out, "%s%s:", row->kind == OPTION_OPTIONAL ? "::" : ":", row->argument);
        zsh_action(&option->value, out);
    }
    str_puts(out, "' \\\n");
}

static void zsh_piece(const struct completion *c, struct str *out)
{
    bool words = c->operands.function && strcmp(c->operands.function, "files") != 0;

    str_printf(out, "\n_dmlop_command_%s() {\n    _arguments -s -S : \\\n", c->command);
    for (size_t i = 0; i < c->n; i++)
        zsh_option(&c->options[i], out);
    if (c->operands.function) {
        str_puts(out, words ? "        '1:operand:" : "        '*:operand:");
        zsh_action(&c->operands, out);
        str_puts(out, "'\n}\n");
    } else {
        str_puts(out, "        && return\n}\n");
    }
}

/* fish: a line for each option. */

static void fish_start(const struct command *list, struct str *out)
{
    str_puts(out, "# fish completion for dmlop, as 'dmlop completion fish' prints it.\n\n");
    for (const struct command *c = list; c->name; c++) {
        str_printf(out, "complete -c dmlop -n '__dmlop_using \"\"' -a %s -d '", c->name);
        quote(out, c->summary, "\\", "\\'");
        str_puts(out, "'\n");
    }
}

static void fish_value(const struct completion_value *v, struct str *out)
{
    if (v->function && strcmp(v->function, "words") == 0)
        str_printf(out, " -a '%s'", v->args);
    else if (v->function)
        str_printf(out, " -a '(__dmlop_%s%s%s)'", v->function, *v->args ? " " : "", v->args);
}

static void fish_line(const struct completion *c, struct str *out)
{
    str_printf(out, "complete -c dmlop -n '__dmlop_using %s'", c->command);
}

static void fish_piece(const struct completion *c, struct str *out)
{
    str_puts(out, "\n");
    if (c->operands.function) {
        fish_line(c, out);
        fish_value(&c->operands, out);
        str_puts(out, "\n");
    }
    for (size_t i = 0; i < c->n; i++) {
        const struct option_row *row = c->options[i].row;

        fish_line(c, out);
        str_printf(out, " -l %s", row->name);
        if (row->letter)
            str_printf(out, " -s %c", row->letter);
        if (row->kind != OPTION_FLAG && row->kind != OPTION_OPTIONAL)
            str_puts(out, " -x");
        fish_value(&c->options[i].value, out);
        str_puts(out, " -d '");
        quote(out, c->options[i].help, "\\", "\\'");
        str_puts(out, "'\n");
    }
}

/* PowerShell: a row for each option. */

static void powershell_text(const char *text, struct str *out)
{
    str_puts(out, "'");
    quote(out, text, "", "''");
    str_puts(out, "'");
}

static void powershell_start(const struct command *list, struct str *out)
{
    str_puts(out, "# PowerShell completion for dmlop, as 'dmlop completion powershell' prints it.\n"
                  "$global:dmlopOptions = @{}\n$global:dmlopCommands = [ordered]@{\n");
    for (const struct command *c = list; c->name; c++) {
        str_printf(out, "    '%s' = ", c->name);
        powershell_text(c->summary, out);
        str_puts(out, "\n");
    }
    str_puts(out, "}\n");
}

/* Names, kind of value with its words, and help. */
static void powershell_row(const char *names, const struct completion_value *v, const char *help,
                           struct str *out)
{
    str_printf(out, "    , @('%s', ", names);
    powershell_text(v->function ? v->function : "", out);
    str_puts(out, ", ");
    powershell_text(v->function ? v->args : "", out);
    str_puts(out, ", ");
    powershell_text(help, out);
    str_puts(out, ")\n");
}

static void powershell_piece(const struct completion *c, struct str *out)
{
    str_printf(out, "$dmlopOptions['%s'] = @(\n", c->command);
    for (size_t i = 0; i < c->n; i++) {
        const struct option_row *row = c->options[i].row;
        bool value = row->kind != OPTION_FLAG && row->kind != OPTION_OPTIONAL;
        char names[64];

        snprintf(names, sizeof names, "--%s%s%s%.1s", row->name, value ? "=" : "",
                 row->letter ? " -" : "", &row->letter);
        powershell_row(names, &c->options[i].value, c->options[i].help, out);
    }
    powershell_row("", &c->operands, "", out);
    str_puts(out, ")\n");
}

const struct completion_shell completion_list[] = {
    { "bash", bash_start, bash_piece },
    { "zsh", zsh_start, zsh_piece },
    { "fish", fish_start, fish_piece },
    { "powershell", powershell_start, powershell_piece },
    { NULL, NULL, NULL },
};
