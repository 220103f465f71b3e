#include <string.h>

#include "cli/completion.h"

/* A line for each option; shells/dmlop.fish has the functions that the lines call. */

static void write_start(const struct command *list, struct str *out)
{
    str_puts(out, "# fish completion for dmlop, as 'dmlop completion fish' prints it.\n\n");
    for (const struct command *c = list; c->name; c++) {
        str_printf(out, "complete -c dmlop -n '__dmlop_using \"\"' -a %s -d '", c->name);
        completion_quote(out, c->summary, "\\", "\\'");
        str_puts(out, "'\n");
    }
}

static void write_value(const struct completion_value *v, struct str *out)
{
    if (v->function && strcmp(v->function, "words") == 0)
        str_printf(out, " -a '%s'", v->args);
    else if (v->function)
        str_printf(out, " -a '(__dmlop_%s%s%s)'", v->function, *v->args ? " " : "", v->args);
}

static void write_line(const struct completion *c, struct str *out)
{
    str_printf(out, "complete -c dmlop -n '__dmlop_using %s'", c->command);
}

static void write_piece(const struct completion *c, struct str *out)
{
    str_puts(out, "\n");
    if (c->operands.function) {
        write_line(c, out);
        write_value(&c->operands, out);
        str_puts(out, "\n");
    }
    for (size_t i = 0; i < c->n; i++) {
        const struct option_row *row = c->options[i].row;

        write_line(c, out);
        str_printf(out, " -l %s", row->name);
        if (row->letter)
            str_printf(out, " -s %c", row->letter);
        if (row->kind != OPTION_FLAG && row->kind != OPTION_OPTIONAL)
            str_puts(out, " -x");
        write_value(&c->options[i].value, out);
        str_puts(out, " -d '");
        completion_quote(out, c->options[i].help, "\\", "\\'");
        str_puts(out, "'\n");
    }
}

const struct completion_shell completion_fish = { "fish", write_start, write_piece };
