#pragma once

#include "op/op.h"
#include "run/operator.h"

/* The first stage of an operator's command: what the command line requests. No file has been
 * opened. */

/* Where an input tensor comes from. */
struct tensor_argument {
    const char *text;   /* a path ("-": standard input) or the first number; NULL: not given */
    const char *option; /* for messages: "--a-scale", "operand" */
    const struct option_list *list; /* the words of numbers */
    size_t numbers;                 /* count of these; 0: text is a path */
};

struct request {
    const struct op_command *oc;
    const struct op_args *args;
    struct desc_options rules;
    struct op_exec exec;
    struct tensor_argument in[SLOT_COUNT];
    const char *out[SLOT_COUNT]; /* paths; NULL: not written */
    bool emit_only;              /* write a descriptor or model, compute nothing */
    bool whole; /* set by the caller: inputs are read as a whole, also from pipes */
};

/* Fills *rq from options and operands, which must outlive it. ST_USAGE, with a message, if a tensor
 * is given twice or options exclude each other. */
enum status request_make(struct request *rq, const struct op_args *args, int operands,
                         char **operand, struct diag *dg);

/* Sets *s by the words for a scale or zero point. ST_USAGE, with a message, for a malformed number
 * or list, for which "no such file" would mislead. */
enum status parameter_argument(struct tensor_argument *s, const char *option,
                               const struct option_list *words, struct diag *dg);

/* ST_USAGE, with a message, if a required tensor is not given, or the given one does not exist. d:
 * the descriptor of -d; NULL: check the operator's required tensors. */
enum status request_check_given(const struct request *rq, const struct desc *d, struct diag *dg);

/* ST_USAGE, with a message, if a file that is written is one that the command reads. Results may
 * replace inputs, which are read before, and the descriptor is written anew as it is understood. */
enum status request_check_apart(const struct request *rq, struct diag *dg);

/* The format of an output file: by --format, by the path's extension, or that of the first input.
 */
enum tensor_format request_format(const struct request *rq, const char *path,
                                  enum tensor_format input);

/* True if the options allow a streamed slice (stream_run), so that inputs need not be read
 * completely. d is used only with -d. */
bool request_may_stream(const struct request *rq, const struct desc *d);

/* True if tensor f is an operand: input data, not a scale or zero point. */
static inline bool request_is_operand(const struct field *f)
{
    return f->kind == FIELD_TENSOR && !f->output && f->use.role == ROLE_DATA;
}
