#include <string.h>

#include "cli/completion.h"

/* A row for each option; shells/dmlop.powershell has the function that reads them. */

static void write_text(const char *text, struct str *out)
{
    str_puts(out, "'");
    completion_quote(out, text, "", "''");
    str_puts(out, "'");
}

static void write_start(const struct command *list, struct str *out)
{
    str_puts(out, "# PowerShell completion for dmlop, as 'dmlop completion powershell' prints it.\n"
                  "$global:dmlopOptions = @{}\n$global:dmlopCommands = [ordered]@{\n");
    for (const struct command *c = list; c->name; c++) {
        str_printf(out, "    '%s' = ", c->name);
        write_text(c->summary, out);
        str_puts(out, "\n");
    }
    str_puts(out, "}\n");
}

/* Names, kind of value with its words, and help. */
static void write_row(const char *names, const struct completion_value *v, const char *help,
                      struct str *out)
{
    str_printf(out, "    , @('%s', ", names);
    write_text(v->function ? v->function : "", out);
    str_puts(out, ", ");
    write_text(v->function ? v->args : "", out);
    str_puts(out, ", ");
    write_text(help, out);
    str_puts(out, ")\n");
}

static void write_piece(const struct completion *c, struct str *out)
{
    str_printf(out, "$dmlopOptions['%s'] = @(\n", c->command);
    for (size_t i = 0; i < c->n; i++) {
        const struct option_row *row = c->options[i].row;
        bool value = row->kind != OPTION_FLAG && row->kind != OPTION_OPTIONAL;
        char names[64];

        snprintf(names, sizeof names, "--%s%s%s%.1s", row->name, value ? "=" : "",
                 row->letter ? " -" : "", &row->letter);
        write_row(names, &c->options[i].value, c->options[i].help, out);
    }
    write_row("", &c->operands, "", out);
    str_puts(out, ")\n");
}

const struct completion_shell completion_powershell = { "powershell", write_start, write_piece };
