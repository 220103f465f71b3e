#include "base/diag.h"

#include <errno.h>

#include "base/process.h"
#include "base/str.h"

struct process process;

/* Prints by one write, so that lines of several processes do not mix. */
enum status diag_print(struct diag *dg, enum diag_kind kind, enum status st, const char *file,
                       int err, const char *fmt, ...)
{
    struct str line = { 0 }, message = { 0 };
    va_list ap;

    st = err == ENOMEM || err == EMFILE || err == ENFILE ? ST_SYSTEM : st;
    if ((kind == DIAG_WARNING && dg->quiet) || (kind == DIAG_NOTE && !dg->verbose))
        return st;
    str_puts(&line, "dmlop: ");
    if (dg->command)
        str_printf(&line, "%s: ", dg->command);
    if (file && strcmp(file, "-") == 0)
        file = "standard input";
    if (file) {
        str_add_escaped(&line, file, strlen(file));
        str_puts(&line, ": ");
    }
    str_puts(&line, kind == DIAG_WARNING ? "warning: " : "");
    va_start(ap, fmt);
    str_vprintf(&message, fmt, ap);
    va_end(ap);
    if (message.s)
        str_add_escaped(&line, message.s, message.len);
    if (err >= 0)
        str_printf(&line, ": %s", strerror(err));
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

enum status diag_str(struct diag *dg, enum status st, const char *file, struct str *message)
{
    st = message->failed ? diag_nomem(dg) : diag_error(dg, st, file, "%s", message->s);
    str_free(message);
    return st;
}

enum status diag_nomem(struct diag *dg)
{
    (void)diag_error(dg, ST_SYSTEM, NULL, "%s",
                     *process.ran_out ? process.ran_out : "out of memory");
    *process.ran_out = 0;
    return ST_SYSTEM;
}
