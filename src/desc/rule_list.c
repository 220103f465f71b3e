#include "desc/rule_list.h"

const struct rule_info rule_table[RULE_COUNT] = {
#define X(name, ident, sev, cls) [RULE_##name] = { (ident), (sev), (cls) },
    DMLOP_RULES(X)
#undef X
};

const char *severity_name(enum severity severity)
{
    return severity == SEV_ERROR ? "error" : "warning";
}
