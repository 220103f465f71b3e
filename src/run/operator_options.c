#include "run/operator.h"

static const char *const layouts[] = { "logical", "buffer", NULL }; /* enum output_layout */

const struct option_row operator_options[] = {
    OPT_PARAGRAPH,
    OPT_TEXT('d', "descriptor", struct op_args, files.descriptor, "FILE",
             "read the operator's parameters from a descriptor, which must follow DirectML's rules",
             .takes = TAKES_JSON),
    OPT_LIST("bind", struct op_args, files.bind, "NAME=PATH",
             "use the file PATH for the tensor with this DirectML name, such as InputTensor",
             .takes = TAKES_BINDING, .add_words = tensor_words),
    OPT_TEXT('o', "output", struct op_args, files.output, "FILE",
             "write the result to FILE; its extension (.npy, .json, .csv, .tsv, .npz, .dat or "
             ".bin) selects "
             "the format (default: standard output)"),
    OPT_CHOICE("format", struct op_args, files.format, tensor_format_names, FORMAT_BY_NAME,
               "FORMAT", "write npy, json, csv, tsv or raw, whatever the extension"),
    OPT_MORE,
    OPT_CHOICE("output-layout", struct op_args, files.layout, layouts, LAYOUT_LOGICAL, "LAYOUT",
               "write the tensor (logical), or the memory that the descriptor's Strides describe "
               "(buffer) (default: logical)"),
    OPT_OPTIONAL("emit-descriptor", struct op_args, files.emit, "FILE",
                 "write a descriptor that says the same as the options, to FILE or to standard "
                 "output; nothing is computed unless -o is given",
                 .takes = TAKES_JSON),
    OPT_OPTIONAL("emit-model", struct op_args, files.emit_model, "FILE",
                 "write a model file for 'dmlop run' and DxDispatch that computes the same and "
                 "prints it, to FILE or to standard output; nothing is computed unless -o is "
                 "given",
                 .takes = TAKES_JSON),
    OPT_GROUP(reading_options, struct op_args, reading),
    OPT_GROUP(checking_options, struct op_args, checking),
    OPT_HELP("feature-level",
             "check the descriptor against this DirectML feature level (default: 6_4)"),
    OPT_GROUP(execution_options, struct op_args, execution),
    OPT_GROUP(timing_options, struct op_args, timing),
    OPT_GROUP(output_options, struct op_args, writing),
    OPT_TEXT(0, "part", struct op_args, part.part, "PART",
             "I/N: compute part I of N, counted from 0, into the folder FILE.parts; auto, auto/N: "
             "as the engine's environment says"),
    OPT_TEXT(0, "part-axis", struct op_args, part.axes, "AXES",
             "the output's axes to split, AXIS[:COUNT],... (default: the outermost of N or more)"),
    OPT_FLAG(0, "resume", struct op_args, part.resume,
             "skip a part that is there already, complete and of the same job"),
    OPT_FLAG(0, "checksums", struct op_args, part.checksums,
             "with --resume: read the part, and compute it again if a checksum differs"),
    OPT_TEXT(0, "job", struct op_args, part.job, "NAME",
             "text that must be the same in all parts of a job"),
    OPT_EXCLUDES("part", "", "output-dir", "emit-model", "explain"),
    OPT_FLAG(0, "no-progress", struct op_args, no_progress, "do not show progress"),
    OPT_GROUP(color_options, struct op_args, common),
    OPT_END,
};

const struct option_row explain_options[] = {
    OPT_INTEGERS("explain", struct op_args, explain, "INDEX",
                 "show where the output element at these coordinates, such as 0,0,1,0, comes from, "
                 "and nothing else; -o FILE gets the text"),
    OPT_EXCLUDES("explain", ": it prints one element and computes no result", "output-dir",
                 "format", "output-layout", "emit-descriptor", "emit-model", "kernel", "repeat",
                 "min-time", "warmup", "timings", "samples", "no-sync", "no-clobber"),
    OPT_END,
};

const struct option_row many_options[] = {
    OPT_PARAGRAPH,
    OPT_TEXT(
        0, "output-dir", struct op_args, files.output_dir, "DIR",
        "run with each of many inputs, and write each result to DIR under the name of its input",
        .takes = TAKES_FOLDER),
    OPT_EXCLUDES("output-dir", "", "output", "emit-descriptor", "emit-model", "timings", "bind"),
    OPT_END,
};
