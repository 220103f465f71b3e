#pragma once

#include "base/diag.h"
#include "lsp/text.h"

/* Messages of JSON-RPC 2.0 in a stream of bytes, as the base protocol of LSP 3.17 frames them:
 * header fields, an empty line, and Content-Length bytes of JSON. */

enum { LSP_HEADER_MOST = 4096 /* bytes of a message's header */ };

/* Bytes that were received. Zero-initialise; release with str_free(&fr->bytes). */
struct lsp_frames {
    struct str bytes;
    size_t at;    /* start of the next message */
    size_t ahead; /* start of the next one that was not looked at */
};

/* Adds n bytes of the stream; fr->bytes.failed if memory is short. */
void lsp_frames_add(struct lsp_frames *fr, const char *bytes, size_t n);

/* Gives the next message from *at on, &fr->at or &fr->ahead: *len bytes, valid until the next
 * lsp_frames_add; NULL if it is incomplete. ST_INPUT, with a message, if its header is wrong: then
 * no next message can be found. */
enum status lsp_frames_next(const struct lsp_frames *fr, size_t *at, const char **text, size_t *len,
                            struct diag *dg);

/* The byte offset in a text of the position, or of both ends of the range, that a node has; false
 * if it has none, or is -1. */
bool lsp_get_offset(const struct json_doc *message, ptrdiff_t node, const struct lsp_text *t,
                    size_t *offset);
bool lsp_get_range(const struct json_doc *message, ptrdiff_t node, const struct lsp_text *t,
                   size_t *start, size_t *end);

/* The string of a node (-1: none) or at a JSON pointer; NULL if there is none. */
const char *lsp_string(const struct json_doc *doc, ptrdiff_t node);
static inline const char *lsp_get_string(const struct json_doc *message, const char *pointer)
{
    return lsp_string(message, json_doc_find(message, pointer));
}

static inline bool lsp_string_is(const struct json_doc *message, size_t node, const char *s)
{
    return message->nodes[node].type == JSON_STRING && strcmp(json_doc_text(message, node), s) == 0;
}

/* The JSON text at a pointer, owned by the caller; NULL if there is none or memory is short. */
char *lsp_get_json(const struct json_doc *message, const char *pointer);

enum lsp_error {
    LSP_PARSE_ERROR = -32700,
    LSP_INVALID_REQUEST = -32600,
    LSP_METHOD_NOT_FOUND = -32601,
    LSP_INVALID_PARAMS = -32602,
    LSP_INTERNAL_ERROR = -32603,
    LSP_NOT_INITIALIZED = -32002,
    LSP_CANCELLED = -32800,
};

/* A message that is being written: the answer to a request (id: its JSON text, NULL: null), or a
 * notification. The caller writes "result" or "params" with the writer. lsp_end adds it, framed, to
 * out; out->failed if memory ran out. Must not move. */
struct lsp_message {
    struct str body;
    struct json_writer w;
};
struct json_writer *lsp_begin_answer(struct lsp_message *m, const char *id);
struct json_writer *lsp_begin_notification(struct lsp_message *m, const char *method);
void lsp_end(struct lsp_message *m, struct str *out);

/* A whole message each: answers, and the notification window/showMessage. */
void lsp_answer_null(struct str *out, const char *id);
void lsp_answer_error(struct str *out, const char *id, enum lsp_error code, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

enum lsp_message_type { LSP_SAY_ERROR = 1, LSP_SAY_WARNING = 2 };
void lsp_say(struct str *out, enum lsp_message_type type, const char *fmt, ...) PRINTF_LIKE(3, 4);
