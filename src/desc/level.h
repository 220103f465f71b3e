#ifndef DMLOP_DESC_LEVEL_H
#define DMLOP_DESC_LEVEL_H

#include <stdbool.h>

/* DML_FEATURE_LEVEL_1_0 ... 6_4, in order. */
enum feature_level {
    LEVEL_1_0,
    LEVEL_2_0,
    LEVEL_2_1,
    LEVEL_3_0,
    LEVEL_3_1,
    LEVEL_4_0,
    LEVEL_4_1,
    LEVEL_5_0,
    LEVEL_5_1,
    LEVEL_5_2,
    LEVEL_6_0,
    LEVEL_6_1,
    LEVEL_6_2,
    LEVEL_6_3,
    LEVEL_6_4,
    LEVEL_COUNT,
    LEVEL_NEWEST = LEVEL_6_4
};

extern const char *const level_names[]; /* "1_0" ...; NULL ends */

/* "5_0", "5.0" or "DML_FEATURE_LEVEL_5_0" -> LEVEL_5_0; LEVEL_COUNT if unknown. */
enum feature_level level_from_name(const char *name);

#endif
