#include "run/operator.h"

#include "cli/usage.h"
#include "op/op.h"

static int read_level(const char *text)
{
    enum feature_level level = level_from_name(text);

    return level == LEVEL_COUNT ? -1 : (int)level;
}

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

#include "run/shared_options_rows.h"
