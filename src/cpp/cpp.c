#include "cpp/cpp.h"

#include <math.h>

#include "check/findings.h"
#include "cli/print.h"
#include "json/number.h"

extern const char cpp_fragments[];

/* The header. */

static bool is_pointer(const struct field *f)
{
    return f->kind == FIELD_TENSOR || f->kind == FIELD_SCALE_BIAS || f->kind == FIELD_OPERATOR ||
           f->count;
}

/* Adds the calls that write the fields of an operator. */
static void add_calls(struct str *b, const struct op_schema *s)
{
    for (const struct field *f = s->fields; f->name; f++) {
        const char *more = f->kind == FIELD_SCALAR_UNION ? schema_scalar_type(s)->name : f->count;

        str_puts(b, "                ");
        if (f->optional && is_pointer(f))
            str_printf(b, "if (d->%s) ", f->name);
        str_printf(b, "%s(\"%s\", d->%s%s%s);\n", f->kind == FIELD_BOOL ? "boolean" : "field",
                   f->name, f->name, more ? ", d->" : "", more ? more : "");
    }
}

/* Adds the cases of the operators that DirectML.h has from a level on. */
static void add_cases(struct str *b, enum feature_level level)
{
    for (size_t i = 0; i < schema_count(); i++) {
        const struct op_schema *s = schema_at(i);

        if ((s->in_first_header ? LEVEL_1_0 : s->level) != level)
            continue;
        str_printf(b,
                   "        case DML_OPERATOR_%s:\n            if (const auto *d = "
                   "begin<DML_%s_OPERATOR_DESC>(\"DML_OPERATOR_%s\", op.Desc)) {\n",
                   s->name, s->name, s->name);
        add_calls(b, s);
        str_puts(b, "            }\n            break;\n");
    }
}

/* Adds the names of the enumerations that DirectML.h has from a level on. */
static void add_enumerations(struct str *b, enum feature_level level)
{
    for (const struct enum_schema *e = enum_schemas; e->type; e++) {
        if (e->since[0] != level)
            continue;
        str_printf(
            b, "    void value(const %s &v)\n    {\n        static const char *const names[] = {\n",
            e->type);
        for (size_t i = 0; i < e->n; i++)
            str_printf(b, "            \"%s\",\n", e->names[i]);
        str_printf(b, "        };\n\n        name(number(v), \"%s\", names);\n    }\n\n", e->type);
    }
}

/* Adds what there is at each level, for the versions of DirectML.h that have it. */
static void add_levels(struct str *b, void (*add)(struct str *, enum feature_level))
{
    for (enum feature_level l = LEVEL_1_0; l < LEVEL_COUNT; l++) {
        struct str text = { 0 };

        add(&text, l);
        if (text.len > 0)
            str_printf(b, "#if DMLOP_DUMP_TARGET >= 0x%c%c00\n%s#endif\n", level_names[l][0],
                       level_names[l][2], text.s);
        str_done(&text, &b->failed);
    }
}

enum status cpp_header(struct diag *dg)
{
    struct str b = { 0 };

    for (const char *p = embedded_find(cpp_fragments, "dmlop_dump.txt"); *p; p++)
        if (strncmp(p, "@version@", 9) == 0) {
            str_puts(&b, DMLOP_VERSION);
            p += 8;
        } else if (*p == '@') { /* "@enumerations@", "@operators@" */
            add_levels(&b, p[1] == 'e' ? add_enumerations : add_cases);
            p = strchr(p + 1, '@');
        } else
            str_add(&b, p, 1);
    str_puts(&b, "\n");
    return print_str(&b, dg);
}

/* A descriptor. Variables are called as fields, "aTensor", with more words behind for what they
 * consist of: "aTensorSizes", "activationDescs0Fields". */

enum { NAME = 128 };

/* The variable of a field: "ROITensor" becomes "roiTensor", or goes behind a prefix. */
static const char *variable(const char *prefix, const char *field, char name[NAME])
{
    snprintf(name, NAME, "%.60s%.60s", prefix, field);
    for (char *p = name; !*prefix && isupper((unsigned char)*p); p++) {
        *p = (char)tolower((unsigned char)*p);
        if (islower((unsigned char)p[1]) || islower((unsigned char)p[2]))
            break;
    }
    return name;
}

