#include "lsp/reply.h"

#include "lsp/frame.h"

static struct json_writer *begin(struct lsp_message *m)
{
    *m = (struct lsp_message){ .w = { .out = &m->body } };
    json_open(&m->w, NULL, "{}");
    json_string(&m->w, "jsonrpc", "2.0");
    return &m->w;
}

struct json_writer *lsp_begin_answer(struct lsp_message *m, const char *id)
{
    begin(m);
    json_raw(&m->w, "id", id ? id : "null");
    return &m->w;
}

struct json_writer *lsp_begin_notification(struct lsp_message *m, const char *method)
{
    begin(m);
    json_string(&m->w, "method", method);
    return &m->w;
}

void lsp_end(struct lsp_message *m, struct str *out)
{
    json_close_to(&m->w, 0);
    lsp_frame_write(out, &m->body);
    str_free(&m->body);
}

void lsp_answer_null(struct str *out, const char *id)
{
    struct lsp_message m;

    json_raw(lsp_begin_answer(&m, id), "result", "null");
    lsp_end(&m, out);
}

/* The member "message" of what is open. */
static void write_text(struct json_writer *w, const char *fmt, va_list ap)
{
    struct str text = { 0 };

    str_vprintf(&text, fmt, ap);
    json_str(w, "message", &text);
}

void lsp_answer_error(struct str *out, const char *id, enum lsp_error code, const char *fmt, ...)
{
    struct lsp_message m;
    struct json_writer *w = lsp_begin_answer(&m, id);
    va_list ap;

    json_open(w, "error", "{}");
    json_int(w, "code", code);
    va_start(ap, fmt);
    write_text(w, fmt, ap);
    va_end(ap);
    lsp_end(&m, out);
}

void lsp_say(struct str *out, enum lsp_message_type type, const char *fmt, ...)
{
    struct lsp_message m;
    struct json_writer *w = lsp_begin_notification(&m, "window/showMessage");
    va_list ap;

    json_open(w, "params", "{}");
    json_uint(w, "type", type);
    va_start(ap, fmt);
    write_text(w, fmt, ap);
    va_end(ap);
    lsp_end(&m, out);
}
