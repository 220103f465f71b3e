#ifndef DMLOP_LSP_PARAMS_H
#define DMLOP_LSP_PARAMS_H

#include "lsp/work.h"

/* What the params of a message say. */

/* The version of textDocument; 0 where there is none. */
int64_t lsp_read_version(const struct json_doc *message);

/* Sets where work->ask is about, and which actions are wanted; false where the message does not
 * say where. */
bool lsp_read_places(const struct json_doc *message, struct lsp_work *work);

#endif
