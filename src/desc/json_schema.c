#include "desc/json_schema.h"

#include "desc/level.h"
#include "desc/schema.h"

#define UINT "{ \"type\": \"integer\", \"minimum\": 0, \"maximum\": 4294967295 }"
#define SIZE "{ \"type\": \"integer\", \"minimum\": 1, \"maximum\": 4294967295 }"
#define STEP \
    "{ \"type\": \"integer\", \"minimum\": -2147483648, \"maximum\": 2147483647, \"not\": { \"const\": 0 } }"

void schema_add_ref(struct str *b, const char *name)
{
    str_printf(b, "{ \"$ref\": \"#/$defs/%s\" }", name);
}

void schema_add_types(struct str *b, unsigned types)
{
    const char *comma = "";

    str_puts(b, "{ \"enum\": [");
    for (int t = DT_NONE + 1; t < DT_COUNT; t++)
        if (types >> t & 1) {
            str_printf(b, "%s\"DML_TENSOR_DATA_TYPE_%s\", \"%s\"", comma, dtype_name((enum dtype)t), dtype_name((enum dtype)t));
            comma = ", ";
        }
    str_puts(b, "] }");
}

/* The data types of a tensor field. */
static unsigned field_types(enum op op, const struct field *f, const struct op_support *s)
{
    if (op == OP_QMATMUL && (f->slot == SLOT_A_SCALE || f->slot == SLOT_B_SCALE || f->slot == SLOT_C_SCALE))
        return 1u << DT_FLOAT32;
    if ((op == OP_TOP_K || op == OP_TOP_K1) && f->slot == SLOT_INDICES)
        return s->index_types;
    return s->types;
}

static bool is_parameter(enum op op, const struct field *f)
{
    return op == OP_QMATMUL && f->slot != SLOT_A && f->slot != SLOT_B && f->slot != SLOT_C;
}

/* "NAME.FIELD": the fields of a tensor description. */
static void add_tensor(struct str *b, enum op op, const struct field *f)
{
    const struct op_support *s = op_support_at(op, LEVEL_NEWEST);
    bool parameter = is_parameter(op, f);

    str_printf(b, ",\n    \"%s.%s\": { \"type\": \"object\", \"properties\": {\n      \"Type\": ", op_schemas[op].name, f->name);
    str_puts(b, "{ \"enum\": [\"DML_TENSOR_TYPE_BUFFER\", \"BUFFER\"] },\n      \"DataType\": ");
    schema_add_types(b, field_types(op, f, s));
    str_puts(b, ",\n      \"Flags\": { \"anyOf\": [ { \"enum\": [\"DML_TENSOR_FLAG_NONE\", \"NONE\"");
    if (!f->output)
        str_puts(b, ", \"DML_TENSOR_FLAG_OWNED_BY_DML\", \"OWNED_BY_DML\"");
    str_puts(b, "] }, { \"type\": \"array\", \"items\": { \"type\": \"string\" } } ] },\n"
                "      \"DimensionCount\": { \"type\": \"integer\", \"minimum\": 1, \"maximum\": 8 },\n");
    str_printf(b, "      \"Sizes\": { \"type\": \"array\", \"minItems\": %u, \"maxItems\": %u, \"items\": " SIZE " },\n",
               parameter ? s->param_min_rank : s->min_rank, parameter ? s->param_max_rank : s->max_rank);
    str_puts(b, "      \"Strides\": { \"type\": \"array\", \"maxItems\": 8, \"items\": " UINT " },\n"
                "      \"TotalTensorSizeInBytes\": { \"type\": \"integer\", \"minimum\": 0, \"multipleOf\": 4 },\n"
                "      \"GuaranteedBaseOffsetAlignment\": " UINT " },\n"
                "      \"required\": [\"DataType\", \"Sizes\"], \"additionalProperties\": false }");
}

/* Whether a number of the field is 1 or more by a rule. */
static bool is_positive(enum op op, const struct field *f)
{
    return f->offset == offsetof(struct desc, k) || f->offset == offsetof(struct desc, sizes) ||
           (op == OP_SLICE && f->offset == offsetof(struct desc, strides));
}

