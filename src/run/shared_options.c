#include "run/shared_options.h"

#include <string.h>

#include "cli/usage.h"
#include "desc/schema.h"
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

struct desc_options checking_rules(const struct checking_args *a, bool quiet)
{
    return (struct desc_options){
        .level = (enum feature_level)a->level,
        .findings = { .relaxed = a->relaxed, .errors_only = quiet, .max_findings = MAX_FINDINGS },
    };
}

/* The kernels of the command, or of all commands if it has none of its own, as `run`. */
static void kernel_words(struct str *words, const char *command)
{
    bool found = false;

    for (size_t t = 0; t < KERNEL_LISTS; t++)
        found |= strcmp(kernel_list_command(t), command) == 0;
    completion_add(words, "auto");
    for (size_t t = 0; t < KERNEL_LISTS; t++)
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
    OPT_GROUP(threads_options, struct execution_args, threads),
    OPT_TEXT(0, "kernel", struct execution_args, kernel, TAKES_WORDS, .add_words = kernel_words),
    OPT_END,
};

const struct option_row output_options[] = {
    OPT_FLAG(0, "no-sync", struct outputs, no_sync),
    OPT_FLAG(0, "no-clobber", struct outputs, no_clobber),
    OPT_END,
};
