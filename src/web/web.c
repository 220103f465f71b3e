#include "web/web.h"

#include <stdio.h>
#include <stdlib.h>

#include "lsp/server.h"

/* Of the linker and the C library. */
void __wasm_call_ctors(void);
int __main_void(void);

static struct lsp_server server;
static struct diag messages;
static struct str answers;

/* In place of the C library's, so that initializers run once and not around every function that the
 * page calls. */
void _start(void)
{
    __wasm_call_ctors();
    exit(__main_void());
}

void web_begin(void) { __wasm_call_ctors(); }

char *web_text(size_t len) { return malloc(len > 0 ? len : 1); }

/* Does the work that a message has asked for, and the checks that wait, one after the other. */
static void do_work(struct lsp_work *work)
{
    struct lsp_doc *doc;

    if (work->doc)
        lsp_work(work, &answers, &messages);
    free(work->id);
    while ((doc = lsp_docs_waiting(&server.docs))) {
        struct lsp_work check = { .ask = LSP_ASK_DIAGNOSTICS,
                                  .doc = doc,
                                  .settings = &server.settings };

        doc->waiting = false;
        lsp_work(&check, &answers, &messages);
    }
}

ptrdiff_t web_message(char *text, size_t len)
{
    struct lsp_work work = { .doc = NULL };
    enum status st;

    if (!server.dg) {
        messages.err = stderr;
        server.dg = &messages;
        server.settings.check.desc = (struct desc_options){ .level = LEVEL_NEWEST };
    }
    str_free(&answers);
    st = lsp_server_message(&server, text, len, &answers, &work);
    free(text);
    if (st == ST_OK)
        do_work(&work);
    return st || answers.failed ? -1 : (ptrdiff_t)answers.len;
}

const char *web_answers(void) { return answers.s; }
