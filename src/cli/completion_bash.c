#include "cli/completion.h"

/* A function a command, which gets the option whose value is typed; shells/dmlop.bash calls it. */

static void write_list(const struct command *list, struct str *out)
{
    str_puts(out, "_dmlop_commands=(");
    for (const struct command *c = list; c->name; c++)
        str_printf(out, "%s%s", c == list ? "" : " ", c->name);
    str_puts(out, ")\n");
}

static void write_value(const struct completion_value *v, struct str *out)
{
    if (v->words.s)
        str_printf(out, " %s %s", v->names_file ? "_dmlop_bind" : "_dmlop_words", v->words.s);
    else if (v->extensions)
        str_printf(out, " _dmlop_files%s%s", *v->extensions ? " " : "", v->extensions);
}

/* The branch of an option that takes a value. */
static void write_branch(const struct usage *usage, const struct option_row *row, struct str *out)
{
    struct completion_value v = completion_of_row(usage, row);

    if (row->kind != OPTION_FLAG) {
        str_puts(out, "    ");
        if (row->letter)
            str_printf(out, "-%c | ", row->letter);
        if (row->kind != OPTION_OPTIONAL)
            str_printf(out, "--%s | ", row->name);
        str_printf(out, "--%s=)", row->name);
        write_value(&v, out);
        str_puts(out, " ;;\n");
    }
    completion_free(&v, out);
}

static void write_name(const struct usage *usage, const struct option_row *row, struct str *out)
{
    (void)usage;
    if (row->letter)
        str_printf(out, " -%c", row->letter);
    str_printf(out, " --%s", row->name);
    if (row->kind == OPTION_OPTIONAL)
        str_printf(out, " --%s=", row->name);
}

static void write_piece(const struct usage *usage, struct str *out)
{
    struct completion_value operands = completion_of_operands(usage);

    str_printf(out, "\n_dmlop_command_%s() {\n    case $1 in\n", usage->name);
    completion_each(usage, write_branch, out);
    str_puts(out, "    *) _dmlop_options");
    completion_each(usage, write_name, out);
    if (operands.words.s || operands.extensions)
        str_puts(out, " ||");
    write_value(&operands, out);
    str_puts(out, " ;;\n    esac\n}\n");
    completion_free(&operands, out);
}

const struct completion_shell completion_bash = {
    "bash",
    "# bash completion for dmlop, as 'dmlop completion bash' prints it.\n"
    "# shellcheck shell=bash\n\n",
    write_list, write_piece,
};
