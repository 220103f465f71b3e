#include <string.h>

#include "base/embedded.h"
#include "base/util.h"
#include "desc/op_fields.h"
#include "desc/schema_read.h"
#include "json/lex.h"

/*
 * The files of operators are part of the program and correct: a test reads each of them. So this
 * reader checks nothing but the room in its tables. It allocates no memory and cannot fail.
 */

extern const struct embedded desc_fragments[];

enum { STRINGS = 1 << 18, ENUMS = 24 };

static char strings[STRINGS]; /* all texts that schemas refer to */
static size_t strings_used;

struct source {
    struct json_lexer lx; /* the last token is the first one of the current value */
    struct op_schema *schema;
    struct field *field;
    struct op_support support;
    struct op_same same;
    struct op_fused fused;
    struct enum_schema *values;
};

typedef void reader(struct source *s, const char *key);

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

/* The string that is the current value. */
static const char *text(struct source *s)
{
    size_t n = s->lx.end - s->lx.start - 2;
    char *kept = strings + strings_used;

    if (n >= STRINGS - strings_used)
        return "";
    n = json_unescape(s->lx.text + s->lx.start + 1, n, kept);
    kept[n] = '\0';
    strings_used += n + 1;
    return kept;
}

static bool is(const struct source *s, const char *string)
{
    size_t n = s->lx.end - s->lx.start - 2;

    return strlen(string) == n && memcmp(s->lx.text + s->lx.start + 1, string, n) == 0;
}

/* Calls `member` for each member of the current object, or element of the current array, which has
 * the key "". */
static void each(struct source *s, reader *member)
{
    bool object = s->lx.token == JSON_TOKEN_OPEN_OBJECT;
    enum json_token close = object ? JSON_TOKEN_CLOSE_OBJECT : JSON_TOKEN_CLOSE_ARRAY;

    while (json_lex(&s->lx) != close && s->lx.token > JSON_TOKEN_END) {
        char key[64] = "";

        if (s->lx.token == JSON_TOKEN_COMMA)
            continue;
        if (object) {
            size_t n = s->lx.end - s->lx.start - 2;

            memcpy(key, s->lx.text + s->lx.start + 1, n < sizeof key ? n : 0);
            json_lex(&s->lx); /* the colon */
            json_lex(&s->lx);
        }
        member(s, key);
    }
}

static void skip(struct source *s, const char *key)
{
    (void)key;
    if (s->lx.token == JSON_TOKEN_OPEN_OBJECT || s->lx.token == JSON_TOKEN_OPEN_ARRAY)
        each(s, skip);
}

static enum feature_level level_of(struct source *s)
{
    char name[8] = "";
    size_t n = s->lx.end - s->lx.start - 2;

    memcpy(name, s->lx.text + s->lx.start + 1, n < sizeof name ? n : 0);
    return level_from_name(name);
}

static enum field_kind kind_of(const struct source *s)
{
    static const char *const kinds[FIELD_KINDS] = {
        [FIELD_TENSOR] = "tensor",
        [FIELD_TENSOR_ARRAY] = "tensor_array",
        [FIELD_UINT] = "uint",
        [FIELD_INT] = "int",
        [FIELD_FLOAT] = "float",
        [FIELD_BOOL] = "bool",
        [FIELD_ENUM] = "enum",
        [FIELD_SIZE_2D] = "size_2d",
        [FIELD_SCALE_BIAS] = "scale_bias",
        [FIELD_SCALAR_UNION] = "scalar_union",
        [FIELD_UINT_ARRAY] = "uint_array",
        [FIELD_INT_ARRAY] = "int_array",
        [FIELD_FLOAT_ARRAY] = "float_array",
        [FIELD_OPERATOR] = "operator",
        [FIELD_OPERATOR_ARRAY] = "operator_array",
    };
    int kind = 0;

    while (kind < FIELD_KINDS - 1 && !is(s, kinds[kind]))
        kind++;
    return (enum field_kind)kind;
}

static void read_enum_value(struct source *s, const char *key)
{
    struct enum_schema *e = s->values;

    if (strcmp(key, "name") == 0)
        e->names[e->n] = text(s);
    else
        e->since[e->n++] = level_of(s);
}

static void read_enum_values(struct source *s, const char *key)
{
    (void)key;
    if (s->values->n < ENUM_MAX_VALUES)
        each(s, read_enum_value);
}

static void read_enum_member(struct source *s, const char *key)
{
    if (strcmp(key, "values") == 0)
        each(s, read_enum_values);
    else if (strcmp(key, "what") == 0)
        s->values->what = text(s);
    else if (strcmp(key, "prefix") == 0)
        s->values->prefix = text(s);
}

static struct enum_schema enums[ENUMS];

static void read_enum(struct source *s, const char *key)
{
    size_t i = 0;

    while (i < ENUMS && enums[i].type)
        i++;
    if (i == ENUMS)
        return;
    s->values = &enums[i];
    each(s, read_enum_member);
    enums[i].type = schema_text(key, strlen(key));
}

/* The enumeration of that type; NULL for DML_TENSOR_DATA_TYPE. */
static const struct enum_schema *enum_of(const struct source *s)
{
    if (!enums[0].type) {
        const char *json = embedded_find(desc_fragments, "enumerations.json");
        struct source list = { .lx = { .text = json, .len = strlen(json) } };

        json_lex(&list.lx);
        each(&list, read_enum);
    }
    for (size_t i = 0; i < ENUMS && enums[i].type; i++)
        if (is(s, enums[i].type))
            return &enums[i];
    return NULL;
}

