#ifndef DMLOP_MODEL_SOURCE_H
#define DMLOP_MODEL_SOURCE_H

#include "base/finding.h"
#include "io/npy.h"

/* Files that resources begin with, and tensors are bound to. */

/* What is known of a file without reading its data. */
struct source_file {
    uint64_t length;          /* bytes */
    bool is_npy;
    struct npy_header header; /* is_npy */
};

/* Looks at a regular file; a NULL message in error[NPY_ERROR_TEXT] is "". Returns 0, or -1 with a message. */
int source_look(const char *path, struct source_file *s, char *error);

/* Findings of class CLASS_PORTABLE about an .npy file, at a pointer. */
void source_portable(struct findings *fs, const char *pointer, const char *path, const struct source_file *s);

#endif
