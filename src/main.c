#include "base/parallel.h"
#include "base/process.h"
#include "cli/print.h"
#include "cmd/commands.h"
#include "io/cleanup.h"
#include "os/file.h"
#include "os/process.h"

/* Prints the version; its arguments are none, or --format text|json. */
static enum status version(int n, char **args, struct diag *dg)
{
    const char *format = n == 0                                            ? "text"
                         : n == 1 && strncmp(args[0], "--format=", 9) == 0 ? args[0] + 9
                         : n == 2 && strcmp(args[0], "--format") == 0      ? args[1]
                                                                           : "";
    bool json = strcmp(format, "json") == 0;

    if (!json && strcmp(format, "text") != 0)
        return usage_error(
            dg, "--version can only be used together with --format text or --format json");
    return print_version(json, dg);
}

static enum status run(int argc, char **argv, struct diag *dg)
{
    static const char *const names[] = { "--help", "--version" };
    const struct command *c;

    if (argc < 2) {
        print_help(stderr);
        return ST_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return cmd_help(argc - 1, argv + 1, dg);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return version(argc - 2, argv + 2, dg);
    if (argv[1][0] == '-')
        return usage_unknown("unknown option", argv[1], names, ARRAY_LEN(names),
                             "; the options of a command come after its name", dg);
    c = command_find(argv[1], dg);
    if (!c)
        return ST_USAGE;
    dg->command = c->name;
    cleanup_begin(c->name);
    return c->run(argc - 1, argv + 1, dg);
}

/* Says after an error what a shell left of quotes. */
static void hint_quotes(char **words, struct diag *dg)
{
    for (; *words; words++) {
        bool single = **words == '\'' || strstr(*words, "='");

        if (single || (os_separators[1] && strchr(*words, '"')))
            diag_usage(dg, "the shell left a quote in the word %s: %s", *words,
                       single ? "cmd does not know single quotes; use double quotes"
                              : "a backslash before the closing quote keeps it; leave the "
                                "backslash out, or write two");
    }
}

int main(int argc, char **argv)
{
    struct diag dg = { .err = stderr };
    enum status st;

    openmp_messages_end();
    os_standard_streams();
    st = print_end(run(argc, argv, &dg), &dg);
    if (st > ST_INVALID)
        hint_quotes(argv, &dg);
    if (process.threads_started < process.threads_requested)
        diag_warn(&dg, NULL, "only %d of %d threads could be started; they have done all the work",
                  process.threads_started, process.threads_requested);
    return (int)st;
}
