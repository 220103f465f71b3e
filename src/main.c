#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/options.h"

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
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        print_version(stdout);
        return ST_OK;
    }
    c = command_find(argv[1], dg);
    if (!c)
        return ST_USAGE;
    dg->command = c->name;
    return c->run(argc - 1, argv + 1, dg);
}

int main(int argc, char **argv)
{
    struct diag dg = { .err = stderr };
    enum status st = run(argc, argv, &dg);

    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && st != ST_SYSTEM) /* a full disk is a failure, too */
        st = diag_errno(&dg, ST_SYSTEM, "standard output", errno, "cannot write");
    return (int)st;
}
