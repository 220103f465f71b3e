#include "lsp/about.h"

#include <inttypes.h>
#include <stdio.h>

#include "desc/level.h"
#include "desc/schema.h"

void about_name(struct str *b, const char *name)
{
    enum { MOST = 100 };

    str_puts(b, "`");
    for (int i = 0; i < MOST && name[i]; i++)
        str_add(b, name[i] == '`' || name[i] == '\n' || name[i] == '\r' ? " " : name + i, 1);
    str_puts(b, "`");
}

/* Data types that a tensor of that role may have at a level; 0 where the operator is not there. */
static unsigned types_at(enum op op, enum field_role role, enum feature_level level)
{
    const struct op_support *s = op_support_at(op, level);

    if (!s)
        return 0;
    return role == ROLE_SCALE ? 1u << DT_FLOAT32 : role == ROLE_INDEX ? s->index_types : s->types;
}

static void add_level(struct str *b, const char *what, enum op op, enum field_role role,
                      unsigned types)
{
    int level = 0;

    while (level < LEVEL_COUNT && !(types_at(op, role, (enum feature_level)level) & types))
        level++;
    if (level < LEVEL_COUNT)
        str_printf(b, "%s: feature level %s.\n\n", what, level_names[level]);
    else
        str_printf(b, "%s: not at any feature level.\n\n", what);
}

void about_operator(struct str *b, enum op op)
{
    char name[96];

    if (op == OP_NONE)
        return;
    snprintf(name, sizeof name, "DML_OPERATOR_%s", op_schemas[op].name);
    add_level(b, name, op, ROLE_DATA, ~0u);
}

/* Whether what follows from sizes and strides can be told. */
static bool is_known(const struct tensor_desc *d, const struct tensor_seen *s)
{
    bool count = !s || s->strides.count == 0 ||
                 (s->strides.all && s->strides.count == s->sizes.count);

    return d->present && d->type != DT_NONE && d->rank > 0 &&
           (!s || (s->sizes.all && s->sizes.count <= DML_MAX_RANK && count));
}

static void add_sizes(struct str *b, const struct tensor_desc *d)
{
    uint64_t count;

    str_printf(b, "%s [", dtype_name(d->type));
    for (unsigned i = 0; i < d->rank; i++)
        str_printf(b, "%s%" PRIu64, i ? ", " : "", d->sizes[i]);
    if (tensor_count(d->rank, d->sizes, &count))
        str_printf(b, "]: %" PRIu64 " elements", count);
    else
        str_puts(b, "]: more elements than 64 bits can count");
}

static void add_bytes(struct str *b, const struct tensor_desc *d)
{
    uint64_t bytes;

    if (!tensor_desc_bytes(d, &bytes))
        str_puts(b, ", more bytes than 64 bits can count");
    else if (d->total_size == 0)
        str_printf(b, ", TotalTensorSizeInBytes %" PRIu64, bytes);
    else
        str_printf(b, ", TotalTensorSizeInBytes %" PRIu64 " of at least %" PRIu64, d->total_size,
                   bytes);
}

static void add_strides(struct str *b, const struct tensor_desc *d)
{
    struct tensor t;

    if (!tensor_desc_view(d, NULL, &t))
        return;
    str_puts(b, ", strides [");
    for (unsigned i = 0; i < t.rank; i++)
        str_printf(b, "%s%" PRId64, i ? ", " : "", t.strides[i]);
    str_puts(b, tensor_is_packed(&t) ? "] (packed)" : "]");
}

static void about_tensor(struct str *b, enum op op, const struct field *f,
                         const struct tensor_desc *d, const struct tensor_seen *s)
{
    char what[48];

    if (is_known(d, s)) {
        add_sizes(b, d);
        add_bytes(b, d);
        add_strides(b, d);
        str_printf(b, ", flags %s.\n\n",
                   d->flags & TENSOR_FLAG_OWNED_BY_DML ? "OWNED_BY_DML" : "NONE");
    }
    if (d->present && d->type != DT_NONE) {
        snprintf(what, sizeof what, "%s here", dtype_name(d->type));
        add_level(b, what, op, f->role, 1u << d->type);
    }
}

void about_field(struct str *b, const struct desc *d, const struct desc_seen *seen,
                 const struct field *f)
{
    static const char *const kinds[] = {
        [FIELD_TENSOR] = "Tensor",
        [FIELD_UINT] = "UINT",
        [FIELD_UINT_ARRAY] = "Array of UINT, one per dimension",
        [FIELD_INT_ARRAY] = "Array of INT, one per dimension",
        [FIELD_DIRECTION] = "DML_AXIS_DIRECTION",
    };

    str_printf(b, "%s%s%s.\n\n", kinds[f->kind],
               f->kind != FIELD_TENSOR ? "" : f->output ? ", output" : ", input",
               f->optional ? ", optional" : ", required");
    if (f->kind == FIELD_TENSOR)
        about_tensor(b, d->op, f, &d->tensor[f->slot], seen ? &seen->tensor[f->slot] : NULL);
    about_operator(b, d->op);
}

void about_resource(struct str *b, const struct model_resource *r)
{
    static const char *const forms[] = {
        [INIT_NONE] = "all zero",
        [INIT_ARRAY] = "an array",
        [INIT_CONSTANT] = "one value, repeated",
        [INIT_SEQUENCE] = "a sequence",
        [INIT_FILE] = "a file",
        [INIT_LIST] = "values with types of their own",
    };

    str_puts(b, "Resource ");
    about_name(b, r->name ? r->name : "");
    str_puts(b, ": ");
    if (r->good)
        str_printf(b, "%" PRIu64 " bytes, ", r->size);
    str_printf(b, "%s", forms[r->form]);
    if (r->good && r->form != INIT_NONE)
        str_printf(b, "; %" PRIu64 " initial values", r->count);
    if (r->good && r->form != INIT_NONE && r->form != INIT_LIST)
        str_printf(b, " of %s", dtype_name(r->type));
    if (r->good && r->offset > 0)
        str_printf(b, " from byte %" PRIu64, r->offset);
    str_puts(b, ".\n\n");
}
