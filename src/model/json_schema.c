#include "model/json_schema.h"

#include "desc/json_schema.h"
#include "desc/schema.h"

#define COUNT  "{ \"type\": \"integer\", \"minimum\": 0 }"
#define NUMBER "{ \"anyOf\": [ { \"type\": \"number\" }, { \"enum\": [\"nan\", \"inf\", \"-inf\"] } ] }"

const char model_schema_also[] = ", \"bindings\": { \"$ref\": \"#/$defs/bindings\" }, \"executionFlags\": {}, "
                                 "\"dmlCompileType\": {}, \"$schema\": { \"type\": \"string\" }";

static void add_types(struct str *b)
{
    str_puts(b, ",\n    \"dataType\": { \"anyOf\": [ { \"enum\": [\"DML_TENSOR_DATA_TYPE_UNKNOWN\", \"UNKNOWN\"] }, ");
    schema_add_types(b, ~0u);
    str_puts(b, " ] }");
}

static void add_resource(struct str *b)
{
    str_puts(b,
             ",\n    \"resource\": { \"type\": \"object\", \"properties\": {\n"
             "      \"initialValuesDataType\": { \"$ref\": \"#/$defs/dataType\" },\n"
             "      \"initialValues\": { \"anyOf\": [\n"
             "        { \"type\": \"array\", \"items\": " NUMBER " },\n"
             "        { \"type\": \"object\", \"properties\": { \"valueCount\": { \"type\": \"integer\", \"minimum\": 1 }, "
             "\"value\": " NUMBER " }, \"required\": [\"valueCount\", \"value\"], \"additionalProperties\": false },\n"
             "        { \"type\": \"object\", \"properties\": { \"valueCount\": { \"type\": \"integer\", \"minimum\": 1 }, "
             "\"valueStart\": " NUMBER ", \"valueDelta\": " NUMBER " }, \"required\": [\"valueCount\", \"valueStart\", "
             "\"valueDelta\"], \"additionalProperties\": false },\n"
             "        { \"type\": \"object\", \"properties\": { \"sourcePath\": { \"type\": \"string\", \"pattern\": "
             "\"\\\\.(npy|dat|bin)$\" } }, \"required\": [\"sourcePath\"], \"additionalProperties\": false },\n"
             "        { \"type\": \"array\", \"minItems\": 1, \"items\": { \"type\": \"object\", \"properties\": { \"name\": "
             "{ \"type\": \"string\" }, \"type\": { \"$ref\": \"#/$defs/dataType\" }, \"value\": " NUMBER " }, "
             "\"required\": [\"type\", \"value\"], \"additionalProperties\": false } } ] },\n"
             "      \"sizeInBytes\": { \"type\": \"integer\", \"minimum\": 1 },\n"
             "      \"initialValuesOffsetInBytes\": " COUNT " },\n"
             "      \"additionalProperties\": false }");
}

static void add_bindings(struct str *b)
{
    str_puts(b,
             ",\n    \"binding\": { \"anyOf\": [ { \"type\": \"string\" }, { \"type\": \"object\", \"properties\": {\n"
             "      \"name\": { \"type\": \"string\" }, \"elementOffset\": " COUNT ", \"elementCount\": " COUNT ",\n"
             "      \"elementSizeInBytes\": " COUNT ", \"format\": {}, \"counterOffsetBytes\": {} },\n"
             "      \"required\": [\"name\"], \"additionalProperties\": false } ] },\n"
             "    \"bindings\": { \"type\": \"object\", \"additionalProperties\": { \"anyOf\": [ { \"$ref\": \"#/$defs/binding\" }, "
             "{ \"type\": \"array\", \"minItems\": 1, \"maxItems\": 1, \"items\": { \"$ref\": \"#/$defs/binding\" } } ] } }");
}

static void add_command(struct str *b)
{
    str_puts(b,
             ",\n    \"command\": { \"anyOf\": [\n"
             "      { \"type\": \"object\", \"properties\": { \"type\": { \"const\": \"dispatch\" }, \"dispatchable\": { \"type\": "
             "\"string\" }, \"bindings\": { \"$ref\": \"#/$defs/bindings\" } }, \"required\": [\"type\", \"dispatchable\"], "
             "\"additionalProperties\": false },\n"
             "      { \"type\": \"object\", \"properties\": { \"type\": { \"const\": \"print\" }, \"resource\": { \"type\": "
             "\"string\" }, \"verbose\": { \"type\": \"boolean\" } }, \"required\": [\"type\", \"resource\"], "
             "\"additionalProperties\": false },\n"
             "      { \"type\": \"object\", \"properties\": { \"type\": { \"const\": \"writeFile\" }, \"resource\": { \"type\": "
             "\"string\" }, \"targetPath\": { \"type\": \"string\", \"pattern\": \"\\\\.(npy|dat|bin|json)$\" }, \"dimensions\": "
             "{ \"type\": \"array\", \"minItems\": 1, \"maxItems\": 32, \"items\": { \"type\": \"integer\", \"minimum\": 1 } } }, "
             "\"required\": [\"type\", \"resource\", \"targetPath\"], \"additionalProperties\": false } ] }");
}

void model_schema_add(struct str *b)
{
    add_types(b);
    add_resource(b);
    add_bindings(b);
    str_puts(b, ",\n    \"dispatchable\": { \"anyOf\": [ ");
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        str_puts(b, op == OP_NONE + 1 ? "" : ", ");
        schema_add_ref(b, op_schemas[op].name);
    }
    str_puts(b, " ] }");
    add_command(b);
    str_puts(b, ",\n    \"model\": { \"title\": \"DxDispatch model\", \"type\": \"object\", \"properties\": {\n"
                "      \"$schema\": { \"type\": \"string\" },\n"
                "      \"resources\": { \"type\": \"object\", \"additionalProperties\": { \"$ref\": \"#/$defs/resource\" } },\n"
                "      \"dispatchables\": { \"type\": \"object\", \"additionalProperties\": { \"$ref\": \"#/$defs/dispatchable\" } },\n"
                "      \"commands\": { \"type\": \"array\", \"items\": { \"$ref\": \"#/$defs/command\" } } },\n"
                "      \"required\": [\"resources\", \"dispatchables\", \"commands\"], \"additionalProperties\": false }");
}
