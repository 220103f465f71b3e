#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/path.h"
#include "io/kind.h"
#include "io/member.h"
#include "json/lex.h"

/* What an object is by its keys. */
enum meaning { MEANS_NOTHING, MEANS_TENSOR, MEANS_DESCRIPTOR, MEANS_MODEL, MEANS_SCHEMA };

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

/* True if the last token is a string that contains `part`. */
static bool token_has(const struct json_lexer *lx, const char *part)
{
    return lx->token == JSON_TOKEN_STRING &&
           memmem(lx->text + lx->start, lx->end - lx->start, part, strlen(part));
}

/* The command of the operator that the last token names; NULL: none. */
static const char *command_of(const struct json_lexer *lx)
{
    static const char *const known[][2] = { { "SLICE", "slice -d $ INPUT" },
                                            { "TOP", "topk -d $ INPUT" },
                                            { "QUANTIZED_LINEAR", "qmatmul -d $ A B" } };

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

/* The first known key decides, however the text goes on. An array may be a tensor, too. Sets
 * *command for a descriptor's type; NULL: unknown. */
static enum meaning read_keys(const struct input *in, const char **command)
{
    struct json_lexer lx = { .text = (const char *)in->data, .len = in->len };
    enum meaning meaning = MEANS_NOTHING;
    bool good = json_lex(&lx) == JSON_TOKEN_OPEN_OBJECT;

    while (good && json_lex(&lx) == JSON_TOKEN_STRING) {
        bool type = token_is(&lx, "type"), schema = token_is(&lx, "$schema");

        for (size_t i = 0; i < ARRAY_LEN(keys); i++)
            if (token_is(&lx, keys[i].key))
                meaning = keys[i].meaning;
        if (meaning && meaning != MEANS_DESCRIPTOR)
            return meaning;
        good = json_lex(&lx) == JSON_TOKEN_COLON;
        if (good && json_lex(&lx) == JSON_TOKEN_STRING && type)
            *command = command_of(&lx);
        if (good && schema && token_has(&lx, "json-schema.org/"))
            return MEANS_SCHEMA;
        if (meaning && *command)
            return meaning;
        good = good && skip_value(&lx) && json_lex(&lx) == JSON_TOKEN_COMMA;
    }
    return *command ? MEANS_DESCRIPTOR : meaning; /* a type alone */
}

enum status kind_check_json(const struct input *in, enum kind_wanted wanted, struct diag *dg)
{
    static const struct kind kinds[] = {
        [MEANS_TENSOR] = { .name = "a JSON tensor", .way = TENSOR },
        [MEANS_DESCRIPTOR] = { "an operator descriptor", DOCUMENT,
                               "give it with -d, and the tensor as well: dmlop @", NULL },
        [MEANS_MODEL] = { "a DxDispatch model file", DOCUMENT, "run it with: dmlop run $", NULL },
        [MEANS_SCHEMA] = { .name = "a JSON Schema", .way = DOCUMENT },
    };
    const char *command = NULL;
    enum meaning meaning = read_keys(in, &command);
    struct kind k = kinds[meaning];
    enum status st;

    if (meaning == MEANS_NOTHING || (meaning == MEANS_TENSOR && wanted == WANT_TENSOR) ||
        (meaning == MEANS_DESCRIPTOR && wanted != WANT_TENSOR) ||
        (meaning == MEANS_MODEL && wanted > WANT_DESCRIPTOR))
        return ST_OK;
    k.how = command ? command : "OPERATOR -d $ INPUT";
    st = kind_refuse(&k, in, wanted, dg);
    return st == ST_INPUT && meaning == MEANS_MODEL && wanted != WANT_TENSOR ? ST_INVALID : st;
}

enum status kind_is_npz(const char *path, bool *is, struct diag *dg)
{
    bool named = path_has_extension(path, ".npz");
    struct kind kind;
    struct input in;
    enum status st;

    errno = 0;
    *is = npz_has_magic(path);
    if (named && !*is && errno != 0 && errno != ESPIPE)
        return diag_errno(dg, ST_INPUT, path, errno, "cannot open");
    if (named || !*is)
        return ST_OK;
    st = input_begin(&in, path, dg);
    if (st == ST_OK) {
        *is = kind_find(&in, &kind) && kind.way == MEMBER;
        input_close(&in);
    }
    return st;
}
