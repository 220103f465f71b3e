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
 * `make install` names them, or dmlop*. Cuts the address. */
static bool names_schema(char *address)
{
    static const char end[] = ".schema.json";
    char *slash = strrchr(address, '/'), *file = slash ? slash + 1 : address;

    if (strncmp(file, "dmlop", 5) == 0)
        return true;
    if (!ends_with(file, end))
        return false;
    file[strlen(file) - strlen(end)] = '\0';
    return strcmp(file, "descriptor") == 0 || strcmp(file, "model") == 0 ||
           schema_index(file) < schema_count();
}

static bool has(const struct lsp_cursor *c, size_t object, const char *key)
{
    struct lsp_span value;

    return lsp_member(c, object, key, &value);
}

/* The string that a member is, owned by the caller; NULL if there is none or memory is short. */
static char *string_of(const struct lsp_cursor *c, size_t object, const char *key)
{
    struct lsp_span value;

    return lsp_member(c, object, key, &value) && c->text[value.start] == '"'
               ? lsp_span_string(c->text, value)
               : NULL;
}

/* A type may still be typed. A short one, such as CAST, is certain only beside "desc". */
static bool is_own_object(const struct lsp_cursor *c, size_t object)
{
    char *schema = string_of(c, object, "$schema");
    char *type = string_of(c, object, has(c, object, "type") ? "type" : "Type");
    bool own = (schema && names_schema(schema)) ||
               (type && strncmp(type, "DML_OPERATOR_", 13) == 0) ||
               (type && has(c, object, "desc") && schema_find(type)) ||
               (has(c, object, "dispatchables") &&
                (has(c, object, "commands") || has(c, object, "resources")));

    free(type);
    free(schema);
    return own;
}

bool lsp_is_own(const char *path, const struct str *text)
{
    struct lsp_cursor c;
    struct lsp_span top;

    if (ends_with(path, ".desc.json") || ends_with(path, ".model.json"))
        return true;
    lsp_cursor_find(&c, text->s ? text->s : "", text->len, 0);
    return lsp_cursor_next(&c, &top) == '{' && is_own_object(&c, top.start);
}
