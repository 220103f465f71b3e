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
#include "lsp/reply.h"

/* The child's part. */
static void work_and_end(const struct lsp_work *work, int fd, pid_t parent, struct diag *dg)
{
    struct str out = { 0 };
    size_t done = 0;
    ssize_t n = 0;

#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _Exit(ST_SYSTEM); /* it has ended before that could be asked for */
    lsp_work(work, &out, dg);
    while (!out.failed && done < out.len && (n >= 0 || errno == EINTR)) {
        n = write(fd, out.s + done, out.len - done);
        done += n > 0 ? (size_t)n : 0;
    }
    _Exit(!out.failed && done == out.len ? ST_OK : ST_SYSTEM);
}

/* Starts a child for the work; false where that fails. */
static bool start(struct lsp_job *job, const struct lsp_work *work, struct diag *dg)
{
    pid_t parent = getpid();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    job->pid = fork();
    if (job->pid == 0)
        work_and_end(work, ends[1], parent, dg);
    close(ends[1]);
    if (job->pid < 0)
        close(ends[0]);
    else
        job->fd = ends[0];
    return job->pid > 0;
}

static void release(struct lsp_job *job)
{
    free(job->id);
    free(job->uri);
    str_free(&job->message);
}

enum status lsp_jobs_begin(struct lsp_jobs *jobs, const struct lsp_work *work, struct diag *dg)
{
    struct lsp_job *job = &jobs->v[jobs->n];

    *job = (struct lsp_job){ .pid = -1, .fd = -1, .uri = mem_strdup(work->doc->uri),
                             .id = work->id ? mem_strdup(work->id) : NULL };
    if (!job->uri || (work->id && !job->id)) {
        release(job);
        return diag_nomem(dg);
    }
    if (!start(job, work, dg)) {
        job->pid = -1;
        lsp_work(work, &job->message, dg);
    }
    jobs->n++;
    return ST_OK;
}

/* Waits for the child to end; whether it did all it had to. */
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

static void take_out(struct lsp_jobs *jobs, size_t i)
{
    release(&jobs->v[i]);
    memmove(&jobs->v[i], &jobs->v[i + 1], (--jobs->n - i) * sizeof jobs->v[0]);
}

void lsp_jobs_drop_check(struct lsp_jobs *jobs, const char *uri)
{
    for (size_t i = jobs->n; i-- > 0;) {
        struct lsp_job *job = &jobs->v[i];

        if (job->id || strcmp(job->uri, uri) != 0)
            continue;
        if (job->pid > 0)
            (void)reap(job, true);
        take_out(jobs, i);
    }
}

/* Another answer than was expected. */
static void answer_instead(struct lsp_job *job, enum lsp_error code, const char *why)
{
    job->message.len = 0;
    if (job->id)
        lsp_answer_error(&job->message, job->id, code, "%s", why);
}

void lsp_jobs_cancel(struct lsp_jobs *jobs, const char *id)
{
    for (size_t i = 0; i < jobs->n; i++) {
        struct lsp_job *job = &jobs->v[i];

        if (job->pid > 0 && job->id && strcmp(job->id, id) == 0) {
            (void)reap(job, true);
            answer_instead(job, LSP_CANCELLED, "cancelled");
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
        answer_instead(job, LSP_INTERNAL_ERROR, "the work for this request has failed");
}

void lsp_jobs_read(struct lsp_jobs *jobs, const struct pollfd *fds)
{
    for (size_t i = 0; i < jobs->n; i++)
        if (jobs->v[i].pid > 0 && fds[i].revents)
            read_job(&jobs->v[i]);
}

void lsp_jobs_relay(struct lsp_jobs *jobs, struct str *out)
{
    bool turn = true; /* no request before waits for its answer */

    for (size_t i = 0; i < jobs->n;) {
        struct lsp_job *job = &jobs->v[i];

        if (job->pid < 0 && (turn || !job->id)) {
            str_add(out, job->message.s ? job->message.s : "", job->message.len);
            out->failed = out->failed || job->message.failed;
            take_out(jobs, i);
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
    for (size_t i = 0; i < jobs->n; i++) {
        if (jobs->v[i].pid > 0)
            (void)reap(&jobs->v[i], true);
        release(&jobs->v[i]);
    }
    jobs->n = 0;
}
