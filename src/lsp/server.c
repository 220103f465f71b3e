#include "lsp/server.h"

#include "json/number.h"
#include "lsp/message.h"
#include "os/process.h"

#define VERSION "/params/textDocument/version"
#define CLIENT  "/params/capabilities/"
#define OPTIONS "/params/initializationOptions"

struct lsp_call {
    struct lsp_server *s;
    const struct json_doc *doc; /* the message */
    char *id;                   /* JSON, owned; NULL: a notification */
    const struct method *method;
    struct str *out;
};

struct method {
    const char *name;
    bool request; /* has an id */
    void (*handle)(struct lsp_call *r);
    void (*answer)(struct json_writer *w, struct lsp_work *v); /* of handle_ask */
};

/* Does work on a document; if memory is short for it, a request is answered by an error. */
static void do_work(struct lsp_server *s, struct lsp_work *work, struct str *out)
{
    struct str message = { 0 };

    lsp_work(work, &s->parsed, &message);
    if (!message.failed)
        str_add(out, message.s, message.len);
    else if (work->id)
        lsp_answer_error(out, work->id, LSP_INTERNAL_ERROR,
                         "there is not enough memory for this request");
    str_free(&message);
}

bool lsp_server_check(struct lsp_server *s, struct str *out)
{
    for (size_t i = 0; i < s->docs.n; i++) {
        struct lsp_doc *doc = &s->docs.v[i];
        struct lsp_work work = { lsp_answer_diagnostics, NULL, doc, &s->settings, .dg = s->dg };

        if (doc->waiting) {
            doc->waiting = false;
            do_work(s, &work, out);
            return true;
        }
    }
    return false;
}

static void invalid_params(struct lsp_call *r, const char *why)
{
    if (r->id)
        lsp_answer_error(r->out, r->id, LSP_INVALID_PARAMS, "%s", why);
    else
        diag_warn(r->s->dg, NULL, "a notification was ignored: %s", why);
}

/* The document that a message is about; NULL after an answer. */
static struct lsp_doc *find_doc(struct lsp_call *r)
{
    const char *uri = lsp_get_string(r->doc, "/params/textDocument/uri");
    struct lsp_doc *doc = uri ? lsp_docs_find(&r->s->docs, uri) : NULL;

    if (!uri)
        invalid_params(r, "params.textDocument.uri is not a string");
    else if (!doc)
        invalid_params(r, "the document is not open");
    return doc;
}

static int64_t read_integer(const struct json_doc *message, const char *pointer)
{
    ptrdiff_t node = json_doc_find(message, pointer);
    const struct json_node *v = node < 0 ? NULL : &message->nodes[node];
    int64_t value = 0;

    if (v && v->type == JSON_NUMBER)
        (void)number_i64(message->clean + v->start, v->end - v->start, &value);
    return value;
}

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

/* Sets the settings by the client's capabilities and options. Wrong options are ignored, with a
 * message to the client after the answer. */
static void handle_initialize(struct lsp_call *r)
{
    struct lsp_settings *settings = &r->s->settings;
    int64_t client = read_integer(r->doc, "/params/processId");

    if (r->s->phase != LSP_NEW) {
        lsp_answer_error(r->out, r->id, LSP_INVALID_REQUEST, "the server is already initialized");
        return;
    }
    r->s->phase = LSP_RUNNING;
    if (client > 0 && client <= INT32_MAX && os_process_lives((long)client)) /* else elsewhere */
        r->s->client = (long)client;
    settings->encoding = read_encoding(r->doc);
    settings->snippets =
        is_true(r->doc, CLIENT "textDocument/completion/completionItem/snippetSupport");
    settings->versioned = is_true(r->doc, CLIENT "workspace/workspaceEdit/documentChanges");
    write_answer(settings->encoding, r->id, r->out);
    read_options(&settings->check.desc, r->doc, r->out);
}

/* Does all checks first. */
static void handle_shutdown(struct lsp_call *r)
{
    while (lsp_server_check(r->s, r->out))
        ;
    r->s->phase = LSP_SHUT_DOWN;
    lsp_answer_null(r->out, r->id);
}

static void handle_exit(struct lsp_call *r)
{
    r->s->phase = r->s->phase == LSP_SHUT_DOWN ? LSP_ENDED : LSP_BROKEN_OFF;
}

