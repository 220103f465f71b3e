#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/openmp_messages.h"
#include "base/parallel.h"
#include "base/str.h"
#include "cli/options.h"
#include "cmd/commands.h"

static enum status unknown_option(const char *text, struct diag *dg)
{
    static const char *const names[] = { "--help", "--version" };
    size_t near = str_nearest(text, names, ARRAY_LEN(names));

    if (near < ARRAY_LEN(names))
        diag_error(dg, ST_USAGE, NULL, "unknown option '%s'; did you mean '%s'?", text,
                   names[near]);
    else
        diag_error(dg, ST_USAGE, NULL,
                   "unknown option '%s'; the options of a command come after its name", text);
    return usage_hint(dg);
}

/* A file opened later must not take the place of a standard stream that the caller closed: messages
 * would go into it. Such a stream is opened the wrong way round, so that its use fails as it would
 * have. */
static void fill_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* What follows --version: nothing, or --format text|json. */
static enum status version(int n, char **args, struct diag *dg)
{
    bool text = n == 0, json = false;

    if (n == 2 && strcmp(args[0], "--format") == 0) {
        text = strcmp(args[1], "text") == 0;
        json = strcmp(args[1], "json") == 0;
    } else if (n == 1) {
        text = strcmp(args[0], "--format=text") == 0;
        json = strcmp(args[0], "--format=json") == 0;
    }
    if (!text && !json) {
        diag_error(dg, ST_USAGE, NULL,
                   "--version can only be used together with --format text or --format json");
        return usage_hint(dg);
    }
    return print_version(json, dg);
}

static enum status run(int argc, char **argv, struct diag *dg)
{
    const struct command *c;

    if (argc < 2) {
        print_help(stderr);
        return ST_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return ST_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return version(argc - 2, argv + 2, dg);
    if (argv[1][0] == '-')
        return unknown_option(argv[1], dg);
    c = command_find(argv[1], dg);
    if (!c)
        return ST_USAGE;
    dg->command = c->name;
    return c->run(argc - 1, argv + 1, dg);
}

int main(int argc, char **argv)
{
    struct diag dg = { .err = stderr };
    enum status st;
    int asked, got;

    openmp_messages_end();
    fill_standard_streams();
    st = run(argc, argv, &dg);
    if (parallel_shortage(&asked, &got))
        diag_warn(&dg, NULL, "only %d of %d threads could be started; they have done all the work",
                  got, asked);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) &&
        st != ST_SYSTEM) { /* a full disk is a failure, too */
        st = ST_SYSTEM;
        if (errno != EPIPE) /* a reader that has gone wants to hear nothing */
            diag_errno(&dg, st, "standard output", errno, "cannot write");
    }
    return (int)st;
}
