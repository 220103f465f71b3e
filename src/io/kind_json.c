#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "io/kind.h"
#include "io/member.h"
#include "json/lex.h"

/* What an object is by its keys. */
enum meaning { MEANS_NOTHING, MEANS_TENSOR, MEANS_DESCRIPTOR, MEANS_MODEL, MEANS_SCHEMA };

struct json_kind {
    enum meaning meaning;
    const char *command; /* of a descriptor's type; NULL: unknown */
};

static const struct {
    const char *key;
    enum meaning meaning;
} keys[] = {
    { "Values", MEANS_TENSOR },       { "desc", MEANS_DESCRIPTOR }, { "resources", MEANS_MODEL },
    { "dispatchables", MEANS_MODEL }, { "commands", MEANS_MODEL },  { "$defs", MEANS_SCHEMA },
    { "properties", MEANS_SCHEMA },
};

/* True if the last token is the string `text`, in any case. */
static bool token_is(const struct json_lexer *lx, const char *text)
{
    size_t n = strlen(text);

    return lx->end - lx->start == n + 2 && strncasecmp(lx->text + lx->start + 1, text, n) == 0;
}

/* True if the last token, a string, contains `part`. */
static bool token_has(const struct json_lexer *lx, const char *part)
{
    return memmem(lx->text + lx->start, lx->end - lx->start, part, strlen(part)) != NULL;
}

/* The command of the operator that the last token, a string, names. */
static const char *command_of(const struct json_lexer *lx)
{
    static const char *const known[][2] = { { "SLICE", "slice" },
                                            { "TOP", "topk" },
                                            { "QUANTIZED_LINEAR", "qmatmul" } };

    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (token_has(lx, known[i][0]))
            return known[i][1];
    return NULL;
}

/* Skips the value that the last token begins; false at an error. */
static bool skip_value(struct json_lexer *lx)
{
    size_t depth = 0;

    for (enum json_token token = lx->token;; token = json_lex(lx)) {
        if (token == JSON_TOKEN_ERROR || token == JSON_TOKEN_END || token == JSON_TOKEN_OTHER)
            return false;
        depth += token == JSON_TOKEN_OPEN_ARRAY || token == JSON_TOKEN_OPEN_OBJECT;
        depth -= depth > 0 && (token == JSON_TOKEN_CLOSE_ARRAY || token == JSON_TOKEN_CLOSE_OBJECT);
        if (depth == 0)
            return true;
    }
}

/* The first known key decides, however the text goes on. An array may be a tensor, too. */
static struct json_kind read_keys(const struct input *in)
{
    struct json_lexer lx = { .text = (const char *)in->data, .len = in->len };
    struct json_kind r = { MEANS_NOTHING, NULL };
    bool good = json_lex(&lx) == JSON_TOKEN_OPEN_OBJECT;

    while (good && json_lex(&lx) == JSON_TOKEN_STRING) {
        bool type = token_is(&lx, "type"), schema = token_is(&lx, "$schema");

        for (size_t i = 0; i < ARRAY_LEN(keys); i++)
            if (token_is(&lx, keys[i].key))
                r.meaning = keys[i].meaning;
        if (r.meaning && r.meaning != MEANS_DESCRIPTOR)
            return r;
        good = json_lex(&lx) == JSON_TOKEN_COLON;
        if (good && json_lex(&lx) == JSON_TOKEN_STRING && type)
            r.command = command_of(&lx);
        if (schema && good && lx.token == JSON_TOKEN_STRING && token_has(&lx, "json-schema.org/"))
            r.meaning = MEANS_SCHEMA;
        if (r.meaning && (r.command || r.meaning == MEANS_SCHEMA))
            return r;
        good = good && skip_value(&lx) && json_lex(&lx) == JSON_TOKEN_COMMA;
    }
    if (r.command)
        r.meaning = MEANS_DESCRIPTOR; /* a type alone */
    return r;
}

