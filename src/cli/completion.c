#include "cli/completion.h"

#include <string.h>

#include "base/embedded.h"
#include "cli/print.h"

extern const struct embedded cli_shells[];

static const struct completion_shell *const shells[] = { &completion_bash, &completion_zsh,
                                                         &completion_fish, &completion_powershell };
const char *const completion_shells[] = { "bash", "zsh", "fish", "powershell", NULL };

static const struct completion_shell *find_shell(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(shells); i++)
        if (strcmp(shells[i]->name, name) == 0)
            return shells[i];
    return NULL;
}

bool completion_answer(const struct usage *usage, int argc, char **argv, enum status *st,
                       struct diag *dg)
{
    const size_t len = sizeof COMPLETION_ASK - 1;
    const struct completion_shell *shell;
    struct str piece = { 0 };
    struct completion c;

    if (argc != 2 || strncmp(argv[1], COMPLETION_ASK, len) != 0)
        return false;
    shell = find_shell(argv[1] + len);
    if (!shell)
        return false;
    completion_make(usage, &c);
    shell->piece(&c, &piece);
    completion_free(&c, &piece);
    *st = print_str(&piece, dg);
    return true;
}

enum status completion_print(const char *name, const struct command *list, struct diag *dg)
{
    const struct completion_shell *shell = find_shell(name);
    char ask[sizeof COMPLETION_ASK + 16], file[32];
    struct str text = { 0 };
    enum status st;

    if (!shell)
        return diag_error(dg, ST_USAGE, NULL,
                          "there are no completions for '%s'; use bash, zsh, fish or powershell",
                          name);
    shell->start(list, &text);
    st = print_str(&text, dg);
    snprintf(ask, sizeof ask, COMPLETION_ASK "%s", shell->name);
    for (const struct command *c = list; c->name && st == ST_OK; c++)
        st = c->run(2, (char *[]){ (char *)c->name, ask, NULL }, dg);
    if (st)
        return st;
    snprintf(file, sizeof file, "dmlop.%s", shell->name);
    str_printf(&text, "%s\n", embedded_find(cli_shells, file));
    return print_str(&text, dg);
}
