#ifndef DMLOP_CMD_DRIVER_H
#define DMLOP_CMD_DRIVER_H

#include "base/diag.h"
#include "cmd/options.h"
#include "desc/desc.h"
#include "io/tensor_file.h"

/* The one driver of the operators slice, topk, qmatmul. */

/* Every option of the three; a command's tables say which it takes. */
struct op_args {
    const char *descriptor, *output, *output_dir, *indices, *format, *layout, *emit, *emit_model, *timings;
    const char *threads, *kernel, *repeat, *min_time, *warmup, *dtype, *level, *color;
    bool relaxed, no_sync, no_clobber, no_progress, samples, quiet, verbose, help;
    struct option_list bind;
    const char *index, *offsets, *sizes, *strides, *output_sizes; /* slice */
    const char *k, *axis, *index_type;                            /* topk */
    bool largest, smallest;
    const char *a_scale, *a_zero, *b_scale, *b_zero, *c_scale, *c_zero, *output_type, *explain; /* qmatmul */
};

/* What stands for one input tensor. */
struct binding {
    const char *text;        /* path, or a number where the option takes one; NULL: none */
    const char *option;      /* how it is given on the command line, for messages: "--a-scale" */
    bool is_number;
    struct tensor_file file; /* loaded, unless a number */
    void *owned;             /* converted values; NULL for none */
    struct tensor view;      /* in the shape of the descriptor */
};

struct op_command {
    enum op op;              /* the one that options describe: SLICE1, TOP_K1, QMATMUL */
    const struct usage *usage;
    unsigned operands;
    unsigned operand_slot[2];
    /* The first attribute option that was given, or NULL: those that -d excludes. */
    const char *(*attribute)(const struct op_args *a);
    /* Builds the descriptor that the options amount to from the inputs loaded; sets the views of inputs whose
     * shape it changes. ST_USAGE for options that are malformed, ST_INPUT for ones that do not fit. */
    enum status (*describe)(const struct op_args *a, struct binding in[SLOT_COUNT], struct desc *d, struct diag *dg);
};

/* Option rows that all three take. */
extern const struct option_row common_options[];

/* A whole command, from argv to exit status. */
enum status op_command_run(const struct op_command *oc, int argc, char **argv, struct diag *dg);

/* The command on one set of operands, its options read already. */
enum status op_job_run(const struct op_command *oc, const struct op_args *args, int operands, char **operand,
                       struct diag *dg);

/* Fills d->tensor[slot] with the view's type and sizes, packed. */
void describe_tensor(struct desc *d, unsigned slot, enum dtype type, unsigned rank, const uint64_t *sizes);

#endif
