#include "lsp/work.h"

#include "base/mem.h"
#include "base/path.h"
#include "lsp/cursor.h"
#include "lsp/message.h"
#include "os/file.h"

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
    const struct lsp_text *text = &work->doc->text;
    ptrdiff_t position = json_doc_find(message, "/params/position");
    ptrdiff_t range = json_doc_find(message, "/params/range");

    if (work->answer == lsp_answer_symbols)
        return true;
    if (work->answer != lsp_answer_actions)
        return lsp_get_offset(message, position, text, &work->start);
    read_kinds(work, message);
    return lsp_get_range(message, range, text, &work->start, &work->end);
}

/* The path of a file: URI of this machine, else the URI; owned by the caller, NULL: no memory. */
static char *path_of(const char *uri)
{
    struct str path = { 0 };
    const char *p = uri + strlen("file:");

    if (strncasecmp(uri, "file:", strlen("file:")) != 0)
        return mem_strdup(uri);
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
    if (path.s && os_path_root(path.s + 1) > 1) /* "/C:/x" */
        memmove(path.s, path.s + 1, path.len--);
    return str_detach(&path);
}

enum { NAME_BYTES = 128 };

/* True for NAME.schema.json, as `make install` names the schemas that `validate --schema` prints,
 * and dmlop*. Cuts the name. */
static bool names_schema(char *file)
{
    if (strncmp(file, "dmlop", 5) == 0)
        return true;
    if (!path_has_extension(file, ".schema.json"))
        return false;
    file[strlen(file) - strlen(".schema.json")] = '\0';
    return strcmp(file, "descriptor") == 0 || strcmp(file, "model") == 0 ||
           schema_index(file) < schema_count();
}

static bool has(const struct lsp_cursor *c, size_t object, const char *key)
{
    return lsp_member(c, object, key, '\0', NULL);
}

/* Copies the string of a member from its last slash on, "" if there is none. A longer one is cut:
 * it is no name that is known here. */
static void read_name(const struct lsp_cursor *c, size_t object, const char *key,
                      char name[NAME_BYTES])
{
    struct lsp_span s;
    size_t n = 0;

    if (lsp_member(c, object, key, '"', &s))
        for (size_t i = s.start + 1; i < s.end && c->text[i] != '"'; i++) {
            bool slash = c->text[i] == '/' || c->text[i] == '\\';

            n = slash ? 0 : n;
            if (!slash && n < NAME_BYTES - 1)
                name[n++] = c->text[i];
        }
    name[n] = '\0';
}

/* True if a file is a descriptor or a model, which the server answers for: by its name, *.desc.json
 * or *.model.json, by its "$schema", or by its content, which may be broken. Editors send all their
 * JSON files to a server that is set up for JSON. A type may still be typed. A short one, such as
 * CAST, is certain only beside "desc". */
static bool is_served(const char *path, const struct str *text)
{
    char schema[NAME_BYTES], type[NAME_BYTES];
    struct lsp_cursor c;
    struct lsp_span top;

    if (path_has_extension(path, ".desc.json") || path_has_extension(path, ".model.json"))
        return true;
    lsp_cursor_find(&c, text->s ? text->s : "", text->len, 0);
    if (lsp_cursor_next(&c, &top) != '{')
        return false;
    read_name(&c, top.start, "$schema", schema);
    read_name(&c, top.start, has(&c, top.start, "type") ? "type" : "Type", type);
    return names_schema(schema) || strncmp(type, "DML_OPERATOR_", 13) == 0 ||
           (has(&c, top.start, "desc") && schema_find(type)) ||
           (has(&c, top.start, "dispatchables") &&
            (has(&c, top.start, "commands") || has(&c, top.start, "resources")));
}

static void answer(struct lsp_work *v, struct str *out)
{
    struct lsp_message m;
    struct json_writer *w = v->id ? lsp_begin_answer(&m, v->id)
                                  : lsp_begin_notification(&m, "textDocument/publishDiagnostics");
    size_t begin = m.body.len;

    v->answer(w, v);
    if (m.body.len == begin)
        json_raw(w, "result", "null");
    lsp_end(&m, out);
}

void lsp_parsed_free(struct lsp_parsed *p)
{
    checked_free(&p->checked);
    free(p->path);
    *p = (struct lsp_parsed){ 0 };
}

/* Parses and judges the text of the document, unless it is the last that was. */
static enum status parse(struct lsp_parsed *p, const struct lsp_work *work)
{
    const struct str *text = &work->doc->text.bytes;
    enum status st = ST_OK;

    if (p->edition == work->doc->edition)
        return ST_OK;
    lsp_parsed_free(p);
    p->path = path_of(work->doc->uri);
    if (!p->path)
        return ST_SYSTEM;
    p->served = is_served(p->path, text);
    if (p->served)
        st = checked_copy(&p->checked, p->path, text, &work->settings->check, work->dg);
    p->edition = st == ST_OK ? work->doc->edition : 0;
    return st;
}

void lsp_work(struct lsp_work *work, struct lsp_parsed *parsed, struct str *out)
{
    enum status st = parse(parsed, work);

    work->path = parsed->path;
    work->checked = &parsed->checked;
    work->places = (struct lsp_places){ .text = &work->doc->text };
    if (st == ST_OK && (parsed->served || !work->id)) /* none: those of an older text go away */
        answer(work, out);
    else if (work->id && (st == ST_OK || st == ST_INPUT))
        lsp_answer_null(out, work->id);
    else if (st == ST_INPUT)
        lsp_say(out, LSP_SAY_ERROR,
                "%s: the text is longer than %zu MiB, the most that a descriptor may have",
                work->doc->uri, DESC_MAX_TEXT >> 20);
    else
        out->failed = true;
}
