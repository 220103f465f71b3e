#include "cmd/lsp_finding.h"

void lsp_answer_actions(struct json_writer *w, const char *key, const struct lsp_view *v,
                        const struct lsp_actions *wanted)
{
    (void)v, (void)wanted;
    json_raw(w, key, "[]");
}
