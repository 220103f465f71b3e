#ifndef DMLOP_LSP_SERVER_H
#define DMLOP_LSP_SERVER_H

#include "lsp/jobs.h"

/* A language server: what it answers, apart from where messages come from and go to. */

enum lsp_phase { LSP_NEW, LSP_RUNNING, LSP_SHUT_DOWN, LSP_ENDED };

/* Set settings.check (what holds unless the client says otherwise), dg and, where wanted,
 * inline_work; the rest zero. Release with lsp_server_free. Must not move. */
struct lsp_server {
    struct lsp_settings settings;
    struct diag *dg;
    bool inline_work;      /* documents are parsed at once, in this process */
    enum lsp_phase phase;
    bool orderly;          /* with LSP_ENDED: it was shut down before */
    struct lsp_docs docs;
    struct lsp_jobs jobs;
};

/* Whether there is room for whatever the next message asks for. */
bool lsp_server_has_room(const struct lsp_server *s);

/*
 * Handles one message of len bytes, whatever is in it, and adds what is answered at once to out;
 * what takes a document's text is s->jobs, unless inline_work. There must be room. ST_SYSTEM, with
 * a message, where memory is short.
 */
enum status lsp_server_message(struct lsp_server *s, const char *text, size_t len,
                               struct str *out);

/* Whether a document waits to be checked, and could be. */
bool lsp_server_can_check(const struct lsp_server *s);

/* Begins the checks that wait, as many as there is room for. */
enum status lsp_server_check(struct lsp_server *s);

void lsp_server_free(struct lsp_server *s);

#endif
