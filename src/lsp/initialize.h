#ifndef DMLOP_LSP_INITIALIZE_H
#define DMLOP_LSP_INITIALIZE_H

#include "lsp/work.h"

/* Takes what the client says of itself, and its initializationOptions, from the message
 * "initialize". What is wrong with these is said to the client, in out, and left out. */
void lsp_read_client(struct lsp_settings *settings, const struct json_doc *message,
                     struct str *out);

/* Answers "initialize". */
void lsp_answer_initialize(struct str *out, const char *id, const struct lsp_settings *settings);

#endif
