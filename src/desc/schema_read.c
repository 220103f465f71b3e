#include "desc/schema.h"

#include "json/lex.h"

/* The files of operators are part of the program and correct: a test reads each of them. So this
 * reader checks nothing but the room in its tables. It allocates no memory and cannot fail. */

enum { STRINGS = 1 << 18, PATH = 80 };

static char strings[STRINGS]; /* all texts that schemas refer to */
static size_t strings_used;

/* A text that is read. Paths are keys from the top, as in "fields/name"; elements of an array have
 * the array's path. */
struct source {
    struct json_lexer lx; /* the last token is the first one of the current value */
    struct op_schema *schema;
};

#define X(level) #level,
const char *const level_names[] = { FEATURE_LEVELS(X) NULL };
#undef X

enum feature_level level_from_name(const char *name)
{
    static const char long_form[] = "DML_FEATURE_LEVEL_";

    if (strncmp(name, long_form, sizeof long_form - 1) == 0)
        name += sizeof long_form - 1;
    if (strlen(name) == 3)
        for (int l = 0; l < LEVEL_COUNT; l++)
            if (name[0] == level_names[l][0] && (name[1] == '_' || name[1] == '.') &&
                name[2] == level_names[l][2])
                return (enum feature_level)l;
    return LEVEL_COUNT;
}

const char *schema_text(const char *text, size_t n)
{
    char *kept = strings + strings_used;

    if (n >= STRINGS - strings_used)
        return "";
    memcpy(kept, text, n);
    kept[n] = '\0';
    strings_used += n + 1;
    return kept;
}

static const char *token(const struct source *s) { return s->lx.text + s->lx.start; }

static size_t token_length(const struct source *s) { return s->lx.end - s->lx.start; }

static const char *text(const struct source *s)
{
    return schema_text(token(s) + 1, token_length(s) - 2);
}

static bool is(const struct source *s, const char *string)
{
    size_t n = token_length(s) - 2;

    return strlen(string) == n && memcmp(token(s) + 1, string, n) == 0;
}

static enum feature_level level(const struct source *s)
{
    char name[8];

    snprintf(name, sizeof name, "%.*s", (int)token_length(s) - 2, token(s) + 1);
    return level_from_name(name);
}

static void skip(struct source *s)
{
    int depth = 0;

    do {
        if (s->lx.token == JSON_TOKEN_OPEN_OBJECT || s->lx.token == JSON_TOKEN_OPEN_ARRAY)
            depth++;
        else if (s->lx.token == JSON_TOKEN_CLOSE_OBJECT || s->lx.token == JSON_TOKEN_CLOSE_ARRAY)
            depth--;
    } while (depth > 0 && json_lex(&s->lx) > JSON_TOKEN_END);
}

const struct enum_schema enum_schemas[] = {
#include "desc/enum_rows.h"
    { .type = NULL },
};

/* The enumeration of the type that the current value names; NULL for DML_TENSOR_DATA_TYPE. */
static const struct enum_schema *find_enum(const struct source *s)
{
    for (const struct enum_schema *e = enum_schemas; e->type; e++)
        if (is(s, e->type))
            return e;
    return NULL;
}

const struct field_kind_names field_kinds[FIELD_KINDS] = {
#include "desc/field_kinds_rows.h"
};

/* Where struct desc keeps numbers; SLICE keeps its arrays in SLICE1's members, see desc.h. */
static const struct {
    const char *name;
    size_t offset;
} members[] = {
#include "desc/members_rows.h"
};

static uint32_t slot_bit(const struct source *s)
{
    for (const struct field *f = s->schema->fields; f->name; f++)
        if (is(s, f->name))
            return 1u << f->slot;
    return 0;
}

static unsigned type_bit(const struct source *s)
{
    int type = DT_NONE + 1;

    while (type < DT_ALL && !is(s, dtype_name((enum dtype)type)))
        type++;
    return 1u << type;
}

#define LIST(name, type, max) \
    { \
#name, offsetof(struct op_schema, name), (max), \
            offsetof(struct op_schema, name) + sizeof(size_t), sizeof(struct type) \
    }

/* The lists of a schema. The elements of SCHEMA_LIST follow their number without a gap. */
static const struct list {
    const char *path;
    size_t count, max;  /* offset of the number of elements; its limit */
    size_t first, size; /* offset of the first element; its size */
} lists[] = {
    { "fields", offsetof(struct op_schema, field_count), SCHEMA_MAX_FIELDS,
      offsetof(struct op_schema, fields), sizeof(struct field) },
    LIST(support, op_support, SCHEMA_MAX_SUPPORT),
    LIST(same, op_same, SCHEMA_MAX_SAME),
    LIST(fused, op_fused, SCHEMA_MAX_FUSED),
    LIST(limits, op_limit, SCHEMA_MAX_LIMITS),
    LIST(numbers, op_number, SCHEMA_MAX_NUMBERS),
    LIST(sizes, op_sizes, SCHEMA_MAX_SIZES),
};

/* Where values of plain kinds go, as offsets in an element or, at the top, in the schema. */
static const struct {
    const char *path;
    size_t offset;
    enum { KEY_TEXT, KEY_LEVEL, KEY_FLAG, KEY_DIGIT, KEY_SLOTS, KEY_TYPES } kind;
} keys[] = {
#include "desc/schema_keys_rows.h"
};

