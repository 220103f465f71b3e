#pragma once

#include "run/request.h"

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