static void add_real(struct str *b, const char *before, double v, bool wide)
{
    char text[NUMBER_TEXT];

    if (isfinite(v)) {
        wide ? number_format_double(text, v) : number_format_float(text, (float)v);
        str_printf(b, "%s%s%s%s", before, text, strpbrk(text, ".e") ? "" : ".0", wide ? "" : "f");
    } else
        str_printf(b, "%s%s", before, isnan(v) ? "NAN" : v > 0 ? "INFINITY" : "-INFINITY");
}

/* Adds " = { ... }" of n numbers, double if they are floats, else int64_t. */
static void add_numbers(struct str *b, uint32_t n, const void *values, bool floats)
{
    for (uint32_t i = 0; i < n && i < DML_MAX_RANK; i++) {
        const char *before = i ? ", " : " = { ";

        floats ? add_real(b, before, ((const double *)values)[i], false)
               : str_printf(b, "%s%jd", before, ((const int64_t *)values)[i]);
    }
    str_puts(b, n ? " }" : " = { }");
}

/* Adds the variables of a tensor, up to its DML_BUFFER_TENSOR_DESC. */
static void add_buffer(struct str *b, const char *name, const struct tensor_desc *t)
{
    uint64_t bytes = t->total_size ? t->total_size : tensor_desc_buffer_bytes(t);

    str_printf(b, "const UINT %sSizes[]", name);
    add_numbers(b, t->rank, t->sizes, false);
    if (t->has_strides) {
        str_printf(b, ";\nconst UINT %sStrides[]", name);
        add_numbers(b, t->rank, t->strides, false);
    }
    str_printf(b,
               ";\nconst DML_BUFFER_TENSOR_DESC %sBuffer = {\n    DML_TENSOR_DATA_TYPE_%s, "
               "DML_TENSOR_FLAG_%s, %u, %sSizes, %s%s, %ju, %ju\n};\n",
               name, dtype_name(t->type),
               t->flags & TENSOR_FLAG_OWNED_BY_DML ? "OWNED_BY_DML" : "NONE", t->rank, name,
               t->has_strides ? name : "nullptr", t->has_strides ? "Strides" : "", bytes,
               t->base_alignment);
}

static void add_operator(struct str *b, const struct op_values *v, const char *prefix);

/* Adds a tensor, an activation or an array of them. */
static void add_entries(struct str *b, const struct op_values *v, const struct field *f,
                        const char *name)
{
    const struct field_value *value = values_of(v, f);
    const char *type = field_is_tensor(f) ? "TENSOR" : "OPERATOR",
               *open = f->count ? "\n    { " : " ", *close = f->count ? " }," : "";
    uint32_t n = f->count ? value->count : 1;
    struct str list = { 0 };
    char entry[NAME], index[16] = "";

    for (uint32_t i = 0; i < n; i++) {
        if (f->count)
            snprintf(index, sizeof index, "%u", i);
        variable(name, index, entry);
        if (field_is_tensor(f)) {
            add_buffer(b, entry, &v->tensor[value->slot + i]);
            str_printf(&list, "%sDML_TENSOR_TYPE_BUFFER, &%sBuffer%s", open, entry, close);
        } else {
            add_operator(b, &v->fused[i], entry);
            str_printf(&list, "%sDML_OPERATOR_%s, &%sFields%s", open, v->fused[i].schema->name,
                       entry, close);
        }
    }
    str_printf(b, "const DML_%s_DESC %s%s = {%s%s};\n", type, name, f->count ? "[]" : "",
               list.s ? list.s : "", f->count ? "\n" : " ");
    str_done(&list, &b->failed);
}

/* Adds the variable that a pointer leads to. */
static void add_target(struct str *b, const struct op_values *v, const struct field *f,
                       const char *name)
{
    const struct field_value *value = values_of(v, f);
    bool floats = f->kind == FIELD_FLOAT_ARRAY || f->kind == FIELD_SCALE_BIAS;

    if (!floats && f->kind != FIELD_UINT_ARRAY && f->kind != FIELD_INT_ARRAY) {
        add_entries(b, v, f, name);
        return;
    }
    str_printf(b, "const %s %s%s", field_kinds[f->kind].type + (f->count ? strlen("Array of ") : 0),
               name, f->count ? "[]" : "");
    add_numbers(b, f->count ? value->count : 2, value->v, floats);
    str_puts(b, ";\n");
}

