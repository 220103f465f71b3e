#include "lsp/own.h"

#include <string.h>
#include <strings.h>

#include "desc/schema.h"
#include "lsp/cursor.h"

enum { NAME_BYTES = 128 };

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n >= m && strcasecmp(name + n - m, end) == 0;
}

/* True for NAME.schema.json, as `make install` names the schemas that `validate --schema` prints,
 * and dmlop*. Cuts the name. */
static bool names_schema(char *file)
{
    if (strncmp(file, "dmlop", 5) == 0)
        return true;
    if (!ends_with(file, ".schema.json"))
        return false;
    file[strlen(file) - strlen(".schema.json")] = '\0';
    return strcmp(file, "descriptor") == 0 || strcmp(file, "model") == 0 ||
           schema_index(file) < schema_count();
}

static bool has(const struct lsp_cursor *c, size_t object, const char *key)
{
    struct lsp_span value;

    return lsp_member(c, object, key, &value);
}

/* Copies the string of a member from its last slash on, "" if there is none. A longer one is cut:
 * it is no name that is known here. */
static void read_name(const struct lsp_cursor *c, size_t object, const char *key,
                      char name[NAME_BYTES])
{
    struct lsp_span s;
    size_t n = 0;

    if (lsp_member(c, object, key, &s) && s.start < c->len && c->text[s.start] == '"')
        for (size_t i = s.start + 1; i < s.end && c->text[i] != '"'; i++) {
            bool slash = c->text[i] == '/' || c->text[i] == '\\';

            n = slash ? 0 : n;
            if (!slash && n < NAME_BYTES - 1)
                name[n++] = c->text[i];
        }
    name[n] = '\0';
}

/* A type may still be typed. A short one, such as CAST, is certain only beside "desc". */
static bool is_own_object(const struct lsp_cursor *c, size_t object)
{
    char schema[NAME_BYTES], type[NAME_BYTES];

    read_name(c, object, "$schema", schema);
    read_name(c, object, has(c, object, "type") ? "type" : "Type", type);
    return names_schema(schema) || strncmp(type, "DML_OPERATOR_", 13) == 0 ||
           (has(c, object, "desc") && schema_find(type)) ||
           (has(c, object, "dispatchables") &&
            (has(c, object, "commands") || has(c, object, "resources")));
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
