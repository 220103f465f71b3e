#ifndef DMLOP_LSP_INITIALIZE_H
#define DMLOP_LSP_INITIALIZE_H

#include "lsp/work.h"

/* Reads the client's capabilities and initializationOptions from the message "initialize". Wrong
 * options are ignored, with a message to the client in out. */
void lsp_read_client(struct lsp_settings *settings, const struct json_doc *message,
                     struct str *out);

/* Answers "initialize". */
void lsp_answer_initialize(struct str *out, const char *id, const struct lsp_settings *settings);

#endif
