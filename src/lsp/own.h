#ifndef DMLOP_LSP_OWN_H
#define DMLOP_LSP_OWN_H

#include "base/str.h"

/*
 * True if a file is a descriptor or a model, which the server answers for: by its name, *.desc.json
 * or *.model.json, by its "$schema", or by its content, which may be broken. Editors send all their
 * JSON files to a server that is set up for JSON.
 */
bool lsp_is_own(const char *path, const struct str *text);

#endif
