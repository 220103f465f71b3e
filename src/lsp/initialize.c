#include "lsp/work.h"

#include <string.h>

#include "lsp/message.h"

#define CLIENT  "/params/capabilities/"
#define OPTIONS "/params/initializationOptions"

static bool is_true(const struct json_doc *message, const char *pointer)
{
    ptrdiff_t node = json_doc_find(message, pointer);

    return node >= 0 && message->nodes[node].type == JSON_TRUE;
}

/* The client's first encoding that the server knows; UTF-16 if there is none. */
static enum lsp_encoding read_encoding(const struct json_doc *message)
{
    ptrdiff_t list = json_doc_find(message, CLIENT "general/positionEncodings");
    size_t end = list < 0 ? 0 : message->nodes[list].next;

    for (size_t i = (size_t)list + 1; i < end; i = message->nodes[i].next) {
        if (lsp_string_is(message, i, "utf-8"))
            return LSP_UTF8;
        if (lsp_string_is(message, i, "utf-16"))
            return LSP_UTF16;
    }
    return LSP_UTF16;
}

/* Reads one of the initializationOptions, a member with that key. */
static void read_option(struct desc_options *opt, const struct json_doc *message, size_t node,
                        const char *key, struct str *out)
{
    static const char *const names[] = { "featureLevel", "relaxed", "portable" };
    bool *const flags[] = { NULL, &opt->findings.relaxed, &opt->findings.portable };
    enum json_type type = message->nodes[node].type;
    size_t near = str_nearest(key, names, ARRAY_LEN(names));
    const char *level = lsp_get_string(message, OPTIONS "/featureLevel");

    if (near == ARRAY_LEN(names))
        lsp_say(out, LSP_SAY_WARNING, "initializationOptions: there is no '%s'", key);
    else if (strcmp(key, names[near]) != 0)
        lsp_say(out, LSP_SAY_WARNING, "initializationOptions: there is no '%s'; did you mean %s?",
                key, names[near]);
    else if (flags[near] && (type == JSON_TRUE || type == JSON_FALSE))
        *flags[near] = type == JSON_TRUE;
    else if (flags[near])
        lsp_say(out, LSP_SAY_WARNING, "initializationOptions: %s is neither true nor false", key);
    else if (level && level_from_name(level) < LEVEL_COUNT)
        opt->level = level_from_name(level);
    else
        lsp_say(out, LSP_SAY_WARNING,
                "initializationOptions: featureLevel is not a feature level; use one from "
                "\"1_0\" to \"%s\"",
                level_names[LEVEL_NEWEST]);
}

static void read_options(struct desc_options *opt, const struct json_doc *message, struct str *out)
{
    ptrdiff_t top = json_doc_find(message, OPTIONS);
    const struct json_node *nodes = message->nodes;

    if (top < 0 || nodes[top].type == JSON_NULL)
        return;
    if (nodes[top].type != JSON_OBJECT) {
        lsp_say(out, LSP_SAY_WARNING, "initializationOptions: it is not an object");
        return;
    }
    for (size_t i = (size_t)top + 1; i < nodes[top].next; i = nodes[i].next)
        read_option(opt, message, i, json_doc_key_text(message, i), out);
}

static void write_answer(enum lsp_encoding encoding, const char *id, struct str *out)
{
    struct lsp_message m;
    struct json_writer *w = lsp_begin_answer(&m, id);

    json_format(w, "result: { capabilities: { positionEncoding: %s",
                encoding == LSP_UTF8 ? "utf-8" : "utf-16");
    json_raw(w, "textDocumentSync", "{\"openClose\": true, \"change\": 2}");
    json_bool(w, "hoverProvider", true);
    json_raw(w, "completionProvider", "{\"triggerCharacters\": [\"\\\"\"]}");
    json_bool(w, "documentSymbolProvider", true);
    json_bool(w, "definitionProvider", true);
    json_raw(w, "codeActionProvider", "{\"codeActionKinds\": [\"quickfix\", \"source.fixAll\"]}");
    json_format(w, "} serverInfo: { name: %s version: %s", "dmlop", DMLOP_VERSION);
    lsp_end(&m, out);
}

void lsp_initialize(struct lsp_settings *settings, const struct json_doc *message, const char *id,
                    struct str *out)
{
    settings->encoding = read_encoding(message);
    settings->snippets =
        is_true(message, CLIENT "textDocument/completion/completionItem/snippetSupport");
    settings->versioned = is_true(message, CLIENT "workspace/workspaceEdit/documentChanges");
    write_answer(settings->encoding, id, out);
    read_options(&settings->check.desc, message, out);
}
