#pragma once

#include "op/op.h"
#include "run/operator.h"

/* The first stage of an operator's command: what the command line requests. No file is open. */

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

/* The second stage of an operator's command: the requested tensors, and the descriptor, read or
 * made from options. */

/* An input tensor. */
struct loaded {
    struct tensor_file file; /* of numbers, only their count */
    void *owned;             /* converted or copied values; NULL: none */
    struct tensor view;      /* in its description's shape; no data while file.input.more is set */
};

struct inputs {
    struct desc desc; /* of the whole job */
    struct loaded v[SLOT_COUNT];
};

/* Reads or makes the descriptor, opens all inputs, and checks both against the rules. Elements stay
 * unread if a streamed slice may read them from a pipe. Sets times->load and times->validate.
 * ST_INVALID, ST_INPUT, ST_USAGE or ST_SYSTEM, with messages. Zero-initialise; release with
 * inputs_close, after an error too. */
enum status inputs_load(struct inputs *in, const struct request *rq, struct phases *times,
                        struct diag *dg);

/* Reads a scale or zero point, numbers or a file, as a type: l->view has strides for the axes of t.
 * Release l->file and l->owned, after an error too. */
enum status parameter_read(struct loaded *l, const char *option, const struct option_list *words,
                           enum dtype type, const struct tensor *t, struct diag *dg);

/* ST_INPUT, with a message, if a file became shorter since it was opened. */
enum status inputs_intact(const struct inputs *in, struct diag *dg);

/* With -v prints "x.npy: InputTensor is FLOAT32 {3,4}". */
void inputs_note_tensor(const char *path, const char *name, const struct tensor *t,
                        struct diag *dg);

void inputs_close(struct inputs *in);

/* Findings in a descriptor made from options, or in tensors bound to a descriptor, reported in
 * terms of the command line. */

/* Checks a descriptor made from options against the rules that concern safety, and not against
 * limits of DirectML. untyped[slot]: the input is JSON without a type. ST_USAGE for a value that is
 * wrong for every input, else ST_INPUT, after a message for each finding. */
enum status judge_options(const struct request *rq, const struct desc *d,
                          const bool untyped[SLOT_COUNT], struct diag *dg);

/* Warns of everything in such a descriptor that DirectML rejects at the request's feature level. */
enum status judge_limits(const struct request *rq, const struct desc *d, struct diag *dg);

/* Checks t, of `count` elements, which the request gives for field f, against its description in d.
 * ST_INPUT, after messages. */
enum status judge_input(const struct request *rq, const struct desc *d, const struct field *f,
                        const struct tensor *t, uint64_t count, struct diag *dg);