/* Adds the member of a scalar's type and its value. */
static void add_scalar(struct str *b, enum dtype type, const struct field_value *value)
{
    int64_t v = type == DT_FLOAT16 ? half_from_double(value->x[0]) : value->v[0];

    str_printf(b, ".%s = ", scalar_members[type]);
    if (type == DT_FLOAT32 || type == DT_FLOAT64)
        add_real(b, "", value->x[0], type == DT_FLOAT64);
    else if (type == DT_UINT64)
        str_printf(b, "%juu", (uint64_t)v);
    else if (v == INT64_MIN)
        str_printf(b, "-%jd - 1", INT64_MAX);
    else
        str_printf(b, "%jd", v);
}

/* The value of a number that may be left out if it counts the entries of an array. */
static int64_t integer_of(const struct op_values *v, const struct field *f)
{
    const struct field_value *value = values_of(v, f);

    for (const struct field *g = v->schema->fields; g->name && !value->given; g++)
        if (g->count && strcmp(g->count, f->name) == 0)
            return values_of(v, g)->count;
    return value->v[0];
}

/* Adds " = VALUE" of a member that is no pointer. */
static void add_value(struct str *b, const struct op_values *v, const struct field *f)
{
    const struct field_value *value = values_of(v, f);

    if (f->kind == FIELD_SCALAR_UNION)
        add_scalar(b, (enum dtype)values_of(v, schema_scalar_type(v->schema))->v[0], value);
    else if (f->kind == FIELD_SIZE_2D)
        add_numbers(b, 2, value->v, false);
    else if (f->kind == FIELD_FLOAT)
        add_real(b, " = ", value->x[0], false);
    else if (f->kind == FIELD_BOOL)
        str_printf(b, " = %s", value->v[0] ? "TRUE" : "FALSE");
    else if (f->kind == FIELD_ENUM && f->values)
        str_printf(b, " = %s%s", f->values->prefix, f->values->names[value->v[0]]);
    else if (f->kind == FIELD_ENUM)
        str_printf(b, " = DML_TENSOR_DATA_TYPE_%s", dtype_name((enum dtype)value->v[0]));
    else
        str_printf(b, " = %jd", integer_of(v, f));
}

/* Adds the struct of an operator, prefixFields, after what it points to. */
static void add_operator(struct str *b, const struct op_values *v, const char *prefix)
{
    struct str members = { 0 };
    char name[NAME], op[NAME];

    variable(prefix, "Fields", op);
    for (const struct field *f = v->schema->fields; f->name; f++) {
        if (!values_of(v, f)->given && f->kind != FIELD_UINT)
            continue; /* null */
        str_printf(&members, "%s.%s", op, f->name);
        variable(prefix, f->name, name);
        if (is_pointer(f)) {
            add_target(b, v, f, name);
            str_printf(&members, " = %s%s", f->count ? "" : "&", name);
        } else
            add_value(&members, v, f);
        str_puts(&members, ";\n");
    }
    str_printf(b, "DML_%s_OPERATOR_DESC %s = {};\n%s", v->schema->name, op,
               members.s ? members.s : "");
    str_done(&members, &b->failed);
}

enum status cpp_file(const char *path, const struct check_options *opt, int color, struct diag *dg)
{
    struct checked c = { 0 };
    struct str b = { 0 };
    enum status st = checked_load(&c, path, opt, dg);

    if (st == ST_OK && c.is_model)
        st = diag_error(dg, ST_USAGE, path, "--cpp is for a descriptor, and this is a model file");
    st = st ? st : findings_text(&c.document, path, dg->err, color, dg);
    st = st ? st : document_status(&c.document);
    if (st == ST_OK) {
        add_operator(&b, &c.values, "");
        str_printf(&b, "const DML_OPERATOR_DESC desc = { DML_OPERATOR_%s, &fields };\n",
                   c.values.schema->name);
        st = print_str(&b, dg);
    }
    checked_free(&c);
    return st;
}
