#include "run/operator.h"

static const char *const layouts[] = { "logical", "buffer", NULL }; /* enum output_layout */

const struct option_row operator_options[] = {
    OPT_PARAGRAPH,
    OPT_TEXT('d', "descriptor", struct op_args, files.descriptor, TAKES_JSON),
    OPT_LIST("bind", struct op_args, files.bind, TAKES_BINDING, .add_words = tensor_words),
    OPT_TEXT('o', "output", struct op_args, files.output, TAKES_TENSOR),
    OPT_CHOICE("format", struct op_args, files.format, tensor_format_names, FORMAT_BY_NAME),
    OPT_MORE,
    OPT_CHOICE("output-layout", struct op_args, files.layout, layouts, LAYOUT_LOGICAL),
    OPT_OPTIONAL("emit-descriptor", struct op_args, files.emit, TAKES_JSON),
    OPT_OPTIONAL("emit-model", struct op_args, files.emit_model, TAKES_JSON),
    OPT_GROUP(reading_options, struct op_args, reading),
    OPT_GROUP(checking_options, struct op_args, checking),
    OPT_GROUP(execution_options, struct op_args, execution),
    OPT_GROUP(timing_options, struct op_args, timing),
    OPT_GROUP(output_options, struct op_args, writing),
    OPT_TEXT(0, "part", struct op_args, part.part, TAKES_OWN),
    OPT_TEXT(0, "part-axis", struct op_args, part.axes, TAKES_OWN),
    OPT_FLAG(0, "resume", struct op_args, part.resume),
    OPT_FLAG(0, "checksums", struct op_args, part.checksums),
    OPT_TEXT(0, "job", struct op_args, part.job, TAKES_OWN),
    OPT_EXCLUDES("part", "", "output-dir", "emit-model", "explain"),
    OPT_FLAG(0, "no-progress", struct op_args, no_progress),
    OPT_GROUP(color_options, struct op_args, common),
    OPT_END,
};

const struct option_row explain_options[] = {
    OPT_INTEGERS("explain", struct op_args, explain),
    OPT_EXCLUDES("explain", ": it prints one element and computes no result", "output-dir",
                 "format", "output-layout", "emit-descriptor", "emit-model", "kernel", "repeat",
                 "min-time", "warmup", "timings", "samples", "no-sync", "no-clobber"),
    OPT_END,
};

const struct option_row many_options[] = {
    OPT_PARAGRAPH,
    OPT_TEXT(0, "output-dir", struct op_args, files.output_dir, TAKES_FOLDER),
    OPT_EXCLUDES("output-dir", "", "output", "emit-descriptor", "emit-model", "timings", "bind"),
    OPT_END,
};
