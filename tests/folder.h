#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets path to TMPDIR/dmlop-NAME-XXXXXX, for mkdtemp or mkstemp. */
static inline char *folder_template(char path[1024], const char *name)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(path, 1024, "%s/dmlop-%s-XXXXXX", tmp && *tmp ? tmp : "/tmp", name);
    return path;
}

#endif
