#ifndef DMLOP_CMD_DRIVER_H
#define DMLOP_CMD_DRIVER_H

#include "base/diag.h"
#include "cmd/option_groups.h"
#include "desc/desc.h"
#include "io/tensor_file.h"

/* The one driver of the operators slice, topk, qmatmul. */

/* Texts of options that are not given are NULL. */
struct slice_args {
    const char *index, *offsets, *sizes, *strides, *output_sizes;
};

struct topk_args {
    const char *k; /* a number, or "all" */
    long axis;
    bool largest, smallest;
    const char *indices;
    int index_type; /* 0: UINT32, 1: UINT64 */
};

struct qmatmul_args {
    const char *a_scale, *a_zero, *b_scale, *b_zero, *c_scale, *c_zero; /* numbers or files */
    int output_type;                                                    /* 0: INT8, 1: UINT8, -1: A's */
    const char *explain;
};

enum output_layout { LAYOUT_LOGICAL, LAYOUT_BUFFER };

/* Every option of the three; a command's rows say which it takes. */
struct op_args {
    struct common_args common;
    struct checking_args checking;
    struct execution_args execution;
    struct timing_args timing;
    struct output_args writing;
    const char *descriptor, *output, *output_dir, *emit, *emit_model;
    struct option_list bind;
    int format;          /* enum tensor_format, or FORMAT_BY_NAME */
    enum output_layout layout;
    enum dtype json_type;
    bool no_progress;
    struct slice_args slice;
    struct topk_args topk;
    struct qmatmul_args qmatmul;
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
    /* Builds the descriptor that the options amount to from the inputs loaded; sets the views of inputs whose
     * shape it changes. ST_USAGE for options that are malformed, ST_INPUT for ones that do not fit. */
    enum status (*describe)(const struct op_args *a, struct binding in[SLOT_COUNT], struct desc *d, struct diag *dg);
};

/* What follows the message that -d and an option for an attribute exclude each other. */
#define DESCRIPTOR_EXCLUDES ": the descriptor has the attributes"

/* Options that all three take, a paragraph. */
extern const struct option_row driver_options[];

/* A whole command, from argv to exit status. */
enum status op_command_run(const struct op_command *oc, int argc, char **argv, struct diag *dg);

/* The command on one set of operands, its options read already. */
enum status op_job_run(const struct op_command *oc, const struct op_args *args, int operands, char **operand,
                       struct diag *dg);

/* Fills d->tensor[slot] with the view's type and sizes, packed. */
void describe_tensor(struct desc *d, unsigned slot, enum dtype type, unsigned rank, const uint64_t *sizes);

#endif
