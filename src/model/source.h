#ifndef DMLOP_MODEL_SOURCE_H
#define DMLOP_MODEL_SOURCE_H

#include "desc/finding.h"
#include "io/npy.h"

/* Files that resources begin with, and tensors are bound to. */

/* Findings of class CLASS_PORTABLE about an .npy file, at a pointer. */
void source_portable(struct findings *fs, const char *pointer, const char *path,
                     const struct npy_peek *s);

#endif
