#include "lsp/work.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "lsp/answers.h"
#include "lsp/message.h"
#include "lsp/own.h"

/* Reads the wanted kinds of actions: those in context.only and below; all if there is no list. */
static void read_kinds(struct lsp_work *work, const struct json_doc *message)
{
    const struct json_node *nodes = message->nodes;
    ptrdiff_t only = json_doc_find(message, "/params/context/only");
    bool all = only < 0 || nodes[only].type != JSON_ARRAY;

    work->quick_fixes = work->fix_all = all;
    for (size_t i = (size_t)only + 1; !all && i < nodes[only].next; i = nodes[i].next) {
        bool any = lsp_string_is(message, i, "");

        work->quick_fixes |= any || lsp_string_is(message, i, "quickfix");
        work->fix_all |= any || lsp_string_is(message, i, "source") ||
                         lsp_string_is(message, i, "source.fixAll");
    }
}

bool lsp_work_read(struct lsp_work *work, const struct json_doc *message)
{
    const struct str *text = &work->doc->text;
    enum lsp_encoding encoding = work->settings->encoding;
    ptrdiff_t position = json_doc_find(message, "/params/position");
    ptrdiff_t range = json_doc_find(message, "/params/range");

    if (work->ask == LSP_ASK_SYMBOLS)
        return true;
    if (work->ask != LSP_ASK_ACTIONS)
        return lsp_get_offset(message, position, text, encoding, &work->start);
    read_kinds(work, message);
    return lsp_get_range(message, range, text, encoding, &work->start, &work->end);
}

/* The path of a file: URI of this machine, else the URI; owned by the caller, NULL if memory is
 * short. */
static char *path_of(const char *uri)
{
    struct str path = { 0 };
    const char *p = uri;

    if (strncasecmp(p, "file:", strlen("file:")) != 0)
        return mem_strdup(uri);
    p += strlen("file:");
    if (strncmp(p, "//", 2) == 0)
        p += strncmp(p + 2, "localhost/", 10) == 0 ? 2 + strlen("localhost") : 2;
    if (*p != '/')
        return mem_strdup(uri);
    for (; *p; p++) {
        char c = *p;

        if (c == '%' && isxdigit((unsigned char)p[1]) && isxdigit((unsigned char)p[2])) {
            c = (char)strtol((char[]){ p[1], p[2], '\0' }, NULL, 16);
            p += c ? 2 : 0;
        }
        str_add(&path, c ? &c : p, 1);
    }
    return str_detach(&path);
}

static void answer(struct lsp_view *v, struct str *out)
{
    static void (*const answers[])(struct json_writer * w, struct lsp_view * v) = {
        [LSP_ASK_DIAGNOSTICS] = lsp_answer_diagnostics, [LSP_ASK_HOVER] = lsp_answer_hover,
        [LSP_ASK_COMPLETION] = lsp_answer_completion,   [LSP_ASK_SYMBOLS] = lsp_answer_symbols,
        [LSP_ASK_DEFINITION] = lsp_answer_definition,   [LSP_ASK_ACTIONS] = lsp_answer_actions,
    };
    const char *id = v->work->id;
    struct lsp_message m;

    answers[v->work->ask](id ? lsp_begin_answer(&m, id)
                             : lsp_begin_notification(&m, "textDocument/publishDiagnostics"),
                          v);
    lsp_end(&m, out);
}

/* Answers for a document that is too long to be checked. */
static void answer_unchecked(const struct lsp_work *work, struct str *out)
{
    if (work->id)
        lsp_answer_null(out, work->id);
    else
        lsp_say(out, LSP_SAY_ERROR,
                "%s: the text is longer than %zu MiB, the most that a "
                "descriptor may have",
                work->doc->uri, DESC_MAX_TEXT >> 20);
}

void lsp_work(const struct lsp_work *work, struct str *out, struct diag *dg)
{
    struct checked c = { 0 };
    char *path = path_of(work->doc->uri);
    const struct str *text = &work->doc->text;
    bool own = path && lsp_is_own(path, text);
    enum status st = own    ? checked_copy(&c, path, text, &work->settings->check, dg)
                     : path ? ST_OK
                            : ST_SYSTEM;
    struct lsp_view v = {
        .work = work,
        .path = path,
        .checked = &c,
        .dg = dg,
        .places = { .text = c.document.text,
                    .len = c.document.len,
                    .encoding = work->settings->encoding },
    };

    if (st == ST_OK && (own || !work->id)) /* no diagnostics: those of an older text go away */
        answer(&v, out);
    else if (st == ST_OK)
        lsp_answer_null(out, work->id);
    else if (st == ST_INPUT)
        answer_unchecked(work, out);
    else
        out->failed = true;
    checked_free(&c);
    free(path);
}
