#include "lsp/initialize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lsp/message.h"

#define CLIENT "/params/capabilities/"
#define OPTIONS "/params/initializationOptions"

/* The client's first encoding that the server knows; UTF-16 if there is none. */
static enum lsp_encoding read_encoding(const struct json_doc *message)
{
    ptrdiff_t list = json_doc_find(message, CLIENT "general/positionEncodings");
    size_t n = list < 0 ? 0 : message->nodes[list].count;

    for (size_t i = 0; i < n; i++) {
        char pointer[80], *name;
        bool utf8, utf16;

        snprintf(pointer, sizeof pointer, CLIENT "general/positionEncodings/%zu", i);
        name = lsp_get_string(message, pointer);
        utf8 = name && strcmp(name, "utf-8") == 0;
        utf16 = name && strcmp(name, "utf-16") == 0;
        free(name);
        if (utf8 || utf16)
            return utf8 ? LSP_UTF8 : LSP_UTF16;
    }
    return LSP_UTF16;
}

/* Reads one of the initializationOptions; a wrong one is ignored, with a warning in out. */
static void read_option(struct lsp_settings *settings, const struct json_doc *message,
                        const char *key, struct str *out)
{
    static const char *const names[] = { "featureLevel", "relaxed", "portable" };
    struct desc_options *opt = &settings->check.desc;
    size_t near = str_nearest(key, names, ARRAY_LEN(names));

    if (strcmp(key, "featureLevel") == 0) {
        char *name = lsp_get_string(message, OPTIONS "/featureLevel");
        enum feature_level level = name ? level_from_name(name) : LEVEL_COUNT;

        if (level < LEVEL_COUNT)
            opt->level = level;
        else
            lsp_say(out, LSP_SAY_WARNING,
                    "initializationOptions: featureLevel is not a feature level; use one from "
                    "\"1_0\" to \"%s\"",
                    level_names[LEVEL_NEWEST]);
        free(name);
    } else if (strcmp(key, "relaxed") == 0 || strcmp(key, "portable") == 0) {
        bool relaxed = *key == 'r';

        if (!lsp_get_bool(message, relaxed ? OPTIONS "/relaxed" : OPTIONS "/portable",
                          relaxed ? &opt->findings.relaxed : &opt->findings.portable))
            lsp_say(out, LSP_SAY_WARNING, "initializationOptions: %s is neither true nor false",
                    key);
    } else
        lsp_say(out, LSP_SAY_WARNING, "initializationOptions: there is no '%s'%s%s%s", key,
                near < ARRAY_LEN(names) ? "; did you mean " : "",
                near < ARRAY_LEN(names) ? names[near] : "", near < ARRAY_LEN(names) ? "?" : "");
}

static void read_options(struct lsp_settings *settings, const struct json_doc *message,
                         struct str *out)
{
    ptrdiff_t top = json_doc_find(message, OPTIONS);
    const struct json_node *nodes = message->nodes;

    if (top < 0 || nodes[top].type == JSON_NULL)
        return;
    if (nodes[top].type != JSON_OBJECT) {
        lsp_say(out, LSP_SAY_WARNING, "initializationOptions: it is not an object");
        return;
    }
    for (size_t i = (size_t)top + 1; i < nodes[top].next; i = nodes[i].next) {
        char *key = json_doc_key(message, i);

        if (key)
            read_option(settings, message, key, out);
        out->failed = out->failed || !key;
        free(key);
    }
}

void lsp_read_client(struct lsp_settings *settings, const struct json_doc *message,
                     struct str *out)
{
    settings->encoding = read_encoding(message);
    (void)lsp_get_bool(message,
                       CLIENT "textDocument/completion/completionItem/snippetSupport",
                       &settings->snippets);
    (void)lsp_get_bool(message, CLIENT "workspace/workspaceEdit/documentChanges",
                       &settings->versioned);
    read_options(settings, message, out);
}

void lsp_answer_initialize(struct str *out, const char *id, const struct lsp_settings *settings)
{
    struct lsp_message m;
    struct json_writer *w = lsp_begin_answer(&m, id);

    json_open(w, "result", "{}");
    json_open(w, "capabilities", "{}");
    json_string(w, "positionEncoding", settings->encoding == LSP_UTF8 ? "utf-8" : "utf-16");
    json_raw(w, "textDocumentSync", "{\"openClose\": true, \"change\": 2}");
    json_bool(w, "hoverProvider", true);
    json_raw(w, "completionProvider", "{\"triggerCharacters\": [\"\\\"\"]}");
    json_bool(w, "documentSymbolProvider", true);
    json_bool(w, "definitionProvider", true);
    json_raw(w, "codeActionProvider",
             "{\"codeActionKinds\": [\"quickfix\", \"source.fixAll\"]}");
    json_close(w);
    json_open(w, "serverInfo", "{}");
    json_string(w, "name", "dmlop");
    json_string(w, "version", DMLOP_VERSION);
    lsp_end(&m, out);
}