void lsp_server_look(struct lsp_server *s, const char *text, size_t len)
{
    static const char method[] = "$/cancelRequest";
    enum { MOST = 1024 /* bytes of a message that is looked at */ };
    struct json_doc doc = { 0 };
    struct json_error err;

    if (len < MOST && memmem(text, len, method, strlen(method)) &&
        json_doc_scan(&doc, text, len, &err) == JSON_OK && json_doc_find(&doc, "/id") < 0) {
        char *id = lsp_get_json(&doc, "/params/id");

        if (id)
            str_printf(&s->cancelled, "\n%s\n", id);
        free(id);
    }
    json_doc_free(&doc);
}

/* The text of a document is new: it is checked when there is time. */
static void want_check(struct lsp_call *r, struct lsp_doc *doc)
{
    doc->edition = ++r->s->editions;
    doc->waiting = true;
}

static void clear_diagnostics(struct lsp_call *r, const struct lsp_doc *doc)
{
    struct lsp_message m;
    struct json_writer *w = lsp_begin_notification(&m, "textDocument/publishDiagnostics");

    json_format(w, "params: { uri: %s diagnostics: [ ]", doc->uri);
    lsp_end(&m, r->out);
}

static void handle_open(struct lsp_call *r)
{
    const char *uri = lsp_get_string(r->doc, "/params/textDocument/uri");
    const char *text = lsp_get_string(r->doc, "/params/textDocument/text");
    struct lsp_doc *doc;

    if (!uri || !text) {
        invalid_params(r, "params.textDocument has no uri or no text");
        return;
    }
    doc = lsp_docs_open(&r->s->docs, uri, text, read_integer(r->doc, VERSION),
                        r->s->settings.encoding);
    r->out->failed = r->out->failed || !doc || doc->text.bytes.failed;
    if (doc)
        want_check(r, doc);
}

static void handle_change(struct lsp_call *r)
{
    struct lsp_doc *doc = find_doc(r);
    const char *why;

    if (!doc || doc->unknown)
        return;
    why = lsp_docs_change(&doc->text, r->doc);
    r->out->failed = r->out->failed || doc->text.bytes.failed;
    if (why) { /* the text is no longer known */
        doc->text.bytes.len = doc->text.n = 0;
        doc->unknown = true;
        doc->waiting = false;
        clear_diagnostics(r, doc);
        lsp_say(r->out, LSP_SAY_ERROR, "%s: %s; close it and open it again", doc->uri, why);
    } else {
        doc->version = read_integer(r->doc, VERSION);
        want_check(r, doc);
    }
}

static void handle_close(struct lsp_call *r)
{
    struct lsp_doc *doc = find_doc(r);

    if (!doc)
        return;
    clear_diagnostics(r, doc);
    lsp_docs_close(&r->s->docs, doc);
}

static void handle_ask(struct lsp_call *r)
{
    struct lsp_doc *doc = find_doc(r);
    struct lsp_work work = { r->method->answer, r->id, doc, &r->s->settings, .dg = r->s->dg };

    if (!doc)
        return;
    if (!lsp_work_read(&work, r->doc))
        invalid_params(r, "params has no position or no range");
    else if (lsp_has_line(&r->s->cancelled, r->id))
        lsp_answer_error(r->out, r->id, LSP_CANCELLED, "cancelled");
    else if (doc->unknown)
        lsp_answer_null(r->out, r->id);
    else
        do_work(r->s, &work, r->out);
}

static const struct method methods[] = {
    { "initialize", true, handle_initialize, NULL },
    { "shutdown", true, handle_shutdown, NULL },
    { "exit", false, handle_exit, NULL },
    { "textDocument/didOpen", false, handle_open, NULL },
    { "textDocument/didChange", false, handle_change, NULL },
    { "textDocument/didClose", false, handle_close, NULL },
    { "textDocument/hover", true, handle_ask, lsp_answer_hover },
    { "textDocument/completion", true, handle_ask, lsp_answer_completion },
    { "textDocument/documentSymbol", true, handle_ask, lsp_answer_symbols },
    { "textDocument/definition", true, handle_ask, lsp_answer_definition },
    { "textDocument/codeAction", true, handle_ask, lsp_answer_actions },
};

