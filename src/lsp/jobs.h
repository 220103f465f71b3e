#ifndef DMLOP_LSP_JOBS_H
#define DMLOP_LSP_JOBS_H

#include <poll.h>

#include "lsp/work.h"
#include "os/process.h"

/*
 * Work in child processes, while messages are read: a child has the documents as they were when it
 * started, writes its message to a pipe and ends. So a crash does not end the server, and work that
 * is out of date can be killed. Requests are answered in their order. On a system without such
 * children work is done at once.
 */

enum {
    LSP_JOBS_MOST = 8,  /* at a time */
    LSP_CHECKS_MOST = 4 /* no check starts beside this many jobs, so that requests find room */
};

struct lsp_job {
    struct os_child child; /* id 0: it has ended, and `message` is complete */
    char *id;              /* of the request, owned; NULL: a check */
    char *uri;             /* of the document, owned */
    struct str message;    /* what the child has written */
};

/* Zero-initialise; release with lsp_jobs_end. */
struct lsp_jobs {
    struct lsp_job v[LSP_JOBS_MOST];
    size_t n;
};

/* Starts a child for work; n must be below LSP_JOBS_MOST. Takes over work->id. ST_SYSTEM, with a
 * message, if memory is short. */
enum status lsp_jobs_begin(struct lsp_jobs *jobs, const struct lsp_work *work);

/* Kills the check of a document, if there is one. */
void lsp_jobs_drop_check(struct lsp_jobs *jobs, const char *uri);

/* Kills the work for a request, by the JSON text of its id; its answer is an error. */
void lsp_jobs_cancel(struct lsp_jobs *jobs, const char *id);

/* Fills the first jobs->n elements of fds for poll, and reads what poll has found. */
void lsp_jobs_poll(const struct lsp_jobs *jobs, struct pollfd *fds);
void lsp_jobs_read(struct lsp_jobs *jobs, const struct pollfd *fds);

/* Moves finished messages to out: diagnostics at once, answers in the order of requests. */
void lsp_jobs_relay(struct lsp_jobs *jobs, struct str *out);

/* Waits for all jobs and moves their messages to out. */
void lsp_jobs_finish(struct lsp_jobs *jobs, struct str *out);

/* Kills all jobs. */
void lsp_jobs_end(struct lsp_jobs *jobs);

#endif
