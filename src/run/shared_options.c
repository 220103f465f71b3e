#include "run/operator.h"

#include "cli/usage.h"
#include "op/op.h"

static int read_level(const char *text)
{
    enum feature_level level = level_from_name(text);

    return level == LEVEL_COUNT ? -1 : (int)level;
}

const struct option_row checking_options[] = {
    OPT_CHOICE("feature-level", struct checking_args, level, level_names, LEVEL_NEWEST,
               .read_choice = read_level, .choices = "a feature level from 1_0 to 6_4"),
    OPT_FLAG(0, "relaxed", struct checking_args, relaxed),
    OPT_END,
};

/* The kernels of the command, or of all commands if it has none of its own, as `run`. */
static void kernel_words(struct str *words, const char *command)
{
    bool found = false;

    for (enum kernel_list t = KERNELS_SLICE; t < KERNEL_LISTS; t++)
        found |= strcmp(kernel_list_command(t), command) == 0;
    completion_add(words, "auto");
    for (enum kernel_list t = KERNELS_SLICE; t < KERNEL_LISTS; t++)
        if (!found || strcmp(kernel_list_command(t), command) == 0)
            for (unsigned i = 0; kernel_list_row(t, i); i++)
                completion_add(words, kernel_list_row(t, i)->name);
}

void tensor_words(struct str *words, const char *command)
{
    bool found = false;

    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        found |= strcmp(op_schema((enum op)op)->run.command, command) == 0;
    for (size_t i = 0; i < schema_count(); i++) {
        const struct op_schema *s = schema_at(i);

        for (const struct field *f = s->fields; f->name; f++)
            if (field_is_tensor(f) &&
                (!found || (s->run.command && strcmp(s->run.command, command) == 0)))
                completion_add(words, f->name);
    }
}

const struct option_row execution_options[] = {
    OPT_THREADS(struct execution_args, threads),
    OPT_TEXT(0, "kernel", struct execution_args, kernel, TAKES_WORDS, .add_words = kernel_words),
    OPT_END,
};

const struct option_row output_options[] = {
    OPT_FLAG(0, "no-sync", struct outputs, no_sync),
    OPT_FLAG(0, "no-clobber", struct outputs, no_clobber),
    OPT_END,
};

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
