#ifndef DMLOP_LSP_REPLY_H
#define DMLOP_LSP_REPLY_H

#include "json/write.h"

/* What a server says: JSON-RPC 2.0, each message with its header. */

enum lsp_error {
    LSP_PARSE_ERROR = -32700,
    LSP_INVALID_REQUEST = -32600,
    LSP_METHOD_NOT_FOUND = -32601,
    LSP_INVALID_PARAMS = -32602,
    LSP_INTERNAL_ERROR = -32603,
    LSP_NOT_INITIALIZED = -32002,
    LSP_CANCELLED = -32800,
};

/* A message that is being written. Must not move. */
struct lsp_message {
    struct str body;
    struct json_writer w;
};

/* Begins the answer to the request whose id is that JSON text, and a notification. The writer is
 * for its "result", or its "params". */
struct json_writer *lsp_begin_answer(struct lsp_message *m, const char *id);
struct json_writer *lsp_begin_notification(struct lsp_message *m, const char *method);

/* Ends a message and adds it to out; out->failed where memory ran out. */
void lsp_end(struct lsp_message *m, struct str *out);

/* A whole message each. id NULL: null. */
void lsp_answer_null(struct str *out, const char *id);
void lsp_answer_error(struct str *out, const char *id, enum lsp_error code, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

enum lsp_message_type { LSP_SAY_ERROR = 1, LSP_SAY_WARNING = 2 };

/* window/showMessage. */
void lsp_say(struct str *out, enum lsp_message_type type, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
