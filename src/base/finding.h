#ifndef DMLOP_BASE_FINDING_H
#define DMLOP_BASE_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/rules.h"
#include "base/util.h"

/* Another place that a finding speaks of. */
struct finding_place {
    char *pointer;            /* JSON pointer (RFC 6901), owned */
    char *message;            /* owned */
    size_t offset, end;       /* these and the rest as in struct finding */
    size_t line, column, end_column;
};

/* What a pointer means by its place: the value, the member's key, or the object's
 * opening brace (for a field that is missing there). */
enum finding_at { AT_VALUE, AT_KEY, AT_OPENING };

/* One violation. Rules give rule, pointer, message, hint; who holds the text adds the position. */
struct finding {
    enum rule rule;
    enum severity severity;   /* the rule's, or a warning where --relaxed made it one */
    char *pointer;            /* owned; "" is the top value */
    enum finding_at at;
    char *message;            /* owned; one sentence, lower case, no full stop */
    char *hint;               /* owned or NULL: the value or range that would do */
    size_t offset, end;       /* bytes from the start of the text; both 0 while unknown */
    size_t line, column;      /* from 1; columns count characters; 0 while unknown */
    size_t end_column;        /* first column past the value, on the same line */
    struct finding_place *related;
    size_t related_count;
};

/* All findings of one text. Zero-initialise. */
struct findings {
    struct finding *v;
    size_t n, cap;
    size_t errors, warnings;
    bool relaxed;             /* rules with `limit` become warnings */
    bool failed;              /* memory ran out: findings are incomplete */
};

/* Adds a violation of `rule` at a pointer; the message from fmt. Returns it for a hint
 * or a related place; NULL (and failed set) where memory is short. The pointer stays
 * valid until the next findings_add. */
struct finding *findings_add(struct findings *fs, enum rule rule, const char *pointer,
                             enum finding_at at, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* Sets the hint of f; does nothing where f is NULL. */
void finding_hint(struct findings *fs, struct finding *f, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Adds a related place to f; does nothing where f is NULL. */
void finding_relate(struct findings *fs, struct finding *f, const char *pointer, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

void findings_free(struct findings *fs);

#endif
