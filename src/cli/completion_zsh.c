#include <string.h>

#include "cli/completion.h"

/* A function for each command, with specifications for _arguments; shells/dmlop.zsh calls it. */

static void write_start(const struct command *list, struct str *out)
{
    str_puts(out, "#compdef dmlop\n"
                  "# zsh completion for dmlop, as 'dmlop completion zsh' prints it.\n\n"
                  "_dmlop_commands() {\n    local -a commands\n    commands=(\n");
    for (const struct command *c = list; c->name; c++) {
        str_printf(out, "        '%s:", c->name);
        completion_quote(out, c->summary, ":\\", "'\\''");
        str_puts(out, "'\n");
    }
    str_puts(out, "    )\n    _describe command commands\n}\n");
}

/* The action of a value. After a blank, a function gets no options of compadd; a blank alone offers
 * nothing. */
static void write_action(const struct completion_value *v, struct str *out)
{
    if (v->function && strcmp(v->function, "words") == 0)
        str_printf(out, "(%s)", v->args);
    else if (v->function)
        str_printf(out, " _dmlop_%s%s%s", v->function, *v->args ? " " : "", v->args);
    else
        str_puts(out, " ");
}

/* The spellings of an option: '--name=' or '(-n --name)'{-n+,--name=}. */
static void write_spelling(const struct option_row *row, struct str *out)
{
    const char *end = row->kind == OPTION_FLAG ? "" : row->kind == OPTION_OPTIONAL ? "=-" : "=";
    const char *again = row->kind == OPTION_LIST ? "*" : "";

    if (row->letter)
        str_printf(out, "        '(-%c --%s)'%s{-%c%s,--%s%s}'[", row->letter, row->name, again,
                   row->letter, *end ? "+" : "", row->name, end);
    else
        str_printf(out, "        '%s--%s%s[", again, row->name, end);
}

static void write_option(const struct completion_option *option, struct str *out)
{
    const struct option_row *row = option->row;

    write_spelling(row, out);
    completion_quote(out, option->help, "[]\\", "'\\''");
    str_puts(out, "]");
    if (row->kind != OPTION_FLAG) {
        str_printf(out, "%s%s:", row->kind == OPTION_OPTIONAL ? "::" : ":", row->argument);
        write_action(&option->value, out);
    }
    str_puts(out, "' \\\n");
}

static void write_piece(const struct completion *c, struct str *out)
{
    bool words = c->operands.function && strcmp(c->operands.function, "files") != 0;

    str_printf(out, "\n_dmlop_command_%s() {\n    _arguments -s -S : \\\n", c->command);
    for (size_t i = 0; i < c->n; i++)
        write_option(&c->options[i], out);
    if (c->operands.function) {
        str_puts(out, words ? "        '1:operand:" : "        '*:operand:");
        write_action(&c->operands, out);
        str_puts(out, "'\n}\n");
    } else {
        str_puts(out, "        && return\n}\n");
    }
}

const struct completion_shell completion_zsh = { "zsh", write_start, write_piece };
