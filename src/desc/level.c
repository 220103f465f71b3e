#include "desc/level.h"

#include <string.h>

#include "base/util.h"

const char *const level_names[] = { "1_0", "2_0", "2_1", "3_0", "3_1", "4_0", "4_1", "5_0",
                                    "5_1", "5_2", "6_0", "6_1", "6_2", "6_3", "6_4", NULL };

enum feature_level level_from_name(const char *name)
{
    static const char prefix[] = "DML_FEATURE_LEVEL_";

    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    if (strlen(name) == 3)
        for (int l = 0; l < LEVEL_COUNT; l++)
            if (name[0] == level_names[l][0] && (name[1] == '_' || name[1] == '.') &&
                name[2] == level_names[l][2])
                return (enum feature_level)l;
    return LEVEL_COUNT;
}

#define BIT(t) (1u << DT_##t)
#define TYPES_16_32 \
    (BIT(FLOAT32) | BIT(FLOAT16) | BIT(INT32) | BIT(INT16) | BIT(UINT32) | BIT(UINT16))
#define TYPES_8_32 (TYPES_16_32 | BIT(INT8) | BIT(UINT8))
#define TYPES_ALL (TYPES_8_32 | BIT(FLOAT64) | BIT(INT64) | BIT(UINT64))

/* By operator, then by level. Source: the feature level tables of the operators' reference pages.
 * SLICE1's row for 4_1 repeats that of SLICE, its predecessor. */
static const struct op_support table[] = {
    { OP_SLICE, LEVEL_1_0, 4, 5, 0, 0, TYPES_16_32, 0 },
    { OP_SLICE, LEVEL_2_1, 4, 5, 0, 0, TYPES_8_32, 0 },
    { OP_SLICE, LEVEL_3_0, 1, 8, 0, 0, TYPES_8_32, 0 },
    { OP_SLICE, LEVEL_4_1, 1, 8, 0, 0, TYPES_ALL, 0 },
    { OP_SLICE1, LEVEL_2_1, 4, 5, 0, 0, TYPES_8_32, 0 },
    { OP_SLICE1, LEVEL_3_0, 1, 8, 0, 0, TYPES_8_32, 0 },
    { OP_SLICE1, LEVEL_4_1, 1, 8, 0, 0, TYPES_ALL, 0 },
    { OP_TOP_K, LEVEL_2_0, 4, 4, 0, 0, BIT(FLOAT32) | BIT(FLOAT16), BIT(UINT32) },
    { OP_TOP_K, LEVEL_2_1, 4, 4, 0, 0, TYPES_8_32, BIT(UINT32) },
    { OP_TOP_K, LEVEL_3_1, 1, 8, 0, 0, TYPES_8_32, BIT(UINT32) },
    { OP_TOP_K, LEVEL_5_0, 1, 8, 0, 0, TYPES_8_32 | BIT(INT64) | BIT(UINT64),
      BIT(UINT32) | BIT(UINT64) },
    { OP_TOP_K1, LEVEL_2_1, 4, 4, 0, 0, TYPES_8_32, BIT(UINT32) },
    { OP_TOP_K1, LEVEL_3_1, 1, 8, 0, 0, TYPES_8_32, BIT(UINT32) },
    { OP_TOP_K1, LEVEL_5_0, 1, 8, 0, 0, TYPES_8_32 | BIT(INT64) | BIT(UINT64),
      BIT(UINT32) | BIT(UINT64) },
    { OP_QMATMUL, LEVEL_2_1, 4, 4, 4, 4, BIT(INT8) | BIT(UINT8), 0 },
    { OP_QMATMUL, LEVEL_4_0, 2, 4, 1, 4, BIT(INT8) | BIT(UINT8), 0 },
};

const struct op_support *op_support_at(enum op op, enum feature_level level)
{
    const struct op_support *found = NULL;

    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].op == op && table[i].since <= level)
            found = &table[i];
    return found;
}
