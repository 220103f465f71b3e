#include "base/diag.h"

#include <stdarg.h>
#include <string.h>

#include "base/str.h"

/* Prints one line, at once so that lines of several processes do not mix; false where memory is
 * short. */
static bool print_line(struct diag *dg, const char *kind, const char *file, const char *fmt,
                       va_list ap, const char *tail)
{
    struct str line = { 0 }, message = { 0 };
    bool good;

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
    good = !line.failed && !message.failed;
    if (good)
        fwrite(line.s, 1, line.len, dg->err);
    else
        fputs("dmlop: out of memory\n", dg->err);
    str_free(&message);
    str_free(&line);
    return good;
}

enum status diag_error(struct diag *dg, enum status st, const char *file, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    if (!print_line(dg, "", file, fmt, ap, NULL))
        st = ST_SYSTEM;
    va_end(ap);
    return st;
}

enum status diag_errno(struct diag *dg, enum status st, const char *file, int err, const char *fmt,
                       ...)
{
    va_list ap;

    va_start(ap, fmt);
    if (!print_line(dg, "", file, fmt, ap, strerror(err)))
        st = ST_SYSTEM;
    va_end(ap);
    return st;
}

enum status diag_nomem(struct diag *dg)
{
    return diag_error(dg, ST_SYSTEM, NULL, "out of memory");
}

void diag_warn(struct diag *dg, const char *file, const char *fmt, ...)
{
    va_list ap;

    if (dg->quiet)
        return;
    va_start(ap, fmt);
    print_line(dg, "warning: ", file, fmt, ap, NULL);
    va_end(ap);
}

void diag_note(struct diag *dg, const char *file, const char *fmt, ...)
{
    va_list ap;

    if (!dg->verbose)
        return;
    va_start(ap, fmt);
    print_line(dg, "", file, fmt, ap, NULL);
    va_end(ap);
}
