#ifndef DMLOP_BASE_DIAG_H
#define DMLOP_BASE_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "base/util.h"

struct str;

/* The destination of messages. A run of the program has one, which is passed down; not for use
 * inside parallel_for. */
struct diag {
    FILE *err;           /* standard error */
    struct str *text;    /* takes the lines instead; NULL: err */
    const char *command; /* NULL before one is known */
    bool quiet;          /* no warnings */
    bool verbose;        /* diag_note prints */
    /* called before each line, to clear a progress line; may be NULL */
    void (*before_line)(void *context);
    void *context;
};

/*
 * Each function prints one line `dmlop: COMMAND: FILE: MESSAGE`, without command or file if NULL. A
 * file "-" prints as "standard input"; control bytes are escaped. Messages begin in lower case and
 * have no full stop; they name the error, its position and a correction.
 */

/* An error; returns st, for `return diag_error(...)`, or ST_SYSTEM if memory is short. */
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
