#include "cli/completion.h"

/* A function for each command, which gets the option whose value is typed; shells/dmlop.bash calls
 * it. */

static void write_start(const struct command *list, struct str *out)
{
    str_puts(out, "# bash completion for dmlop, as 'dmlop completion bash' prints it.\n"
                  "# shellcheck shell=bash\n\n_dmlop_commands=(");
    for (const struct command *c = list; c->name; c++)
        str_printf(out, "%s%s", c == list ? "" : " ", c->name);
    str_puts(out, ")\n");
}

static void write_value(const struct completion_value *v, struct str *out)
{
    if (v->function)
        str_printf(out, " _dmlop_%s%s%s", v->function, *v->args ? " " : "", v->args);
}

/* The branch of an option that takes a value. */
static void write_branch(const struct completion_option *option, struct str *out)
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
    write_value(&option->value, out);
    str_puts(out, " ;;\n");
}

static void write_name(const struct option_row *row, struct str *out)
{
    if (row->letter)
        str_printf(out, " -%c", row->letter);
    str_printf(out, " --%s", row->name);
    if (row->kind == OPTION_OPTIONAL)
        str_printf(out, " --%s=", row->name);
}

static void write_piece(const struct completion *c, struct str *out)
{
    str_printf(out, "\n_dmlop_command_%s() {\n    case $1 in\n", c->command);
    for (size_t i = 0; i < c->n; i++)
        write_branch(&c->options[i], out);
    str_puts(out, "    *) _dmlop_options");
    for (size_t i = 0; i < c->n; i++)
        write_name(c->options[i].row, out);
    if (c->operands.function)
        str_puts(out, " ||");
    write_value(&c->operands, out);
    str_puts(out, " ;;\n    esac\n}\n");
}

const struct completion_shell completion_bash = { "bash", write_start, write_piece };