/* Handles a message by its method, if the phase allows that. */
static void dispatch(struct lsp_call *r, const char *name)
{
    const struct method *m = NULL;
    enum lsp_phase phase = r->s->phase;

    for (size_t i = 0; i < ARRAY_LEN(methods) && !m; i++)
        if (methods[i].request == (r->id != NULL) && strcmp(methods[i].name, name) == 0)
            r->method = m = &methods[i];
    if (!r->id) { /* a notification has no answer, even if it is unknown */
        if (m && (phase == LSP_RUNNING || m->handle == handle_exit))
            m->handle(r);
    } else if (phase == LSP_NEW && (!m || m->handle != handle_initialize))
        lsp_answer_error(r->out, r->id, LSP_NOT_INITIALIZED, "the server is not initialized");
    else if (phase > LSP_RUNNING)
        lsp_answer_error(r->out, r->id, LSP_INVALID_REQUEST, "the server is shut down");
    else if (m)
        m->handle(r);
    else
        lsp_answer_error(r->out, r->id, LSP_METHOD_NOT_FOUND, "there is no method '%s'", name);
}

/* Handles a message that is JSON. */
static void handle_message(struct lsp_call *r)
{
    const char *name = lsp_get_string(r->doc, "/method");
    const char *protocol = lsp_get_string(r->doc, "/jsonrpc");
    bool answer =
        !name && (json_doc_find(r->doc, "/result") >= 0 || json_doc_find(r->doc, "/error") >= 0);
    bool valid = name && protocol && strcmp(protocol, "2.0") == 0;
    ptrdiff_t id = json_doc_find(r->doc, "/id");

    if (id >= 0 && r->doc->nodes[id].type != JSON_NUMBER && r->doc->nodes[id].type != JSON_STRING)
        valid = false;
    else if (id >= 0) {
        r->id = lsp_get_json(r->doc, "/id"); /* the JSON text */
        r->out->failed = r->out->failed || !r->id;
    }
    if (!r->out->failed && !answer && valid)
        dispatch(r, name);
    else if (!r->out->failed && !answer) /* the server sends no requests, so answers are ignored */
        lsp_answer_error(r->out, r->id, LSP_INVALID_REQUEST,
                         "the message is not a JSON-RPC 2.0 request");
    free(r->id);
}

enum { NO_ESCAPE = 0x10000 };

/* The number of four digits after "\\u" at i. */
static unsigned escape_at(const struct str *b, size_t i)
{
    char hex[5] = "";

    if (b->len - i < 6 || memcmp(b->s + i, "\\u", 2) != 0)
        return NO_ESCAPE;
    memcpy(hex, b->s + i + 2, 4);
    return strspn(hex, "0123456789abcdefABCDEF") == 4 ? (unsigned)strtoul(hex, NULL, 16)
                                                      : NO_ESCAPE;
}

/* Replaces escapes for NUL and for half of a surrogate pair, which no text may have, by U+FFFD, so
 * that the places after them stay. */
static void correct_escapes(struct str *b)
{
    for (size_t i = 0, n; i < b->len; i += n) {
        unsigned c = escape_at(b, i);
        bool half = c != NO_ESCAPE && (c & 0xf800) == 0xd800;
        bool pair = half && c < 0xdc00 && escape_at(b, i + 6) >> 10 == 0xdc00 >> 10;

        n = pair ? 12 : c != NO_ESCAPE ? 6 : b->s[i] == '\\' ? 2 : 1;
        if (c == 0 || (half && !pair))
            memcpy(b->s + i, "\\ufffd", 6);
    }
}

enum status lsp_server_message(struct lsp_server *s, const char *text, size_t len, struct str *out)
{
    struct json_doc doc = { 0 };
    struct json_error err;
    enum json_result scanned = json_doc_scan(&doc, text, len, &err);
    struct lsp_call r = { .s = s, .doc = &doc, .out = out };
    struct str corrected = { 0 };

    if (scanned == JSON_INVALID) {
        str_add(&corrected, text, len);
        if (!corrected.failed)
            correct_escapes(&corrected);
        scanned = corrected.failed ? JSON_NOMEM : json_doc_scan(&doc, corrected.s, len, &err);
    }
    if (scanned == JSON_INVALID)
        lsp_answer_error(out, NULL, LSP_PARSE_ERROR, "%s, at byte %zu", err.message, err.offset);
    else if (scanned == JSON_NOMEM)
        out->failed = true;
    else
        handle_message(&r);
    json_doc_free(&doc);
    str_free(&corrected);
    return out->failed ? diag_nomem(s->dg) : ST_OK;
}

void lsp_server_free(struct lsp_server *s)
{
    lsp_parsed_free(&s->parsed);
    lsp_docs_free(&s->docs);
    str_free(&s->cancelled);
}
