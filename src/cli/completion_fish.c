#include "cli/completion.h"
#include "cli/usage.h"

/* A line an option; what the lines call is in shells/dmlop.fish. */

static void write_list(const struct command *list, struct str *out)
{
    for (const struct command *c = list; c->name; c++) {
        str_printf(out, "complete -c dmlop -n '__dmlop_using \"\"' -a %s -d '", c->name);
        completion_quote(out, c->summary, "\\", "\\'");
        str_puts(out, "'\n");
    }
}

static void write_value(const struct completion_value *v, struct str *out)
{
    if (v->words.s)
        str_printf(out, v->names_file ? " -a '(__dmlop_bind %s)'" : " -a '%s'", v->words.s);
    else if (v->extensions)
        str_printf(out, " -a '(__dmlop_files%s%s)'", *v->extensions ? " " : "", v->extensions);
}

static void write_start(const struct usage *usage, struct str *out)
{
    str_printf(out, "complete -c dmlop -n '__dmlop_using %s'", usage->name);
}

static void write_option(const struct usage *usage, const struct option_row *row, struct str *out)
{
    struct completion_value v = completion_of_row(usage, row);

    write_start(usage, out);
    str_printf(out, " -l %s", row->name);
    if (row->letter)
        str_printf(out, " -s %c", row->letter);
    if (row->kind != OPTION_FLAG && row->kind != OPTION_OPTIONAL)
        str_puts(out, " -x");
    write_value(&v, out);
    str_puts(out, " -d '");
    completion_quote(out, usage_help(usage->rows, row), "\\", "\\'");
    str_puts(out, "'\n");
    completion_free(&v, out);
}

static void write_piece(const struct usage *usage, struct str *out)
{
    struct completion_value operands = completion_of_operands(usage);

    str_puts(out, "\n");
    if (operands.words.s || operands.extensions) {
        write_start(usage, out);
        write_value(&operands, out);
        str_puts(out, "\n");
    }
    completion_each(usage, write_option, out);
    completion_free(&operands, out);
}

const struct completion_shell completion_fish = {
    "fish",
    "# fish completion for dmlop, as 'dmlop completion fish' prints it.\n\n",
    write_list, write_piece,
};
