#include "cmd/print.h"

#include <stdio.h>
#include <string.h>

#include "kernel/prefetch.h"

enum status print_str(struct str *text, struct diag *dg)
{
    bool failed = text->failed;

    if (!failed && text->len > 0)
        fwrite(text->s, 1, text->len, stdout);
    str_free(text);
    return failed ? diag_nomem(dg) : ST_OK;
}

enum status print_json(struct json_writer *w, struct diag *dg)
{
    json_close_to(w, 0);
    str_puts(w->out, "\n");
    return print_str(w->out, dg);
}

const char *shown_path(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

void print_prefetch(void)
{
    char why[PREFETCH_WHY];

    prefetch_why(cpu_model(), why, sizeof why);
    printf("prefetch: %s (%s)\n", prefetch_name(prefetch_resolve(PREFETCH_AUTO)), why);
}
