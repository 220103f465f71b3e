#ifndef DMLOP_DESC_LEVEL_H
#define DMLOP_DESC_LEVEL_H

#include <stdbool.h>

#include "desc/desc.h"

/* DML_FEATURE_LEVEL_1_0 ... 6_4, in order. */
enum feature_level {
    LEVEL_1_0, LEVEL_2_0, LEVEL_2_1, LEVEL_3_0, LEVEL_3_1, LEVEL_4_0, LEVEL_4_1,
    LEVEL_5_0, LEVEL_5_1, LEVEL_5_2, LEVEL_6_0, LEVEL_6_1, LEVEL_6_2, LEVEL_6_3, LEVEL_6_4,
    LEVEL_COUNT,
    LEVEL_NEWEST = LEVEL_6_4
};

extern const char *const level_names[]; /* "1_0" ...; NULL ends */

/* "5_0", "5.0" or "DML_FEATURE_LEVEL_5_0"; LEVEL_COUNT where unknown. */
enum feature_level level_from_name(const char *name);

/* What an operator supports at a level. Types are bit sets, 1 << enum dtype. */
struct op_support {
    enum op op;
    enum feature_level since;
    unsigned min_rank, max_rank;             /* data tensors */
    unsigned param_min_rank, param_max_rank; /* qmatmul's scales and zero points; 0: as the data */
    unsigned types;                          /* data tensors */
    unsigned index_types;                    /* topk's indices */
};

/* The row in force, or NULL where the operator does not exist at that level. */
const struct op_support *op_support_at(enum op op, enum feature_level level);

#endif
