#ifndef DMLOP_BASE_DIAG_H
#define DMLOP_BASE_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "base/util.h"

/* Where messages go. A run of the program has one, which is passed down; not for use inside
 * parallel_for. */
struct diag {
    FILE *err;           /* standard error */
    const char *command; /* NULL before one is known */
    bool quiet;          /* no warnings */
    bool verbose;        /* diag_note prints */
    /* Called before each line, to make room for it on a terminal; may be NULL. */
    void (*before_line)(void *context);
    void *context;
};

/*
 * Each prints one line `dmlop: COMMAND: FILE: MESSAGE` (command and file left
 * out where NULL; a "-" file prints as "standard input"; control bytes
 * escaped). Messages begin in lower case and have no full stop; they say what is
 * wrong, where, and how to correct it.
 */

/* An error; returns st, so that `return diag_error(...)` reads well: ST_SYSTEM where memory is too
 * short for the message. */
enum status diag_error(struct diag *dg, enum status st, const char *file, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* An error with strerror(err) after the message. */
enum status diag_errno(struct diag *dg, enum status st, const char *file, int err, const char *fmt,
                       ...) PRINTF_LIKE(5, 6);

/* "out of memory": ST_SYSTEM. */
enum status diag_nomem(struct diag *dg);

/* "warning: ..." unless quiet. */
void diag_warn(struct diag *dg, const char *file, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Only when verbose. */
void diag_note(struct diag *dg, const char *file, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
