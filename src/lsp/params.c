#include "lsp/params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/number.h"

int64_t lsp_read_version(const struct json_doc *doc)
{
    ptrdiff_t node = json_doc_find(doc, "/params/textDocument/version");
    const struct json_node *v = node < 0 ? NULL : &doc->nodes[node];
    int64_t version = 0;

    if (v && v->type == JSON_NUMBER)
        (void)number_i64(doc->clean + v->start, v->end - v->start, &version);
    return version;
}

/* The kinds of actions that are wanted: all, or those that context.only names or begins. */
static void read_kinds(const struct json_doc *doc, struct lsp_work *work)
{
    static const char list[] = "/params/context/only";
    ptrdiff_t only = json_doc_find(doc, list);
    bool all = only < 0 || doc->nodes[only].type != JSON_ARRAY;

    work->quick_fixes = work->fix_all = all;
    for (size_t i = 0; !all && i < doc->nodes[only].count; i++) {
        char pointer[64], *kind;

        snprintf(pointer, sizeof pointer, "%s/%zu", list, i);
        kind = lsp_get_string(doc, pointer);
        if (kind) {
            work->quick_fixes |= !*kind || strcmp(kind, "quickfix") == 0;
            work->fix_all |= !*kind || strcmp(kind, "source") == 0 ||
                             strcmp(kind, "source.fixAll") == 0;
        }
        free(kind);
    }
}

/* A position, or an end of a range. */
static bool read_position(const struct json_doc *doc, const char *parent, size_t *line,
                          size_t *character)
{
    char pointer[64];

    snprintf(pointer, sizeof pointer, "%s/line", parent);
    if (!lsp_get_number(doc, pointer, line))
        return false;
    snprintf(pointer, sizeof pointer, "%s/character", parent);
    return lsp_get_number(doc, pointer, character);
}

bool lsp_read_places(const struct json_doc *doc, struct lsp_work *work)
{
    if (work->ask == LSP_ASK_SYMBOLS)
        return true;
    if (work->ask != LSP_ASK_ACTIONS)
        return read_position(doc, "/params/position", &work->line, &work->character);
    read_kinds(doc, work);
    return read_position(doc, "/params/range/start", &work->line, &work->character) &&
           read_position(doc, "/params/range/end", &work->end_line, &work->end_character);
}
