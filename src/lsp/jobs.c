#include "lsp/jobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "lsp/message.h"
#include "os/file.h"

static bool work_in_child(const void *context, int fd)
{
    struct str out = { 0 };

    lsp_work(context, &out);
    return !out.failed && os_write(fd, out.s, out.len);
}

/* Replaces the answer by an error. */
static void fail(struct lsp_job *job, enum lsp_error code, const char *why)
{
    job->message.len = 0;
    if (job->id)
        lsp_answer_error(&job->message, job->id, code, "%s", why);
}

enum status lsp_jobs_begin(struct lsp_jobs *jobs, const struct lsp_work *work)
{
    struct lsp_job job = { .child.fd = -1, .id = work->id, .uri = mem_strdup(work->doc->uri) };

    if (!job.uri) {
        free(job.id);
        return diag_nomem(work->dg);
    }
    if (!os_has_children())
        lsp_work(work, &job.message);
    else if (!os_child_begin(&job.child, work_in_child, work)) {
        diag_warn(work->dg, NULL, "cannot start a process: %s", strerror(errno));
        fail(&job, LSP_INTERNAL_ERROR, "the work for this request has failed");
    }
    jobs->v[jobs->n++] = job;
    return ST_OK;
}

static void remove_job(struct lsp_jobs *jobs, size_t i)
{
    struct lsp_job *job = &jobs->v[i];

    if (job->child.id)
        (void)os_child_end(&job->child, true);
    free(job->id);
    free(job->uri);
    str_free(&job->message);
    memmove(job, job + 1, (--jobs->n - i) * sizeof *job);
}

void lsp_jobs_drop_check(struct lsp_jobs *jobs, const char *uri)
{
    for (size_t i = jobs->n; i-- > 0;)
        if (!jobs->v[i].id && strcmp(jobs->v[i].uri, uri) == 0)
            remove_job(jobs, i);
}

void lsp_jobs_cancel(struct lsp_jobs *jobs, const char *id)
{
    for (size_t i = 0; i < jobs->n; i++) {
        struct lsp_job *job = &jobs->v[i];

        if (job->child.id && job->id && strcmp(job->id, id) == 0) {
            (void)os_child_end(&job->child, true);
            fail(job, LSP_CANCELLED, "cancelled");
        }
    }
}

void lsp_jobs_poll(const struct lsp_jobs *jobs, struct pollfd *fds)
{
    for (size_t i = 0; i < jobs->n; i++)
        fds[i] = (struct pollfd){ .fd = jobs->v[i].child.fd, .events = POLLIN };
}

static void read_job(struct lsp_job *job)
{
    char buf[1 << 14];
    ssize_t n = read(job->child.fd, buf, sizeof buf);

    if (n > 0)
        str_add(&job->message, buf, (size_t)n);
    else if ((n == 0 || errno != EINTR) && (!os_child_end(&job->child, n < 0) || n < 0))
        fail(job, LSP_INTERNAL_ERROR, "the work for this request has failed");
}

void lsp_jobs_read(struct lsp_jobs *jobs, const struct pollfd *fds)
{
    for (size_t i = 0; i < jobs->n; i++)
        if (jobs->v[i].child.id && fds[i].revents)
            read_job(&jobs->v[i]);
}

void lsp_jobs_relay(struct lsp_jobs *jobs, struct str *out)
{
    bool turn = true; /* every request before is answered */

    for (size_t i = 0; i < jobs->n;) {
        struct lsp_job *job = &jobs->v[i];

        if (!job->child.id && (turn || !job->id)) {
            str_add(out, job->message.s ? job->message.s : "", job->message.len);
            out->failed = out->failed || job->message.failed;
            remove_job(jobs, i);
            continue;
        }
        turn = turn && !job->id;
        i++;
    }
}

void lsp_jobs_finish(struct lsp_jobs *jobs, struct str *out)
{
    for (size_t i = 0; i < jobs->n; i++)
        while (jobs->v[i].child.id)
            read_job(&jobs->v[i]);
    lsp_jobs_relay(jobs, out);
}

void lsp_jobs_end(struct lsp_jobs *jobs)
{
    while (jobs->n > 0)
        remove_job(jobs, jobs->n - 1);
}