static void read_field_member(struct source *s, const char *key)
{
    struct field *f = s->field;

    if (strcmp(key, "name") == 0)
        f->name = text(s);
    else if (strcmp(key, "about") == 0)
        f->about = text(s);
    else if (strcmp(key, "kind") == 0)
        f->kind = kind_of(s);
    else if (strcmp(key, "role") == 0)
        f->output = is(s, "output");
    else if (strcmp(key, "optional") == 0)
        f->optional = json_lex_is(&s->lx, "true");
    else if (strcmp(key, "count") == 0)
        f->count = text(s);
    else if (strcmp(key, "enum") == 0)
        f->values = enum_of(s);
    else
        skip(s, key);
}

static void read_field(struct source *s, const char *key)
{
    struct op_schema *o = s->schema;

    (void)key;
    if (o->field_count == SCHEMA_MAX_FIELDS)
        return;
    s->field = &o->fields[o->field_count++];
    each(s, read_field_member);
    if (field_is_tensor(s->field))
        for (const struct field *f = o->fields; f < s->field; f++)
            s->field->slot += field_is_tensor(f);
    s->field->use = op_field_use(o->op, s->field->name);
    if (s->field->use && s->field->use->offset == offsetof(struct desc, dimension_count))
        s->field->optional = true; /* it has a default here */
}

/* The bit of the tensor that the current value names. */
static uint32_t slot_bit(const struct source *s)
{
    for (size_t i = 0; i < s->schema->field_count; i++)
        if (is(s, s->schema->fields[i].name))
            return 1u << s->schema->fields[i].slot;
    return 0;
}

static void read_rank(struct source *s, const char *key)
{
    uint8_t rank = (uint8_t)(s->lx.text[s->lx.start] - '0'); /* 1 to 8 */

    (void)key;
    if (!s->support.min_rank)
        s->support.min_rank = rank;
    s->support.max_rank = rank;
}

static void read_type(struct source *s, const char *key)
{
    (void)key;
    for (int t = DT_NONE + 1; t < DT_ALL; t++)
        if (is(s, dtype_name((enum dtype)t)))
            s->support.types |= 1u << t;
}

static void read_slot(struct source *s, const char *key)
{
    (void)key;
    s->support.slots |= slot_bit(s);
    s->same.slots |= slot_bit(s);
}

static void read_support_member(struct source *s, const char *key)
{
    if (strcmp(key, "since") == 0)
        s->support.since = level_of(s);
    else
        each(s, strcmp(key, "tensors") == 0 ? read_slot
                : strcmp(key, "rank") == 0  ? read_rank
                                            : read_type);
}

static void read_support(struct source *s, const char *key)
{
    (void)key;
    s->support = (struct op_support){ .slots = 0 };
    each(s, read_support_member);
    if (s->schema->support_count < SCHEMA_MAX_SUPPORT)
        s->schema->support[s->schema->support_count++] = s->support;
}

static void read_aspect(struct source *s, const char *key)
{
    (void)key;
    s->same.type = s->same.type || is(s, "DataType");
    s->same.rank = s->same.rank || is(s, "DimensionCount");
    s->same.sizes = s->same.sizes || is(s, "Sizes");
}

static void read_same_member(struct source *s, const char *key)
{
    each(s, strcmp(key, "of") == 0 ? read_aspect : read_slot);
}

static void read_same(struct source *s, const char *key)
{
    (void)key;
    s->same = (struct op_same){ .slots = 0 };
    each(s, read_same_member);
    if (s->schema->same_count < SCHEMA_MAX_SAME)
        s->schema->same[s->schema->same_count++] = s->same;
}

/* Keeps the current value as its JSON text. */
static const char *json_text(struct source *s)
{
    size_t start = s->lx.start;

    skip(s, "");
    return schema_text(s->lx.text + start, s->lx.end - start);
}

static void read_fused_member(struct source *s, const char *key)
{
    if (strcmp(key, "since") == 0)
        s->fused.since = level_of(s);
    else
        s->fused.into = json_text(s);
}

static void read_fused(struct source *s, const char *key)
{
    (void)key;
    s->fused = (struct op_fused){ .into = NULL };
    each(s, read_fused_member);
    if (s->schema->fused_count < SCHEMA_MAX_FUSED)
        s->schema->fused[s->schema->fused_count++] = s->fused;
}

static void read_member(struct source *s, const char *key)
{
    struct op_schema *o = s->schema;

    if (strcmp(key, "about") == 0)
        o->about = text(s);
    else if (strcmp(key, "level") == 0)
        o->level = level_of(s);
    else if (strcmp(key, "shape") == 0)
        o->shape = text(s);
    else if (strcmp(key, "in_place") == 0)
        o->in_place = json_lex_is(&s->lx, "true");
    else if (strcmp(key, "fields") == 0)
        each(s, read_field);
    else if (strcmp(key, "support") == 0)
        each(s, read_support);
    else if (strcmp(key, "same") == 0)
        each(s, read_same);
    else if (strcmp(key, "fused") == 0)
        each(s, read_fused);
    else if (strcmp(key, "example") == 0)
        o->example = json_text(s);
    else
        skip(s, key);
}

void schema_read(struct op_schema *o, const char *json)
{
    struct source s = { .lx = { .text = json, .len = strlen(json) }, .schema = o };

    json_lex(&s.lx);
    each(&s, read_member);
}