static void set_key(struct source *s, size_t key, void *to)
{
    switch (keys[key].kind) {
    case KEY_TEXT: *(const char **)to = text(s); break;
    case KEY_LEVEL: *(enum feature_level *)to = level(s); break;
    case KEY_FLAG: *(bool *)to = true; break;
    case KEY_DIGIT: *(unsigned *)to = (unsigned)(*token(s) - '0'); break;
    case KEY_SLOTS: *(uint32_t *)to |= slot_bit(s); break;
    case KEY_TYPES: *(unsigned *)to |= type_bit(s); break;
    }
}

/* Sets another key of the element `to`. */
static void set_other(struct source *s, const char *path, void *to)
{
    const struct op_schema *o = s->schema;
    struct op_support *support = to;
    struct op_fused *fused = to;
    struct op_same *same = to;
    struct field *f = to;

    if (strcmp(path, "fields/use/member") == 0) {
        for (size_t i = 0; i < ARRAY_LEN(members); i++)
            if (is(s, members[i].name))
                f->use.offset = members[i].offset;
    } else if (strcmp(path, "fields/use/role") == 0)
        f->use.role = is(s, "index") ? ROLE_INDEX : is(s, "scale") ? ROLE_SCALE : ROLE_ZERO_POINT;
    else if (strcmp(path, "fields/kind") == 0) {
        while (f->kind < FIELD_KINDS - 1 && !is(s, field_kinds[f->kind].name))
            f->kind++;
        for (const struct field *g = o->fields; g < f && field_is_tensor(f); g++)
            f->slot += field_is_tensor(g);
    } else if (strcmp(path, "fields/role") == 0)
        f->tensor = (f->output = is(s, "output")) ? TENSOR_RESULT
                    : is(s, "parameter")          ? TENSOR_PARAMETER
                                                  : TENSOR_DATA;
    else if (strcmp(path, "fields/enum") == 0)
        f->values = find_enum(s);
    else if (strcmp(path, "support/rank") == 0) {
        support->max_rank = (uint8_t)(*token(s) - '0'); /* 1 to 8; the first is the least */
        support->min_rank = support->min_rank ? support->min_rank : support->max_rank;
    } else if (strcmp(path, "same/of") == 0) {
        same->type = same->type || is(s, "DataType");
        same->rank = same->rank || is(s, "DimensionCount");
        same->sizes = same->sizes || is(s, "Sizes");
    } else if (strcmp(path, "fused/into") == 0 && fused->into_count < FUSED_MAX_INTO)
        fused->into[fused->into_count++] = text(s);
}

static size_t *count_of(struct source *s, const struct list *l)
{
    return (void *)((char *)s->schema + l->count);
}

static void begin_element(struct source *s, const char *path)
{
    for (const struct list *l = lists; l < lists + ARRAY_LEN(lists); l++)
        if (strcmp(path, l->path) == 0 && *count_of(s, l) < l->max)
            ++*count_of(s, l);
}

static void read_scalar(struct source *s, const char *path)
{
    char *to = (char *)s->schema;
    size_t key = 0;

    for (const struct list *l = lists; l < lists + ARRAY_LEN(lists); l++)
        if (*path == *l->path && strncmp(path, l->path, strlen(l->path)) == 0)
            to = (char *)s->schema + l->first + (*count_of(s, l) - 1) * l->size;
    while (key < ARRAY_LEN(keys) && (*path != *keys[key].path || strcmp(path, keys[key].path) != 0))
        key++;
    if (key < ARRAY_LEN(keys))
        set_key(s, key, to + keys[key].offset);
    else
        set_other(s, path, to);
}

/* Reads the current value, which is at a path. */
static void read_value(struct source *s, const char *path)
{
    bool object = s->lx.token == JSON_TOKEN_OPEN_OBJECT;
    char below[PATH];
    size_t start = s->lx.start;

    if (strcmp(path, "example") == 0) {
        skip(s);
        s->schema->example = schema_text(s->lx.text + start, s->lx.end - start);
        return;
    }
    if (!object && s->lx.token != JSON_TOKEN_OPEN_ARRAY) {
        read_scalar(s, path);
        return;
    }
    if (object)
        begin_element(s, path);
    while (json_lex(&s->lx) != JSON_TOKEN_CLOSE_OBJECT && s->lx.token != JSON_TOKEN_CLOSE_ARRAY) {
        size_t used = strlen(path), n = token_length(s);

        if (s->lx.token == JSON_TOKEN_COMMA)
            continue;
        if (object && used + n < PATH) { /* path/key */
            memcpy(below, path, used);
            below[used] = '/';
            used += used > 0;
            memcpy(below + used, token(s) + 1, n - 2);
            below[used + n - 2] = '\0';
            json_lex(&s->lx); /* the colon */
            json_lex(&s->lx);
        }
        read_value(s, object ? below : path);
    }
}

void schema_read(struct op_schema *o, const char *json)
{
    struct source s = { .lx = { .text = json, .len = strlen(json) }, .schema = o };

    json_lex(&s.lx);
    read_value(&s, "");
}
