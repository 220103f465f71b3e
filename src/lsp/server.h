#ifndef DMLOP_LSP_SERVER_H
#define DMLOP_LSP_SERVER_H

#include "lsp/jobs.h"

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
    struct lsp_jobs jobs;
    long client;          /* process to end with; 0: not known */
    struct str cancelled; /* ids that lsp_server_look has seen, each between line ends */
};

/*
 * Handles one message, len bytes of anything, and adds immediate answers to out. If the message
 * asks for work on a document, *work is that and the caller starts it, by lsp_jobs_begin or
 * lsp_work, before the next message; work->id is the caller's. Otherwise work->doc is NULL.
 * ST_SYSTEM, with a message, if memory is short.
 */
enum status lsp_server_message(struct lsp_server *s, const char *text, size_t len, struct str *out,
                               struct lsp_work *work);

/* Looks at a message that is handled later: if it cancels a request, this is cancelled at once. */
void lsp_server_look(struct lsp_server *s, const char *text, size_t len);

/* Starts checks of waiting documents, up to LSP_CHECKS_MOST jobs. Errors as lsp_jobs_begin. */
enum status lsp_server_check(struct lsp_server *s);

void lsp_server_free(struct lsp_server *s);

#endif
