#ifndef DMLOP_RUN_REQUEST_H
#define DMLOP_RUN_REQUEST_H

#include "desc/read.h"
#include "op/op.h"
#include "run/operator.h"

/* The first stage of an operator's command: what its command line asks for. No file has been
 * opened. */

/* What an input tensor is taken from. */
struct source {
    const char *text; /* a path ("-": standard input) or numbers; NULL: the tensor is not given */
    const char *option; /* how it is given, for messages: "--a-scale", "operand" */
    size_t numbers;   /* how many text has; 0: it is a path */
};

struct request {
    const struct op_command *oc;
    const struct op_args *args;
    struct desc_options rules;
    struct op_exec exec;
    struct source in[SLOT_COUNT];
    const char *out[SLOT_COUNT]; /* paths; NULL: not written */
    bool emit_only; /* a descriptor or model is written, and nothing is computed */
};

/*
 * Fills *rq from options and operands. rq, and what it points to, lasts as long as args and
 * operand. ST_USAGE, with a message, where a tensor is given twice, or options exclude each other.
 */
enum status request_make(struct request *rq, const struct op_command *oc,
                         const struct op_args *args, int operands, char **operand, struct diag *dg);

/*
 * ST_USAGE, with a message, where a tensor that is needed is not given, or one is that does not
 * exist: by the descriptor d, or where d is NULL by the operator.
 */
enum status request_check_given(const struct request *rq, const struct desc *d, struct diag *dg);

/* Whether an output goes to a person: to standard output that is a terminal, without --format. It
 * is then shown in columns, by run/show_print.h. */
bool request_is_shown(const struct request *rq, const char *path);

/* The format of an output that is a file: as --format says; by the path's extension; as the first
 * input has. */
enum tensor_format request_format(const struct request *rq, const char *path,
                                  enum tensor_format input);

/* Whether the request allows a streamed slice (run/stream.h): before inputs are loaded, which need
 * not be whole then. d is looked at where -d gives it. */
bool request_may_stream(const struct request *rq, const struct desc *d);

/* -v: which kernel runs, and on how many threads. */
void request_note_kernel(const struct desc *d, const char *kernel, int threads, struct diag *dg);

/* Whether tensor f is read as an operand: the operator's data, not its scales and zero points. */
bool request_is_operand(const struct field *f);

#endif
