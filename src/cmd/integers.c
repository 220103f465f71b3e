#include "cmd/integers.h"

#include <string.h>

#include "json/number.h"

bool integers_read(const char *text, struct integers *list)
{
    const char *p = text + strspn(text, " \t"), *bracket = *p ? strchr("{[(", *p) : NULL;
    bool comma = false;

    list->n = 0;
    for (p += bracket != NULL;; p += comma) {
        size_t n;

        p += strspn(p, " \t");
        n = strspn(p, "+-0123456789.eE");
        if (n == 0)
            break;
        if (list->n == TENSOR_MAX_RANK || number_int_literal(p, n, &list->v[list->n]) != NUMBER_OK)
            return false;
        list->n++;
        p += n;
        p += strspn(p, " \t");
        comma = *p == ',';
    }
    if (bracket && *p++ != (*bracket == '(' ? ')' : *bracket + 2))
        return false;
    return p[strspn(p, " \t")] == '\0' && !comma;
}

enum status integers_read_sizes(const char *option, const char *text, bool computed,
                                struct integers *list, struct diag *dg)
{
    unsigned left = computed;

    if (!integers_read(text, list))
        return diag_error(dg, ST_USAGE, NULL,
                          "%s: '%s' is not a list of at most %d sizes, such as 2,3", option, text,
                          TENSOR_MAX_RANK);
    for (unsigned i = 0; i < list->n; i++) {
        if (list->v[i] >= 0)
            continue;
        if (list->v[i] < -1 || left == 0)
            return diag_error(dg, ST_USAGE, NULL,
                              "%s: '%s' is not a list of sizes: each is 0 or more%s", option, text,
                              computed ? ", and one of them may be -1" : "");
        left--;
    }
    return ST_OK;
}
