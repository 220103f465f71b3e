#include "lsp/work.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "lsp/answers.h"
#include "lsp/reply.h"

static int hex_digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10
                                                                            : -1;
}

/* The path of a file: URI of this machine, else the URI; owned by the caller, NULL where memory is
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
        int high = *p == '%' ? hex_digit(p[1]) : -1, low = high < 0 ? -1 : hex_digit(p[2]);
        char c = (char)(high * 16 + low);

        if (low < 0 || c == '\0')
            str_add(&path, p, 1);
        else {
            str_add(&path, &c, 1);
            p += 2;
        }
    }
    return str_detach(&path);
}

/* Parses and judges the document. */
static enum status check(const struct lsp_work *work, const char *path, struct checked *c,
                         struct diag *dg)
{
    const struct str *text = &work->doc->text;
    char *copy = mem_alloc((uint64_t)text->len + 1, 1);

    if (!copy)
        return diag_nomem(dg);
    memcpy(copy, text->s, text->len);
    copy[text->len] = '\0';
    return checked_text(c, path, copy, text->len, &work->settings->check, dg);
}

static size_t offset_of(const struct lsp_work *work, size_t line, size_t character)
{
    return lsp_offset(work->doc->text.s, work->doc->text.len, work->settings->encoding, line,
                      character);
}

static void answer_actions(struct json_writer *w, const struct lsp_work *work,
                           const struct lsp_view *v, struct diag *dg)
{
    struct lsp_actions wanted = {
        .start = offset_of(work, work->line, work->character),
        .end = offset_of(work, work->end_line, work->end_character),
        .quick_fixes = work->quick_fixes,
        .fix_all = work->fix_all,
        .versioned = work->settings->versioned,
        .version = work->doc->version,
        .dg = dg,
    };

    lsp_answer_actions(w, "result", v, &wanted);
}

static void answer(const struct lsp_work *work, const struct lsp_view *v, struct str *out,
                   struct diag *dg)
{
    size_t at = offset_of(work, work->line, work->character);
    struct lsp_message m;
    struct json_writer *w;

    w = work->id ? lsp_begin_answer(&m, work->id)
                 : lsp_begin_notification(&m, "textDocument/publishDiagnostics");
    switch (work->ask) {
    case LSP_ASK_DIAGNOSTICS:
        lsp_answer_diagnostics(w, "params", v, work->doc->version);
        break;
    case LSP_ASK_HOVER:
        lsp_answer_hover(w, "result", v, at);
        break;
    case LSP_ASK_COMPLETION:
        lsp_answer_completion(w, "result", v, at);
        break;
    case LSP_ASK_SYMBOLS:
        lsp_answer_symbols(w, "result", v);
        break;
    case LSP_ASK_DEFINITION:
        lsp_answer_definition(w, "result", v, at);
        break;
    case LSP_ASK_ACTIONS:
        answer_actions(w, work, v, dg);
        break;
    }
    lsp_end(&m, out);
}

/* Where the document cannot be checked, which standard error tells more of. */
static void answer_unchecked(const struct lsp_work *work, struct str *out)
{
    if (work->id)
        lsp_answer_null(out, work->id);
    else
        lsp_say(out, LSP_SAY_ERROR, "%s: the text is longer than %zu MiB, the most that a "
                "descriptor may have", work->doc->uri, DESC_MAX_TEXT >> 20);
}

void lsp_work(const struct lsp_work *work, struct str *out, struct diag *dg)
{
    struct checked c = { 0 };
    char *path = path_of(work->doc->uri);
    enum status st = path ? check(work, path, &c, dg) : ST_SYSTEM;
    struct lsp_view view = { .uri = work->doc->uri, .path = path, .checked = &c,
                             .opt = &work->settings->check,
                             .encoding = work->settings->encoding,
                             .snippets = work->settings->snippets };

    if (st == ST_OK)
        answer(work, &view, out, dg);
    else if (st == ST_INPUT)
        answer_unchecked(work, out);
    else
        out->failed = true;
    checked_free(&c);
    free(path);
}
