#include "cli/print.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum status print_str(struct str *text, struct diag *dg)
{
    bool failed = text->failed;
    size_t n = failed ? 0 : text->len;
    int error;

    errno = 0;
    error = n > 0 && fwrite(text->s, 1, n, stdout) < n ? errno : 0;
    str_free(text);
    if (error == EPIPE) /* the reader closed the pipe; no message */
        return ST_SYSTEM;
    if (error)
        return diag_errno(dg, ST_SYSTEM, "standard output", error, "cannot write");
    return failed ? diag_nomem(dg) : ST_OK;
}

enum status print_json(struct json_writer *w, struct diag *dg)
{
    json_close_to(w, 0);
    str_puts(w->out, "\n");
    return print_str(w->out, dg);
}

const char *shown_path(const char *path) { return strcmp(path, "-") == 0 ? "<stdin>" : path; }

void print_path(const char *path, FILE *out)
{
    const char *end = shown_path(path) + strlen(shown_path(path));
    char text[STR_ESCAPE];
    size_t used;

    for (path = shown_path(path); path < end; path += used) {
        size_t n = str_escape(path, (size_t)(end - path), text, &used);

        fwrite(text, 1, n, out);
    }
}