static void add_field(struct str *b, enum op op, const struct field *f)
{
    str_printf(b, "\n      \"%s\": ", f->name);
    switch (f->kind) {
    case FIELD_TENSOR:
        str_printf(b, "{ \"anyOf\": [ { \"$ref\": \"#/$defs/%s.%s\" }, { \"type\": \"object\", \"properties\": { \"Type\": "
                      "{ \"enum\": [\"DML_TENSOR_TYPE_BUFFER\", \"BUFFER\"] }, \"Desc\": { \"$ref\": \"#/$defs/%s.%s\" } }, "
                      "\"required\": [\"Desc\"], \"additionalProperties\": false }%s ] }",
                   op_schemas[op].name, f->name, op_schemas[op].name, f->name,
                   f->optional ? ", { \"type\": \"null\" }" : "");
        break;
    case FIELD_UINT:
        str_puts(b, is_positive(op, f) ? SIZE : UINT);
        break;
    case FIELD_UINT_ARRAY:
    case FIELD_INT_ARRAY:
        str_printf(b, "{ \"type\": \"array\", \"minItems\": 1, \"maxItems\": 8, \"items\": %s }",
                   f->kind == FIELD_INT_ARRAY ? STEP : is_positive(op, f) ? SIZE : UINT);
        break;
    case FIELD_DIRECTION:
        str_puts(b, "{ \"enum\": [\"DML_AXIS_DIRECTION_INCREASING\", \"DML_AXIS_DIRECTION_DECREASING\", \"INCREASING\", "
                    "\"DECREASING\"] }");
        break;
    }
}

/* The operator's fields, and then what `more` has, as the inside of "properties" and "required". */
static void add_fields(struct str *b, enum op op, const char *more)
{
    const struct field *fields = op_schemas[op].fields;
    const char *comma = "";

    str_puts(b, "\"type\": \"object\", \"properties\": {");
    for (const struct field *f = fields; f->name; f++) {
        str_puts(b, f == fields ? "" : ",");
        add_field(b, op, f);
    }
    str_printf(b, "%s },\n      \"required\": [", more);
    for (const struct field *f = fields; f->name; f++)
        if (!f->optional) {
            str_printf(b, "%s\"%s\"", comma, f->name);
            comma = ", ";
        }
    str_puts(b, "], \"additionalProperties\": false");
}

/* One of two spellings of a key is required. */
#define EITHER(a, b) "{ \"anyOf\": [ { \"required\": [\"" a "\"] }, { \"required\": [\"" b "\"] } ] }"

void schema_add_operator(struct str *b, enum op op, const char *also)
{
    const char *name = op_schemas[op].name;
    struct str type = { 0 };

    for (const struct field *f = op_schemas[op].fields; f->name; f++)
        if (f->kind == FIELD_TENSOR)
            add_tensor(b, op, f);
    str_printf(&type, ", \"type\": { \"enum\": [\"DML_OPERATOR_%s\", \"%s\"] }, \"Type\": { \"enum\": [\"DML_OPERATOR_%s\", "
                      "\"%s\"] }%s", name, name, name, name, also);
    str_printf(b, ",\n    \"%s.fields\": { ", name);
    add_fields(b, op, "");
    str_printf(b, " },\n    \"%s\": { \"title\": \"DML_OPERATOR_%s\", \"anyOf\": [\n", name, name);
    str_printf(b, "      { \"type\": \"object\", \"properties\": { \"desc\": { \"$ref\": \"#/$defs/%s.fields\" }, \"Desc\": "
                  "{ \"$ref\": \"#/$defs/%s.fields\" }%s },\n", name, name, type.s ? type.s : "");
    str_puts(b, "        \"allOf\": [ " EITHER("type", "Type") ", " EITHER("desc", "Desc") " ], \"additionalProperties\": false },\n"
                "      { \"allOf\": [ " EITHER("type", "Type") " ], ");
    add_fields(b, op, type.s ? type.s : "");
    str_puts(b, " } ] }");
    b->failed = b->failed || type.failed;
    str_free(&type);
}
