#pragma once

enum severity { SEV_ERROR, SEV_WARNING };

/* "error" or "warning". */
static inline const char *severity_name(enum severity severity)
{
    return severity == SEV_ERROR ? "error" : "warning";
}

enum rule_class {
    CLASS_PLAIN,
    CLASS_LIMIT,    /* a documented limit that safety does not need: a warning with --relaxed */
    CLASS_DATA,     /* about the contents of a file: exit status 3 */
    CLASS_PORTABLE, /* checked with --portable only */
    CLASS_RANGE,    /* about numbers that DirectML's C types cannot hold */
};

/* All rules, those of desc/rules.json, of which the build makes desc/rule_rows.h, a row X(NAME,
 * "id", severity, class, sentence, remedy) for each. Lint checks the manual's list
 * (dmlop-rules(7)) and the tests against them. An id never changes its meaning. */
enum rule {
#define X(name, ...) RULE_##name,
#include "desc/rule_rows.h"
#undef X
    RULE_COUNT
};

struct rule_info {
    char id[40]; /* no pointers: they would be relocated at each start */
    enum severity severity;
    enum rule_class of;
    char sentence[176]; /* "Every size must be at least 1." */
    char remedy[160];   /* "use sizes of 1 or more" */
};

extern const struct rule_info rule_table[RULE_COUNT];
