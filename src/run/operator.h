#pragma once

#include "run/tensor_options.h"
#include "run/shared_options.h"

/* The commands of the operators, slice, topk and qmatmul: their options and how they run. */

/* Texts of options that are not given are NULL. */
struct slice_args {
    const char *index;
    struct option_list offsets, sizes, strides, output_sizes; /* the words of a list */
};

struct topk_args {
    const char *k; /* a number, or "all" */
    long axis;
    bool largest, smallest;
    int nan; /* 0: greatest, 1: last */
    const char *indices;
    int index_type; /* 0: UINT32, 1: UINT64, 2: INT64 */
};

enum { OUTPUT_INT8, OUTPUT_UINT8, OUTPUT_INT32 /* the exact sums */ };

struct qmatmul_args {
    struct option_list parameter[SLOT_COUNT]; /* scales and zero points: numbers or a file */
    struct option_list b_sizes;               /* of raw data */
    int output_dtype, output_type; /* two names of one option; -1: not given, that of A */
    bool transpose_b;
};

enum output_layout { LAYOUT_LOGICAL, LAYOUT_BUFFER };

struct file_args {
    const char *descriptor, *output, *output_dir, *emit, *emit_model;
    struct option_list bind;
    int format; /* enum tensor_format, or FORMAT_BY_NAME */
    int layout; /* enum output_layout */
};

/* Options of a job that runs as several tasks. */
struct part_args {
    const char *part; /* I/N, auto or auto/N; NULL: the whole job */
    const char *axes, *job;
    bool resume, checksums;
};

/* Target of the option tables: every option of the three commands. */
struct op_args {
    struct common_args common;
    const struct op_command *oc; /* not an option: the command */
    struct checking_args checking;
    struct execution_args execution;
    struct timing_args timing;
    struct outputs writing;
    struct file_args files;
    struct part_args part;
    struct reading reading;
    bool no_progress;
    struct option_list explain; /* the words of coordinates */
    struct slice_args slice;
    struct topk_args topk;
    struct qmatmul_args qmatmul;
};

struct op_command {
    enum op op; /* the operator that options describe: SLICE1, TOP_K1, QMATMUL */
    const struct option_row *options;
    /* Fills d, whose op is set, with the descriptor that the options describe for these inputs, by
     * slot, NULL if not given. A number is a FLOAT32 of rank 0, a list of numbers one of rank 1;
     * operands have 1 to DML_MAX_RANK dimensions and no size of 0. Does not check d against the
     * rules. With a message: ST_USAGE for options that are malformed for any input, ST_INPUT for
     * options that do not fit these inputs. */
    enum status (*describe)(const struct op_args *a, const struct tensor *const in[SLOT_COUNT],
                            struct desc *d, struct diag *dg);
};

/* Option rows of all three commands, of --explain and of --output-dir. */
extern const struct option_row operator_options[];
extern const struct option_row explain_options[];
extern const struct option_row many_options[];

/* Follows the message that -d and an option for an attribute exclude each other. */
#define DESCRIPTOR_EXCLUDES ": the descriptor sets these parameters"

/* A slice given by options. Sets the window of d, a SLICE1 that is zeroed before, and the sizes of
 * its output, d->tensor[SLOT_OUT].sizes. */

/* Reads NumPy's basic slicing of an input of rank 1 to DML_MAX_RANK: "1:4, ::-2, 3, ...", also in
 * brackets unless all entries are integers. An integer keeps its axis with size 1. ST_USAGE for a
 * malformed text, ST_INPUT for an index outside or an empty result. */
enum status window_from_index(const char *spec, unsigned rank, const uint64_t *sizes,
                              struct desc *d, struct diag *dg);

/* Reads the lists of a; defaults: offsets 0, sizes to the end, strides 1, the largest output.
 * Does not check that the window lies within the input. ST_USAGE for a malformed
 * list, ST_INPUT for a list without one number per axis. */
enum status window_from_lists(const struct slice_args *a, unsigned rank, const uint64_t *sizes,
                              struct desc *d, struct diag *dg);
