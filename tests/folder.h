#pragma once

#include <stdio.h>
#include <stdlib.h>

enum { FOLDER_PATH = 1024 /* bytes, at most */ };

/* Sets path to TMPDIR/dmlop-NAME-XXXXXX, for mkdtemp or mkstemp; returns it. */
static inline char *folder_template(char path[FOLDER_PATH], const char *name)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(path, FOLDER_PATH, "%s/dmlop-%s-XXXXXX", tmp && *tmp ? tmp : "/tmp", name);
    return path;
}
