#include "lsp/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/mem.h"
#include "lsp/message.h"

/* Runs in the child. */
static void work_and_end(const struct lsp_work *work, int fd, pid_t parent, struct diag *dg)
{
    struct str out = { 0 };
    size_t done = 0;
    ssize_t n = 0;

#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _Exit(ST_SYSTEM); /* the server ended before prctl */
    lsp_work(work, &out, dg);
    while (!out.failed && done < out.len && (n >= 0 || errno == EINTR)) {
        n = write(fd, out.s + done, out.len - done);
        done += n > 0 ? (size_t)n : 0;
    }
    _Exit(!out.failed && done == out.len ? ST_OK : ST_SYSTEM);
}

/* Replaces the answer by an error. */
static void fail(struct lsp_job *job, enum lsp_error code, const char *why)
{
    job->message.len = 0;
    if (job->id)
        lsp_answer_error(&job->message, job->id, code, "%s", why);
}

enum status lsp_jobs_begin(struct lsp_jobs *jobs, const struct lsp_work *work, struct diag *dg)
{
    struct lsp_job job = { .pid = -1, .fd = -1, .id = work->id, .uri = mem_strdup(work->doc->uri) };
    pid_t parent = getpid();
    int ends[2] = { -1, -1 };

    if (!job.uri) {
        free(job.id);
        return diag_nomem(dg);
    }
    if (pipe2(ends, O_CLOEXEC) == 0)
        job.pid = fork();
    if (job.pid == 0)
        work_and_end(work, ends[1], parent, dg);
    if (job.pid < 0) {
        diag_warn(dg, NULL, "cannot start a process: %s", strerror(errno));
        fail(&job, LSP_INTERNAL_ERROR, "the work for this request has failed");
        (void)close(ends[0]);
    } else
        job.fd = ends[0];
    (void)close(ends[1]);
    jobs->v[jobs->n++] = job;
    return ST_OK;
}

/* Waits for the child to end; returns whether it succeeded. */
static bool reap(struct lsp_job *job, bool kill_it)
{
    int status = 0;
    pid_t got;

    if (kill_it)
        (void)kill(job->pid, SIGKILL);
    close(job->fd);
    do
        got = waitpid(job->pid, &status, 0);
    while (got < 0 && errno == EINTR);
    job->pid = job->fd = -1;
    return got > 0 && WIFEXITED(status) && WEXITSTATUS(status) == ST_OK;
}

static void remove_job(struct lsp_jobs *jobs, size_t i)
{
    struct lsp_job *job = &jobs->v[i];

    if (job->pid > 0)
        (void)reap(job, true);
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

        if (job->pid > 0 && job->id && strcmp(job->id, id) == 0) {
            (void)reap(job, true);
            fail(job, LSP_CANCELLED, "cancelled");
        }
    }
}

void lsp_jobs_poll(const struct lsp_jobs *jobs, struct pollfd *fds)
{
    for (size_t i = 0; i < jobs->n; i++)
        fds[i] = (struct pollfd){ .fd = jobs->v[i].fd, .events = POLLIN };
}

static void read_job(struct lsp_job *job)
{
    char buf[1 << 14];
    ssize_t n = read(job->fd, buf, sizeof buf);

    if (n > 0)
        str_add(&job->message, buf, (size_t)n);
    else if ((n == 0 || errno != EINTR) && (!reap(job, n < 0) || n < 0))
        fail(job, LSP_INTERNAL_ERROR, "the work for this request has failed");
}

void lsp_jobs_read(struct lsp_jobs *jobs, const struct pollfd *fds)
{
    for (size_t i = 0; i < jobs->n; i++)
        if (jobs->v[i].pid > 0 && fds[i].revents)
            read_job(&jobs->v[i]);
}

void lsp_jobs_relay(struct lsp_jobs *jobs, struct str *out)
{
    bool turn = true; /* every request before is answered */

    for (size_t i = 0; i < jobs->n;) {
        struct lsp_job *job = &jobs->v[i];

        if (job->pid < 0 && (turn || !job->id)) {
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
        while (jobs->v[i].pid > 0)
            read_job(&jobs->v[i]);
    lsp_jobs_relay(jobs, out);
}

void lsp_jobs_end(struct lsp_jobs *jobs)
{
    while (jobs->n > 0)
        remove_job(jobs, jobs->n - 1);
}
