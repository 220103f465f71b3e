#include "cmd/print.h"

enum status print_str(struct str *text, FILE *out, struct diag *dg)
{
    bool failed = text->failed;

    if (!failed && text->len > 0)
        fwrite(text->s, 1, text->len, out);
    str_free(text);
    return failed ? diag_nomem(dg) : ST_OK;
}
