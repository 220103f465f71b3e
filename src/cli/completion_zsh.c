#include "cli/completion.h"
#include "cli/usage.h"

/* A function a command, with specifications for _arguments; shells/dmlop.zsh calls it. */

static void write_list(const struct command *list, struct str *out)
{
    str_puts(out, "_dmlop_commands() {\n    local -a commands\n    commands=(\n");
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
    if (v->words.s)
        str_printf(out, v->names_file ? " _dmlop_bind %s" : "(%s)", v->words.s);
    else if (v->extensions)
        str_printf(out, " _dmlop_files%s%s", *v->extensions ? " " : "", v->extensions);
    else
        str_puts(out, " ");
}

/* Its spellings: '--name=' or '(-n --name)'{-n+,--name=}. */
static void write_spelling(const struct option_row *row, struct str *out)
{
    const char *end = row->kind == OPTION_FLAG       ? ""
                      : row->kind == OPTION_OPTIONAL ? "=-"
                                                     : "=";
    const char *again = row->kind == OPTION_LIST ? "*" : "";

    if (row->letter)
        str_printf(out, "        '(-%c --%s)'%s{-%c%s,--%s%s}'[", row->letter, row->name, again,
                   row->letter, *end ? "+" : "", row->name, end);
    else
        str_printf(out, "        '%s--%s%s[", again, row->name, end);
}

static void write_option(const struct usage *usage, const struct option_row *row, struct str *out)
{
    struct completion_value v = completion_of_row(usage, row);

    write_spelling(row, out);
    completion_quote(out, usage_help(usage->rows, row), "[]\\", "'\\''");
    str_puts(out, "]");
    if (row->kind != OPTION_FLAG) {
        str_printf(out, "%s%s:", row->kind == OPTION_OPTIONAL ? "::" : ":", row->argument);
        write_action(&v, out);
    }
    str_puts(out, "' \\\n");
    completion_free(&v, out);
}

static void write_piece(const struct usage *usage, struct str *out)
{
    struct completion_value operands = completion_of_operands(usage);

    str_printf(out, "\n_dmlop_command_%s() {\n    _arguments -s -S : \\\n", usage->name);
    completion_each(usage, write_option, out);
    if (operands.words.s || operands.extensions) {
        str_puts(out, operands.words.s ? "        '1:operand:" : "        '*:operand:");
        write_action(&operands, out);
        str_puts(out, "'\n}\n");
    } else {
        str_puts(out, "        && return\n}\n");
    }
    completion_free(&operands, out);
}

const struct completion_shell completion_zsh = {
    "zsh",
    "#compdef dmlop\n"
    "# zsh completion for dmlop, as 'dmlop completion zsh' prints it.\n\n",
    write_list, write_piece,
};
