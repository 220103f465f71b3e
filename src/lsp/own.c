#include "lsp/own.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "desc/schema.h"
#include "lsp/cursor.h"

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);

    return n >= m && strcasecmp(path + n - m, end) == 0;
}

/* True if a path or an address names a schema that `validate --schema` prints, NAME.schema.json as
 * `make install` names them, or dmlop*. */
static bool names_schema(const char *address)
{
    const char *slash = strrchr(address, '/'), *file = slash ? slash + 1 : address;
    char *name = NULL;
    bool ours = strncmp(file, "dmlop", 5) == 0;

    if (!ours && ends_with(file, ".schema.json")) {
        name = str_format("%.*s", (int)(strlen(file) - strlen(".schema.json")), file);
        ours = name && (strcmp(name, "descriptor") == 0 || strcmp(name, "model") == 0 ||
                        schema_index(name) < schema_count());
    }
    free(name);
    return ours;
}

/* True if a member is a string that a test accepts. */
static bool member_passes(const struct lsp_cursor *c, size_t object, const char *key,
                          bool (*test)(const char *))
{
    struct lsp_span value;
    char *s =
        lsp_member(c, object, key, &value) && value.end > value.start && c->text[value.start] == '"'
            ? lsp_span_string(c->text, value)
            : NULL;
    bool passes = s && test(s);

    free(s);
    return passes;
}

static bool has_prefix(const char *type) { return strncmp(type, "DML_OPERATOR_", 13) == 0; }

static bool is_operator(const char *type) { return schema_find(type) != NULL; }

/* True if a type is an operator's, or may become one while someone types. A short name, such as
 * CAST, is certain only beside "desc". */
static bool is_descriptor(const struct lsp_cursor *c, size_t object)
{
    struct lsp_span value;
    bool desc = lsp_member(c, object, "desc", &value) || lsp_member(c, object, "Desc", &value);

    return member_passes(c, object, "type", has_prefix) ||
           member_passes(c, object, "Type", has_prefix) ||
           (desc && member_passes(c, object, "type", is_operator));
}

static bool is_model(const struct lsp_cursor *c, size_t object)
{
    struct lsp_span value;

    return lsp_member(c, object, "dispatchables", &value) &&
           (lsp_member(c, object, "commands", &value) ||
            lsp_member(c, object, "resources", &value));
}

bool lsp_is_own(const char *path, const struct str *text)
{
    struct lsp_cursor c;
    struct lsp_span top;

    if (ends_with(path, ".desc.json") || ends_with(path, ".model.json"))
        return true;
    lsp_cursor_find(&c, text->s ? text->s : "", text->len, 0);
    return lsp_cursor_next(&c, &top) == '{' &&
           (member_passes(&c, top.start, "$schema", names_schema) || is_descriptor(&c, top.start) ||
            is_model(&c, top.start));
}
