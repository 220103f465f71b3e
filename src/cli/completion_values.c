#include <ctype.h>
#include <string.h>

#include "cli/completion.h"
#include "desc/rule_list.h"
#include "desc/schema.h"
#include "op/kernel_list.h"

/* Adds a word that is not there yet. */
static void add_word(struct str *words, const char *word)
{
    size_t len = strlen(word);

    for (const char *s = words->s; s && *s; s += strspn(s, " ")) {
        size_t n = strcspn(s, " ");

        if (n == len && strncmp(s, word, n) == 0)
            return;
        s += n;
    }
    str_printf(words, "%s%s", words->s ? " " : "", word);
}

static void add_lower(struct str *words, const char *name)
{
    char word[64];
    size_t n = 0;

    for (; n < sizeof word - 1 && name[n]; n++)
        word[n] = (char)tolower((unsigned char)name[n]);
    word[n] = '\0';
    add_word(words, word);
}

static void add_types(struct str *words)
{
    for (int type = DT_NONE + 1; type < DT_COUNT; type++)
        add_lower(words, dtype_name((enum dtype)type));
}

static void add_levels(struct str *words)
{
    for (int level = 0; level < LEVEL_COUNT; level++)
        add_word(words, level_names[level]);
}

static void add_rules(struct str *words)
{
    for (int rule = 0; rule < RULE_COUNT; rule++)
        add_word(words, rule_table[rule].id);
}

static void add_schemas(struct str *words)
{
    add_word(words, "model");
    add_word(words, "descriptor");
    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        add_lower(words, op_schemas[op].name);
}

/* Kernels of the command, or of all where it has none of its own, as `run`. */
static void add_kernels(struct str *words, const char *command)
{
    bool own = false;

    for (size_t t = 0; t < KERNEL_LISTS; t++)
        own |= strcmp(kernel_list_command(t), command) == 0;
    add_word(words, "auto");
    for (size_t t = 0; t < KERNEL_LISTS; t++)
        if (!own || strcmp(kernel_list_command(t), command) == 0)
            for (unsigned i = 0; kernel_list_row(t, i); i++)
                add_word(words, kernel_list_row(t, i)->name);
}

/* Tensors of the command's operators, or of all, as for `validate`. */
static void add_tensors(struct str *words, const char *command)
{
    bool own = false;

    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        own |= strcmp(op_schemas[op].command, command) == 0;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        for (const struct field *f = op_schemas[op].fields; f->name; f++)
            if (f->kind == FIELD_TENSOR &&
                (!own || strcmp(op_schemas[op].command, command) == 0))
                add_word(words, f->name);
}

static void add_list(struct str *words, const char *const *list)
{
    for (; *list; list++)
        add_word(words, *list);
}

static struct completion_value value_of(const struct usage *usage, enum option_takes takes,
                                        const char *const *words)
{
    struct completion_value v = { .names_file = takes == TAKES_BINDING };

    switch (takes) {
    case TAKES_TENSOR:
        v.extensions = "npy npz json";
        break;
    case TAKES_DATA:
        v.extensions = "npy npz json dat bin";
        break;
    case TAKES_JSON:
        v.extensions = "json";
        break;
    case TAKES_FOLDER:
        v.extensions = "";
        break;
    case TAKES_BINDING:
        add_tensors(&v.words, usage->name);
        break;
    case TAKES_RULE:
        add_rules(&v.words);
        break;
    case TAKES_SCHEMA:
        add_schemas(&v.words);
        break;
    case TAKES_KERNEL:
        add_kernels(&v.words, usage->name);
        break;
    case TAKES_WORDS:
        add_list(&v.words, words);
        break;
    case TAKES_OWN:
        break;
    }
    return v;
}

struct completion_value completion_of_row(const struct usage *usage, const struct option_row *row)
{
    struct completion_value v = { .extensions = NULL };

    if (row->kind == OPTION_CHOICE)
        add_list(&v.words, row->words);
    else if (row->kind == OPTION_TYPE)
        add_types(&v.words);
    else if (row->kind == OPTION_LEVEL)
        add_levels(&v.words);
    else if (row->argument && row->takes == TAKES_OWN && strcmp(row->argument, "FILE") == 0)
        v = value_of(usage, TAKES_TENSOR, NULL);
    else
        v = value_of(usage, row->takes, row->words);
    return v;
}

struct completion_value completion_of_operands(const struct usage *usage)
{
    for (const struct option_row *row = usage->rows; row->kind != OPTION_END; row++)
        if (row->kind == OPTION_OPERANDS)
            return value_of(usage, row->takes, row->words);
    return value_of(usage, TAKES_TENSOR, NULL);
}

void completion_free(struct completion_value *v, struct str *out)
{
    out->failed |= v->words.failed;
    str_free(&v->words);
}

static void each_row(const struct usage *usage, const struct option_row *rows,
                     void (*each)(const struct usage *, const struct option_row *, struct str *),
                     struct str *out)
{
    for (const struct option_row *row = rows; row->kind != OPTION_END; row++) {
        if (row->kind == OPTION_GROUP)
            each_row(usage, row->group, each, out);
        else if (row->kind < OPTION_GROUP)
            each(usage, row, out);
    }
}

void completion_each(const struct usage *usage,
                     void (*each)(const struct usage *usage, const struct option_row *row,
                                  struct str *out),
                     struct str *out)
{
    each_row(usage, usage->rows, each, out);
}

void completion_quote(struct str *out, const char *text, const char *special, const char *quote)
{
    for (; *text; text++) {
        if (*text == '\'')
            str_puts(out, quote);
        else
            str_printf(out, "%s%c", strchr(special, *text) ? "\\" : "", *text);
    }
}
