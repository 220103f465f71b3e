#include "base/rules.h"

const struct rule_info rule_table[RULE_COUNT] = {
#define X(name, ident, sev, lim, text, mend) \
    [RULE_##name] = { .id = (ident), .sentence = (text), .remedy = (mend), .severity = (sev), .limit = (lim) },
    DMLOP_RULES(X)
#undef X
};
