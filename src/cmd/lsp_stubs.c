#include "cmd/lsp_answers.h"

/* Until there are answers. */

void lsp_answer_hover(struct json_writer *w, const char *key, const struct lsp_view *v,
                      size_t offset)
{
    (void)v, (void)offset;
    json_raw(w, key, "null");
}

void lsp_answer_completion(struct json_writer *w, const char *key, const struct lsp_view *v,
                           size_t offset)
{
    (void)v, (void)offset;
    json_raw(w, key, "null");
}

void lsp_answer_symbols(struct json_writer *w, const char *key, const struct lsp_view *v)
{
    (void)v;
    json_raw(w, key, "null");
}

void lsp_answer_definition(struct json_writer *w, const char *key, const struct lsp_view *v,
                           size_t offset)
{
    (void)v, (void)offset;
    json_raw(w, key, "null");
}
