#ifndef DMLOP_LSP_JOBS_H
#define DMLOP_LSP_JOBS_H

#include <poll.h>
#include <sys/types.h>

#include "lsp/work.h"

/*
 * Work that goes on while messages are read: each piece in a child process, which has the documents
 * as they were when it began, writes its message to a pipe and ends. Where no process can be had
 * the work is done at once. Answers to requests are handed out in the order of the requests.
 */

enum {
    LSP_JOBS_MOST = 8,  /* at a time */
    LSP_CHECKS_MOST = 4 /* with so many no check begins, so that there is room for requests */
};

struct lsp_job {
    pid_t pid;      /* -1: it has ended, and `message` is whole */
    int fd;         /* what it writes */
    char *id;       /* of the request, owned; NULL: a check */
    char *uri;      /* of the document, owned */
    struct str message;
};

/* Zero-initialise; release with lsp_jobs_end. */
struct lsp_jobs {
    struct lsp_job v[LSP_JOBS_MOST];
    size_t n;
};

/* Begins work; there must be room for it. ST_SYSTEM, with a message, where memory is short. */
enum status lsp_jobs_begin(struct lsp_jobs *jobs, const struct lsp_work *work, struct diag *dg);

/* Ends the check of a document, if there is one. */
void lsp_jobs_drop_check(struct lsp_jobs *jobs, const char *uri);

/* Ends the work for the request whose id is that JSON text; its answer says so. */
void lsp_jobs_cancel(struct lsp_jobs *jobs, const char *id);

/* What to wait for: jobs->n elements of fds. */
void lsp_jobs_poll(const struct lsp_jobs *jobs, struct pollfd *fds);

/* Reads what is there after poll said so. */
void lsp_jobs_read(struct lsp_jobs *jobs, const struct pollfd *fds);

/* Adds to out what is whole and has its turn. */
void lsp_jobs_relay(struct lsp_jobs *jobs, struct str *out);

/* Waits until all jobs are done and adds what they say to out. */
void lsp_jobs_finish(struct lsp_jobs *jobs, struct str *out);

/* Ends them all. */
void lsp_jobs_end(struct lsp_jobs *jobs);

#endif
