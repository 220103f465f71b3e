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
