#include "cli/completion.h"

#include <ctype.h>
#include <string.h>

#include "base/embedded.h"
#include "cli/print.h"

extern const struct embedded cli_shells[];

const char *const completion_shells[] = { "bash", "zsh", "fish", "powershell", NULL };

void completion_add(struct str *words, const char *word)
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

void completion_add_lower(struct str *words, const char *word)
{
    char lower[64];
    size_t n = 0;

    for (; n < sizeof lower - 1 && word[n]; n++)
        lower[n] = (char)tolower((unsigned char)word[n]);
    lower[n] = '\0';
    completion_add(words, lower);
}

/* What a command's option or, by a row OPTION_OPERANDS, its operands can be. */
static struct completion_value value_of(const struct option_row *row, const char *command)
{
    static const char *const extensions[] = { [TAKES_TENSOR] = "npy npz json csv tsv",
                                              [TAKES_DATA] = "npy npz json csv tsv dat bin",
                                              [TAKES_NPY] = "npy",
                                              [TAKES_JSON] = "json",
                                              [TAKES_FOLDER] = "" };
    enum option_takes takes = row->takes;
    struct completion_value v = { .function = NULL };

    if (row->kind == OPTION_CHOICE || row->kind == OPTION_TYPE)
        takes = TAKES_WORDS;
    else if (takes == TAKES_OWN && row->argument && strcmp(row->argument, "FILE") == 0)
        takes = TAKES_TENSOR;
    if (takes == TAKES_WORDS || takes == TAKES_BINDING) {
        v.function = takes == TAKES_WORDS ? "words" : "bind";
        for (int type = DT_NONE + 1; row->kind == OPTION_TYPE && type < DT_COUNT; type++)
            completion_add_lower(&v.words, dtype_name((enum dtype)type));
        for (const char *const *word = row->words; word && *word; word++)
            completion_add(&v.words, *word);
        if (row->add_words)
            row->add_words(&v.words, command);
        v.args = v.words.s ? v.words.s : "";
    } else if (takes != TAKES_OWN) {
        v.function = "files";
        v.args = extensions[takes];
    }
    return v;
}

/* Prints the piece of a command. */
static enum status print_piece(const struct completion_shell *shell, const struct usage *usage,
                               struct diag *dg)
{
    struct option_row operands = { .takes = TAKES_TENSOR };
    struct completion c = { .command = usage->name };
    struct usage_rows all = { .n = 0 };
    struct str piece = { 0 };

    usage_rows(usage->rows, 0, &all);
    for (size_t i = 0; i < all.n; i++) {
        const struct option_row *row = all.v[i].row;

        if (row->kind == OPTION_OPERANDS)
            operands = *row;
        if (row_is_option(row))
            c.options[c.n++] = (struct completion_option){ row, usage_help(&all, row),
                                                           value_of(row, usage->name) };
    }
    c.operands = value_of(&operands, usage->name);
    shell->piece(&c, &piece);
    str_done(&c.operands.words, &piece.failed);
    for (size_t i = 0; i < c.n; i++)
        str_done(&c.options[i].value.words, &piece.failed);
    return print_str(&piece, dg);
}

enum status completion_print(const char *name, const struct command *list, struct diag *dg)
{
    const struct completion_shell *shell = completion_list;
    char file[32];
    struct str text = { 0 };
    enum status st;

    while (shell->name && strcmp(shell->name, name) != 0)
        shell++;
    if (!shell->name)
        return diag_error(dg, ST_USAGE, NULL,
                          "there are no completions for '%s'; use bash, zsh, fish or powershell",
                          name);
    shell->start(list, &text);
    st = print_str(&text, dg);
    for (const struct command *c = list; c->name && st == ST_OK; c++)
        st = print_piece(shell, c->usage, dg);
    if (st)
        return st;
    snprintf(file, sizeof file, "dmlop.%s", shell->name);
    str_printf(&text, "%s\n", embedded_find(cli_shells, file));
    return print_str(&text, dg);
}