static enum status refuse_document(const struct input *in, const struct json_kind *r,
                                   enum kind_wanted wanted, struct diag *dg)
{
    struct str b = { 0 };

    if (r->meaning == MEANS_MODEL)
        str_printf(&b, "this is a DxDispatch model file, not a %s; run it with: dmlop run ",
                   kind_wanted_names[wanted]);
    else
        str_printf(&b,
                   "this is an operator descriptor, not a tensor; give it with -d, and the "
                   "tensor as well: dmlop %s -d ",
                   r->command ? r->command : "OPERATOR");
    kind_add_word(&b, in->path, NULL);
    if (r->meaning == MEANS_DESCRIPTOR)
        str_puts(&b, r->command && strcmp(r->command, "qmatmul") == 0 ? " A B" : " INPUT");
    return diag_str(dg, wanted == WANT_TENSOR ? ST_INPUT : ST_INVALID, in->path, &b);
}

enum status kind_check_json(const struct input *in, enum kind_wanted wanted, struct diag *dg)
{
    static const struct kind tensor = { .name = "a JSON tensor", .way = TENSOR };
    struct json_kind r = read_keys(in);

    if (r.meaning == MEANS_SCHEMA)
        return diag_error(dg, ST_INPUT, in->path, "this is a JSON Schema, not a %s",
                          kind_wanted_names[wanted]);
    if (wanted != WANT_TENSOR && r.meaning == MEANS_TENSOR)
        return kind_refuse(&tensor, in, wanted, dg);
    if ((wanted == WANT_TENSOR && r.meaning == MEANS_DESCRIPTOR) ||
        (wanted <= WANT_DESCRIPTOR && r.meaning == MEANS_MODEL))
        return refuse_document(in, &r, wanted, dg);
    return ST_OK;
}

enum status kind_is_npz(const char *path, bool *is, struct diag *dg)
{
    const struct kind *kind;
    struct input in;
    enum status st;

    errno = 0;
    *is = npz_has_magic(path);
    if (path_has_extension(path, ".npz"))
        return *is || errno == 0 || errno == ESPIPE
                   ? ST_OK
                   : diag_errno(dg, ST_INPUT, path, errno, "cannot open");
    if (!*is)
        return ST_OK;
    st = input_begin(&in, path, dg);
    if (st == ST_OK) {
        kind = kind_find(&in);
        *is = kind && kind->way == MEMBER;
        input_close(&in);
    }
    return st;
}

/* Reads the input, no more than is needed to refuse it. */
static enum status read_text(struct input *in, const char *path, size_t most,
                             enum kind_wanted wanted, struct diag *dg)
{
    enum status st = input_begin(in, path, dg);

    if (st == ST_OK)
        st = input_fill(in, KIND_FILL, dg);
    if (st == ST_OK)
        st = kind_check(in, wanted, dg);
    if (st == ST_OK)
        st = input_fill(in, most + 1, dg);
    if (st == ST_OK && in->len > most)
        return diag_error(dg, ST_INPUT, path,
                          "the text is longer than %zu MiB, the most that a %s may have",
                          most >> 20, kind_wanted_names[wanted]);
    return st ? st : kind_check_json(in, wanted, dg);
}

enum status text_load(const char *path, size_t most, enum kind_wanted wanted, char **text,
                      size_t *len, struct diag *dg)
{
    struct input in = { .data = NULL };
    enum status st = read_text(&in, path, most, wanted, dg);

    *text = st == ST_OK ? mem_alloc(in.len + 1, 1) : NULL;
    if (*text) {
        if (in.len > 0)
            memcpy(*text, in.data, in.len);
        (*text)[in.len] = '\0';
        *len = in.len;
        st = input_intact(&in, dg);
    } else if (st == ST_OK)
        st = diag_nomem(dg);
    if (st) {
        free(*text);
        *text = NULL;
    }
    input_close(&in);
    return st;
}
