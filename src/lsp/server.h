#pragma once

#include "lsp/work.h"

/* A language server without its streams: messages in, messages out. */

/* LSP_BROKEN_OFF: it ended without being shut down. */
enum lsp_phase { LSP_NEW, LSP_RUNNING, LSP_SHUT_DOWN, LSP_ENDED, LSP_BROKEN_OFF };

/* Set settings.check (the defaults of the client's settings) and dg, zero the rest. Release with
 * lsp_server_free. Must not move. */
struct lsp_server {
    struct lsp_settings settings;
    struct diag *dg;
    enum lsp_phase phase;
    struct lsp_docs docs; /* waiting documents are to be checked */
    uint64_t editions;    /* of all documents so far */
    struct lsp_parsed parsed;
    long client;          /* process to end with; 0: not known */
    struct str cancelled; /* ids of requests that are cancelled by messages still to be handled,
                             each between line ends */
};

/* Handles one message, len bytes of anything: adds the answer to out, or changes a document. What
 * memory is short for is answered by an error; ST_SYSTEM, with a message, if there is none for the
 * message itself. */
enum status lsp_server_message(struct lsp_server *s, const char *text, size_t len, struct str *out);

/* Looks at a message that is handled later: it may cancel a request that is handled before it. */
void lsp_server_look(struct lsp_server *s, const char *text, size_t len);

/* Checks a document that waits for it and adds its diagnostics to out; false if none waits. */
bool lsp_server_check(struct lsp_server *s, struct str *out);

void lsp_server_free(struct lsp_server *s);
