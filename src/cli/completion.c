#include "cli/usage.h"

#include "cli/print.h"

extern const char cli_shells[];

const char *const completion_shells[] = { "bash", "zsh", "fish", "powershell", NULL };

/* How texts are written within a shell's single quotes: the characters that get a backslash, in
 * summaries and in help, and what a single quote becomes. In the order of completion_shells. */
static const struct quoting {
    const char *summary, *help, *quote;
} quotings[] = {
    { "", "", "'" }, { ":\\", "[]\\", "'\\''" }, { "\\", "\\", "\\'" }, { "", "", "''" }
};

/* A value, completed by a function of the script: "words" of args, "files" with these extensions
 * (without any, folders), or "bind", one of args, '=' and a file. function is NULL if nothing is
 * offered; args are between blanks, and may be "". */
struct value {
    const char *function, *args;
    struct str words; /* owned: args, if they are not a constant */
};

/* What the fields of a script's text are about. */
struct scope {
    const struct quoting *quoting;
    const struct command *list, *command;
    const struct usage_rows *rows;
    const struct option_row *row; /* an option's; NULL: none */
    struct option_text text;      /* of the option */
    struct value value;           /* of the option, or else of the operands */
    struct str *out;
};

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
static struct value value_of(const struct option_row *row, const char *command)
{
    static const char *const extensions[] = { [TAKES_TENSOR] = "npy npz json csv tsv",
                                              [TAKES_DATA] = "npy npz json csv tsv dat bin",
                                              [TAKES_NPY] = "npy",
                                              [TAKES_JSON] = "json",
                                              [TAKES_FOLDER] = "" };
    enum option_takes takes = row->takes;
    struct value v = { .function = NULL };

    if (row->kind == OPTION_CHOICE || row->kind == OPTION_TYPE)
        takes = TAKES_WORDS;
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

/* The text of a field, a line; empty also for a property that is not there. */
static const char *field(const struct scope *s, const char *name)
{
    static const struct option_row none = { .name = "" };
    const struct option_row *row = s->row ? s->row : &none;
    const char *function = s->value.function ? s->value.function : "";
    const struct {
        const char *name, *text;
    } fields[] = {
        { "name", s->command->name },
        { "summary", s->command->summary },
        { "first", s->command == s->list ? "yes" : "" },
        { "option", row->name },
        { "letter", &row->letter }, /* add_field writes no more than that */
        { "argument", s->text.argument },
        { "help", s->text.help },
        { "flag", row->kind == OPTION_FLAG ? "yes" : "" },
        { "optional", row->kind == OPTION_OPTIONAL ? "yes" : "" },
        { "list", row->kind == OPTION_LIST ? "yes" : "" },
        { "function", function },
        { "args", *function ? s->value.args : "" },
        { "words", strcmp(function, "words") == 0 ? "yes" : "" },
        { "files", strcmp(function, "files") == 0 ? "yes" : "" },
    };
    size_t i = 0;

    while (strcmp(fields[i].name, name) != 0)
        i++;
    return fields[i].text;
}

static void add_field(const struct scope *s, const char *name)
{
    bool summary = strcmp(name, "summary") == 0, quoted = summary || strcmp(name, "help") == 0;
    const char *text = field(s, name);
    const char *end = text + (strcmp(name, "letter") == 0 ? 1 : strcspn(text, "\n"));

    for (; text < end; text++) {
        if (quoted && strchr(summary ? s->quoting->summary : s->quoting->help, *text))
            str_puts(s->out, "\\");
        if (quoted && *text == '\'')
            str_puts(s->out, s->quoting->quote);
        else
            str_add(s->out, text, 1);
    }
}

static const char *add_text(const struct scope *s, const char *text, bool skip);

static const char *each_command(const struct scope *s, const char *text)
{
    for (const struct command *c = s->list; c->name; c++) {
        const struct option_row *operands = &(struct option_row){ .takes = TAKES_TENSOR };
        struct usage_rows rows = { .n = 0 };
        struct scope inner = *s;

        usage_rows(c->options, 0, &rows);
        for (size_t i = 0; i < rows.n; i++)
            if (rows.v[i].row->kind == OPTION_OPERANDS)
                operands = rows.v[i].row;
        inner.command = c;
        inner.rows = &rows;
        inner.value = value_of(operands, c->name);
        add_text(&inner, text, false);
        str_done(&inner.value.words, &s->out->failed);
    }
    return add_text(s, text, true);
}

static const char *each_option(const struct scope *s, const char *text)
{
    for (size_t i = 0; i < s->rows->n; i++) {
        struct scope inner = *s;

        inner.row = s->rows->v[i].row;
        if (!row_is_option(inner.row))
            continue;
        inner.text = usage_option(s->command->name, inner.row->name);
        inner.value = value_of(inner.row, s->command->name);
        add_text(&inner, text, false);
        str_done(&inner.value.words, &s->out->failed);
    }
    return add_text(s, text, true);
}

/* Adds a text with its fields, or only finds its end; see completion.h. Returns what follows. */
static const char *add_text(const struct scope *s, const char *text, bool skip)
{
    char word[16];

    while (*text && strncmp(text, "^)", 2) != 0) {
        size_t n = strcspn(text, "^");
        bool absent = text[n] && text[n + 1] == '!';

        if (!skip)
            str_add(s->out, text, n);
        text += n;
        if (n > 0)
            continue;
        text += 1 + absent;
        n = strcspn(text, "^(");
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        text += n + 1;
        if (text[-1] == '^' && !skip)
            add_field(s, word);
        else if (text[-1] == '(' && strcmp(word, "commands") == 0)
            text = each_command(s, text);
        else if (text[-1] == '(' && strcmp(word, "options") == 0)
            text = skip ? add_text(s, text, true) : each_option(s, text);
        else if (text[-1] == '(')
            text = add_text(s, text, skip || !*field(s, word) != absent);
    }
    return *text ? text + 2 : text;
}

enum status completion_print(const char *name, const struct command *list, struct diag *dg)
{
    struct usage_rows none = { .n = 0 };
    struct str out = { 0 };
    char file[32];
    size_t i = 0;

    while (completion_shells[i] && strcmp(completion_shells[i], name) != 0)
        i++;
    if (!completion_shells[i])
        return diag_usage(
            dg, "there are no completions for '%s'; use bash, zsh, fish or powershell", name);
    snprintf(file, sizeof file, "%s.txt", name);
    add_text(
        &(struct scope){
            .quoting = &quotings[i], .list = list, .command = list, .rows = &none, .out = &out },
        embedded_find(cli_shells, file), false);
    snprintf(file, sizeof file, "dmlop.%s", name);
    str_printf(&out, "%s\n", embedded_find(cli_shells, file));
    return print_str(&out, dg);
}
