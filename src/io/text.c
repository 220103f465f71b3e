#include "io/kind.h"

#include <errno.h>

#include "base/mem.h"
#include "base/path.h"
#include "io/npz.h"
#include "json/lex.h"

/* What an object is by its keys. */
enum meaning { MEANS_NOTHING, MEANS_TENSOR, MEANS_DESCRIPTOR, MEANS_MODEL, MEANS_SCHEMA };

/* True if the last token is the string `text`, in any case. */
static bool token_is(const struct json_lexer *lx, const char *text)
{
    size_t n = strlen(text);

    return lx->end - lx->start == n + 2 && strncasecmp(lx->text + lx->start + 1, text, n) == 0;
}

static bool token_has(const struct json_lexer *lx, const char *text)
{
    return memmem(lx->text + lx->start, lx->end - lx->start, text, strlen(text));
}

static enum meaning meaning_of(const struct json_lexer *lx)
{
    static const struct {
        const char *key;
        enum meaning meaning;
    } keys[] = {
        { "Values", MEANS_TENSOR },     { "desc", MEANS_DESCRIPTOR },
        { "resources", MEANS_MODEL },   { "dispatchables", MEANS_MODEL },
        { "commands", MEANS_MODEL },    { "$defs", MEANS_SCHEMA },
        { "properties", MEANS_SCHEMA },
    };

    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (token_is(lx, keys[i].key))
            return keys[i].meaning;
    return MEANS_NOTHING;
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

/* A known key decides, however the text goes on; "desc" only if no other follows before the type.
 * An array may be a tensor, too. Sets *command for a descriptor's type; NULL: unknown. */
static enum meaning read_keys(const struct input *in, const char **command)
{
    struct json_lexer lx = { .text = (const char *)in->data, .len = in->len };
    enum json_token token = json_lex(&lx), before = token;
    enum meaning meaning = MEANS_NOTHING, found;
    bool type = false, schema = false;
    size_t depth = token == JSON_TOKEN_OPEN_OBJECT;

    while (depth > 0 && (meaning == MEANS_NOTHING || !*command)) {
        before = token;
        token = json_lex(&lx);
        if (token == JSON_TOKEN_ERROR || token == JSON_TOKEN_END || token == JSON_TOKEN_OTHER)
            break;
        depth += token == JSON_TOKEN_OPEN_ARRAY || token == JSON_TOKEN_OPEN_OBJECT;
        depth -= token == JSON_TOKEN_CLOSE_ARRAY || token == JSON_TOKEN_CLOSE_OBJECT;
        if (depth != 1 || token != JSON_TOKEN_STRING)
            continue;
        if (before != JSON_TOKEN_COLON) {
            found = meaning_of(&lx);
            meaning = found ? found : meaning;
            type = token_is(&lx, "type");
            schema = token_is(&lx, "$schema");
            if (meaning && meaning != MEANS_DESCRIPTOR)
                return meaning;
        } else if (schema && token_has(&lx, "json-schema.org/"))
            return MEANS_SCHEMA;
        else if (type)
            *command = command_of(&lx);
    }
    return *command ? MEANS_DESCRIPTOR : meaning; /* a type alone */
}

enum status kind_check_json(const struct input *in, enum kind_wanted wanted, struct diag *dg)
{
    static const char *const names[] = { [MEANS_TENSOR] = "a JSON tensor",
                                         [MEANS_DESCRIPTOR] = "an operator descriptor",
                                         [MEANS_MODEL] = "a DxDispatch model file",
                                         [MEANS_SCHEMA] = "a JSON Schema" };
    const char *command = NULL;
    enum meaning meaning = read_keys(in, &command);
    struct kind k;
    enum status st;

    if (meaning == MEANS_NOTHING || (meaning == MEANS_TENSOR && wanted == WANT_TENSOR) ||
        (meaning == MEANS_DESCRIPTOR && wanted != WANT_TENSOR) ||
        (meaning == MEANS_MODEL && wanted > WANT_DESCRIPTOR))
        return ST_OK;
    kind_named(names[meaning], &k);
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

/* Reads the input, no more than is needed to refuse it. */
static enum status read_text(struct input *in, const char *path, size_t most,
                             enum kind_wanted wanted, struct diag *dg)
{
    enum status st = input_begin(in, path, dg);

    st = st ? st : input_fill(in, KIND_FILL, dg);
    st = st ? st : utf16_decode(in, most, dg);
    st = st ? st : kind_check(in, wanted, dg);
    st = st ? st : input_fill(in, most + 1, dg);
    if (st == ST_OK && in->len > most)
        return diag_input(dg, path, "the text is longer than %zu MiB, the most that a %s may have",
                          most >> 20, kind_wanted_names[wanted]);
    return st ? st : kind_check_json(in, wanted, dg);
}

enum status text_load(const char *path, size_t most, enum kind_wanted wanted, char **text,
                      size_t *len, bool *utf16, struct diag *dg)
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
    if (utf16)
        *utf16 = in.utf16;
    input_close(&in);
    return st;
}
