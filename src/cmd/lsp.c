#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "lsp/message.h"
#include "lsp/server.h"
#include "os/process.h"
#include "run/shared_options.h"

struct lsp_args {
    struct common_args common;
    struct checking_args checking;
    bool portable, stdio;
    long client;
};

#include "cmd/lsp_rows.h"

enum {
    OUT_MOST = 1 << 20,   /* pending bytes of output above which nothing more is read */
    AHEAD_MOST = 1 << 20, /* bytes that are read ahead of the messages that are handled */
    WRITE_MOST = 4096,    /* bytes that a ready pipe accepts without blocking: PIPE_BUF */
    LIVING_MS = 2000      /* between two looks at the client's process */
};

/* The server between its two streams. */
struct service {
    struct lsp_server server;
    struct lsp_frames in;
    struct str out;
    size_t written; /* of out */
    bool gone;      /* standard input has ended */
    bool idle;      /* nothing is left to do until more is read */
};

/* Looks at all messages that have arrived: what they cancel need not be done. A wrong header is
 * reported when it is reached. */
static void look(struct service *v)
{
    struct str unread = { 0 };
    struct diag later = { .err = stderr, .text = &unread };
    const char *text;
    size_t len;

    while (lsp_frames_next(&v->in, &v->in.ahead, &text, &len, &later) == ST_OK && text)
        lsp_server_look(&v->server, text, len);
    str_free(&unread);
}

/* Handles the next message; if there is none, checks a document. */
static enum status work(struct service *v, struct diag *dg)
{
    const char *text;
    size_t len;
    enum status st = lsp_frames_next(&v->in, &v->in.at, &text, &len, dg);

    if (st)
        return st;
    if (text)
        st = lsp_server_message(&v->server, text, len, &v->out);
    else
        v->idle = v->gone || !lsp_server_check(&v->server, &v->out);
    if (v->in.at >= v->in.ahead)
        str_free(&v->server.cancelled); /* by messages that are handled now */
    return st == ST_OK && v->out.failed ? diag_nomem(dg) : st;
}

static enum status read_some(struct service *v, struct diag *dg)
{
    char buf[1 << 14]; /* stacks may be small */
    ssize_t n = read(STDIN_FILENO, buf, sizeof buf);

    if (n < 0 && errno != EINTR)
        return diag_errno(dg, ST_INPUT, "-", errno, "cannot read");
    v->gone = n == 0;
    v->idle = false;
    if (n > 0)
        lsp_frames_add(&v->in, buf, (size_t)n);
    if (v->in.bytes.failed)
        return diag_nomem(dg);
    look(v);
    return ST_OK;
}

/* Writes at most `most` bytes of pending output. */
static enum status write_some(struct service *v, size_t most, struct diag *dg)
{
    size_t left = v->out.len - v->written;
    ssize_t n = write(STDOUT_FILENO, v->out.s + v->written, left < most ? left : most);

    if (n < 0 && errno != EINTR)
        return errno == EPIPE ? ST_SYSTEM
                              : diag_errno(dg, ST_SYSTEM, "standard output", errno, "cannot write");
    v->written += n > 0 ? (size_t)n : 0;
    if (v->written == v->out.len) {
        str_free(&v->out);
        v->written = 0;
    }
    return ST_OK;
}

/* Reads all that has arrived, then works; waits where there is nothing to do. */
static enum status serve_once(struct service *v, struct diag *dg)
{
    bool busy = !v->idle && v->out.len - v->written < OUT_MOST;
    bool room = v->idle || v->in.bytes.len - v->in.at < AHEAD_MOST;
    struct pollfd fds[2] = {
        { .fd = room && !v->gone ? STDIN_FILENO : -1, .events = POLLIN },
        { .fd = v->out.len > 0 ? STDOUT_FILENO : -1, .events = POLLOUT },
    };
    enum status st = ST_OK;

    if (poll(fds, 2, busy ? 0 : v->server.client ? LIVING_MS : -1) < 0)
        return errno == EINTR ? ST_OK : diag_errno(dg, ST_SYSTEM, NULL, errno, "cannot wait");
    if (fds[1].revents)
        st = write_some(v, WRITE_MOST, dg);
    if (st == ST_OK && fds[0].revents)
        st = read_some(v, dg);
    else if (st == ST_OK && busy)
        st = work(v, dg);
    return st;
}

static enum status serve(struct service *v, struct diag *dg)
{
    enum status st = ST_OK, written = ST_OK;

    while (st == ST_OK && !(v->gone && v->idle) && v->server.phase < LSP_ENDED) {
        st = serve_once(v, dg);
        if (v->server.client && !os_process_lives(v->server.client))
            return ST_INVALID;
    }
    while (st != ST_SYSTEM && !v->out.failed && v->out.len > 0 && written == ST_OK)
        written = write_some(v, v->out.len, dg);
    if (st == ST_OK && v->gone && v->in.at < v->in.bytes.len)
        diag_error(dg, ST_INVALID, "-", "it ends in the middle of a message");
    st = st ? st : written;
    return st ? st : v->server.phase == LSP_ENDED ? ST_OK : ST_INVALID;
}

enum status cmd_lsp(int argc, char **argv, struct diag *dg)
{
    struct lsp_args a = { 0 };
    struct service v = { .server.dg = dg };
    struct desc_options *opt = &v.server.settings.check.desc;
    enum status st;

    if (!command_begin(lsp_options, &a, &argc, &argv, &st, dg))
        return st;
    if (argc > 0)
        return usage_error(dg, "takes no operands, but '%s' is given", argv[0]);
    *opt = checking_rules(&a.checking, a.common.quiet);
    opt->findings.portable = a.portable;
    opt->findings.max_findings = 0;
    v.server.client = a.client;
    st = serve(&v, dg);
    lsp_server_free(&v.server);
    str_free(&v.in.bytes);
    str_free(&v.out);
    return st;
}
