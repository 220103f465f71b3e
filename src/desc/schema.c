#include "desc/schema.h"

#include "base/str.h"

extern const char desc_operators[];

enum { OPERATORS = 192 };

static const struct {
    const char *name, *short_name, *command;
} runnable[OP_COUNT] = {
#include "desc/runnable_rows.h"
};

static struct op_schema schemas[OPERATORS];
static const char *names[OPERATORS], *files[OPERATORS];
static size_t count;

static const char prefix[] = "DML_OPERATOR_";

size_t schema_count(void)
{
    if (count == 0)
        for (const char *f = desc_operators; *f && count < OPERATORS; f = embedded_next(f)) {
            files[count] = f;
            names[count++] = schema_text(f, strlen(f) - strlen(".json"));
        }
    return count;
}

const char *const *schema_names(void) { return schema_count() ? names : NULL; }

const struct op_schema *schema_at(size_t i)
{
    struct op_schema *s = &schemas[i];

    if (s->name)
        return s;
    s->name = schema_name(i);
    s->op = op_from_name(s->name);
    s->run.command = runnable[s->op].command;
    s->run.copies_part = s->run.command && strcmp(s->run.command, "slice") == 0;
    s->run.scans = s->run.command && strcmp(s->run.command, "topk") == 0;
    schema_read(s, embedded_text(files[i]));
    return s;
}

const struct op_schema *schema_find(const char *name)
{
    size_t i = 0, n = schema_count();

    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    while (i < n && strcmp(names[i], name) != 0)
        i++;
    return i < n ? schema_at(i) : NULL;
}

size_t schema_index(const char *name)
{
    size_t i = 0, n = schema_count();

    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        if (str_same_letters(name, runnable[op].short_name))
            name = runnable[op].name;
    name = dml_operator_suffix(name);
    while (i < n && !str_same_letters(name, names[i]))
        i++;
    return i;
}

const struct op_schema *op_schema(enum op op)
{
    static const struct op_schema none = { .name = "" };
    static const struct op_schema *found[OP_COUNT] = { &none };

    if (!found[op])
        found[op] = schema_find(runnable[op].name);
    return found[op];
}

const struct field *schema_field(const struct op_schema *s, const char *name)
{
    for (const struct field *f = s->fields; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

const struct field *schema_scalar_type(const struct op_schema *s)
{
    for (const struct field *f = s->fields; f->name; f++)
        if (f->kind == FIELD_ENUM && !f->values)
            return f;
    return NULL;
}

const struct field *schema_tensor(const struct op_schema *s, unsigned slot)
{
    for (const struct field *f = s->fields; f->name; f++)
        if (field_is_tensor(f) && f->slot == slot)
            return f;
    return NULL;
}

const struct op_support *schema_support(const struct op_schema *s, unsigned slot,
                                        enum feature_level level)
{
    const struct op_support *found = NULL;

    for (size_t i = 0; i < s->support.n && s->support.v[i].since <= level; i++)
        if (s->support.v[i].slots >> slot & 1)
            found = &s->support.v[i];
    return found;
}

enum feature_level schema_since(const struct op_schema *s, unsigned slot, unsigned types,
                                unsigned rank)
{
    for (int l = (int)s->level; l < LEVEL_COUNT; l++) {
        const struct op_support *t = schema_support(s, slot, (enum feature_level)l);

        if (t && (t->types & types) && (!rank || (rank >= t->min_rank && rank <= t->max_rank)))
            return (enum feature_level)l;
    }
    return LEVEL_COUNT;
}

const struct op_fused *schema_fused(const struct op_schema *s, const struct op_schema *activation)
{
    const struct op_fused *first = NULL;

    for (size_t i = 0; i < activation->fused.n; i++) {
        const struct op_fused *f = &activation->fused.v[i];
        size_t n = 0;

        while (n < f->into_count && strcmp(f->into[n], s->name) != 0)
            n++;
        if ((f->into_count == 0 || n < f->into_count) && (!first || f->since < first->since))
            first = f;
    }
    return first;
}

const char *dml_operator_suffix(const char *name)
{
    return strncasecmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
}

const char *op_short_name(enum op op) { return runnable[op].short_name; }

enum op op_from_name(const char *name)
{
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        if (strcmp(name, runnable[op].name) == 0)
            return (enum op)op;
    return OP_NONE;
}

const struct field *op_output(enum op op, enum field_role role)
{
    for (const struct field *f = op_schema(op)->fields; f->name; f++)
        if (f->kind == FIELD_TENSOR && f->output && f->use.role == role)
            return f;
    return NULL;
}

struct field_part op_field_part(enum op op, const char *pointer)
{
    struct field_part p = { .entry = -1 };

    while (*pointer == '/') {
        size_t n = strcspn(++pointer, "/");
        char name[sizeof p.part];

        snprintf(name, sizeof name, "%.*s", (int)n, pointer);
        pointer += n;
        if (!p.field)
            p.field = schema_field(op_schema(op), name);
        else if (*name >= '0' && *name <= '9')
            p.entry = *name - '0'; /* below DML_MAX_RANK */
        else if (strcmp(name, "Desc") != 0)
            memcpy(p.part, name, sizeof name);
    }
    return p;
}

const char *field_part_option(const struct field_part *p)
{
    const struct field_use *use = p->field ? &p->field->use : NULL;

    if (!use)
        return NULL;
    if (use->sizes_option && strcmp(p->part, "Sizes") == 0)
        return use->sizes_option;
    return use->type_option && strcmp(p->part, "DataType") == 0 ? use->type_option : use->option;
}

struct tensor_desc tensor_desc_packed(enum dtype type, unsigned rank, const uint64_t *sizes)
{
    struct tensor_desc d = { .present = true, .type = type, .rank = rank };

    memcpy(d.sizes, sizes, rank * sizeof *sizes);
    return d;
}

struct tensor_desc desc_result(const struct desc *d, unsigned slot)
{
    struct tensor_desc td = d->tensor[slot];

    if (d->vector_a)
        td.sizes[td.rank - 2] = td.sizes[td.rank - 1];
    td.rank -= (uint32_t)d->vector_a + d->vector_b;
    return td;
}

bool tensor_desc_view(const struct tensor_desc *d, void *data, struct tensor *t)
{
    *t = (struct tensor){ .type = d->type, .rank = d->rank, .data = data };
    for (unsigned i = 0; i < d->rank; i++) {
        t->sizes[i] = d->sizes[i];
        t->strides[i] = (int64_t)d->strides[i];
        if (d->has_strides && d->strides[i] > INT64_MAX)
            return false;
    }
    return d->has_strides || tensor_pack_strides(t->rank, t->sizes, t->strides);
}

bool tensor_desc_bytes(const struct tensor_desc *d, uint64_t *bytes)
{
    struct tensor t;
    uint64_t extent;

    if (!tensor_desc_view(d, NULL, &t) || !tensor_extent(t.rank, t.sizes, t.strides, &extent))
        return false;
    if (d->type >= DT_COUNT) /* two elements in a byte */
        *bytes = extent / 2 + extent % 2;
    else if (!u64_mul(extent, dtype_size(d->type), bytes))
        return false;
    if (!u64_add(*bytes, 3, bytes))
        return false;
    *bytes &= ~(uint64_t)3;
    return true;
}

uint64_t tensor_desc_buffer_bytes(const struct tensor_desc *d)
{
    uint64_t bytes;

    return tensor_desc_bytes(d, &bytes) ? u64_max(bytes, d->total_size) : 0;
}
