#include "base/diag.h"

#include <stdarg.h>
#include <string.h>

#include "base/str.h"

/* Prints one line, by one write so that lines of several processes do not mix. Returns st, or
 * ST_SYSTEM if memory is short. */
static enum status print_line(struct diag *dg, enum status st, const char *kind, const char *file,
                              const char *fmt, va_list ap, const char *tail)
{
    struct str line = { 0 }, message = { 0 };

    str_puts(&line, "dmlop: ");
    if (dg->command)
        str_printf(&line, "%s: ", dg->command);
    if (file && strcmp(file, "-") == 0)
        file = "standard input";
    if (file) {
        str_add_escaped(&line, file, strlen(file));
        str_puts(&line, ": ");
    }
    str_puts(&line, kind);
    str_vprintf(&message, fmt, ap);
    if (message.s)
        str_add_escaped(&line, message.s, message.len);
    if (tail)
        str_printf(&line, ": %s", tail);
    str_puts(&line, "\n");
    if (dg->before_line)
        dg->before_line(dg->context);
    if (dg->err == stderr)
        (void)fflush(stdout); /* keeps the order if both go to one file */
    line.failed = line.failed || message.failed;
    st = line.failed ? ST_SYSTEM : st;
    if (dg->text && !line.failed)
        str_add(dg->text, line.s, line.len);
    else if (line.failed)
        fputs("dmlop: out of memory\n", dg->err);
    else
        fwrite(line.s, 1, line.len, dg->err);
    str_free(&message);
    str_free(&line);
    return st;
}

enum status diag_error(struct diag *dg, enum status st, const char *file, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    st = print_line(dg, st, "", file, fmt, ap, NULL);
    va_end(ap);
    return st;
}

enum status diag_errno(struct diag *dg, enum status st, const char *file, int err, const char *fmt,
                       ...)
{
    va_list ap;

    va_start(ap, fmt);
    st = print_line(dg, st, "", file, fmt, ap, strerror(err));
    va_end(ap);
    return st;
}

enum status diag_nomem(struct diag *dg) { return diag_error(dg, ST_SYSTEM, NULL, "out of memory"); }

void diag_warn(struct diag *dg, const char *file, const char *fmt, ...)
{
    va_list ap;

    if (dg->quiet)
        return;
    va_start(ap, fmt);
    print_line(dg, ST_OK, "warning: ", file, fmt, ap, NULL);
    va_end(ap);
}

void diag_note(struct diag *dg, const char *file, const char *fmt, ...)
{
    va_list ap;

    if (!dg->verbose)
        return;
    va_start(ap, fmt);
    print_line(dg, ST_OK, "", file, fmt, ap, NULL);
    va_end(ap);
}
