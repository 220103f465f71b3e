#pragma once

#include "base/util.h"

struct str;

/* The result of a function that can fail, and the exit status of the program (dmlop(1)). */
enum status {
    ST_OK = 0,
    ST_INVALID = 1,     /* a descriptor or model breaks a rule; tensors differ */
    ST_USAGE = 2,       /* the command line is wrong */
    ST_INPUT = 3,       /* an input cannot be read, understood, or fit its descriptor */
    ST_SYSTEM = 4,      /* an output cannot be written; memory or another resource ran out */
    ST_UNSUPPORTED = 5, /* a model without errors has parts that dmlop cannot compute */
};

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

/* Each function prints one line `dmlop: COMMAND: FILE: MESSAGE`, without command or file if NULL. A
 * file "-" prints as "standard input"; control bytes are escaped. Messages begin in lower case and
 * have no full stop; they name the error, its position and a correction. */

/* An error; returns st, for `return diag_error(...)`, or ST_SYSTEM if memory is short. */
#define diag_error(dg, st, file, ...) diag_print(dg, DIAG_ERROR, st, file, -1, __VA_ARGS__)
#define diag_usage(dg, ...) diag_error(dg, ST_USAGE, NULL, __VA_ARGS__)
#define diag_input(dg, file, ...) diag_error(dg, ST_INPUT, file, __VA_ARGS__)

/* An error with strerror(err) after the message: ST_SYSTEM if memory or descriptors ran out. */
#define diag_errno(dg, st, file, err, ...) diag_print(dg, DIAG_ERROR, st, file, err, __VA_ARGS__)

/* An error whose message is a text, which is freed: ST_SYSTEM if it could not be made. */
enum status diag_str(struct diag *dg, enum status st, const char *file, struct str *message);

/* "out of memory", or what process.ran_out says, which is reset: ST_SYSTEM. */
enum status diag_nomem(struct diag *dg);

/* "warning: ..." unless quiet. */
#define diag_warn(dg, file, ...) (void)diag_print(dg, DIAG_WARNING, ST_OK, file, -1, __VA_ARGS__)

/* Only when verbose, else the arguments are not evaluated. */
#define diag_note(dg, file, ...) \
    (void)((dg)->verbose && diag_print(dg, DIAG_NOTE, ST_OK, file, -1, __VA_ARGS__))

/* What these macros call: err is an errno, below 0 none. Returns st; ST_SYSTEM: memory is short. */
enum diag_kind { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };
enum status diag_print(struct diag *dg, enum diag_kind kind, enum status st, const char *file,
                       int err, const char *fmt, ...) PRINTF_LIKE(6, 7);
