#pragma once

#include "base/diag.h"

/* --output-dir: a command for each of many inputs. */

struct many {
    const char *folder;   /* of the results */
    const char *indices;  /* the folder of topk's indices; NULL: there are none */
    const char *again[2]; /* files that are read again for every input; NULL: none */
    int format;           /* enum tensor_format, or FORMAT_BY_NAME */
    bool raw;             /* results may be raw data */
    /* Runs the command for one input; indices is NULL if there are none. */
    enum status (*run)(void *context, char *input, const char *output, const char *indices,
                       struct diag *dg);
    void *context;
};

/*
 * Runs the command on each path, as a command of its own would, with the output NAME in the folder
 * and, for indices, NAME with ".indices" before its extension in theirs; NAME is the path's last
 * part. Makes the folders. Files that fail are reported and the others done; returns the first
 * failure. ST_USAGE, before anything is done, if two outputs are one file, or one is an input that
 * is read later.
 */
enum status many_run(const struct many *m, int n, char **paths, struct diag *dg);
