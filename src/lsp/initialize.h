#ifndef DMLOP_LSP_INITIALIZE_H
#define DMLOP_LSP_INITIALIZE_H

#include "lsp/work.h"

/* Answers the message "initialize", and sets the settings by its capabilities and
 * initializationOptions. Wrong options are ignored, with a message to the client after the
 * answer. */
void lsp_initialize(struct lsp_settings *settings, const struct json_doc *message, const char *id,
                    struct str *out);

#endif
