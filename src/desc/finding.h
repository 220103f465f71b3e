#ifndef DMLOP_DESC_FINDING_H
#define DMLOP_DESC_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "desc/rule_list.h"
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

/* The one change that would satisfy a rule: the bytes at a place give way to `text`. */
struct finding_fix {
    char *pointer;            /* owned; NULL where there is no such change */
    enum finding_at at;       /* AT_VALUE or AT_KEY */
    char *text;               /* owned; JSON */
    size_t offset, end;       /* bytes, as below; not cut at the end of a line */
};

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
    struct finding_fix fix;
};

/*
 * The findings of one text. Zero-initialise, set the options. Where `most` is set, findings are counted without
 * end but only about so many are kept: when twice as many are there, `shrink` is to cut them down.
 */
struct findings {
    struct finding *v;
    size_t n, cap;
    size_t errors, warnings;  /* found; more than n where some were dropped */
    size_t data_errors;       /* of these errors, those of rules of CLASS_DATA */
    bool relaxed;             /* rules of CLASS_LIMIT become warnings */
    bool portable;            /* rules of CLASS_PORTABLE are looked at */
    bool errors_only;         /* warnings are counted, not kept */
    bool failed;              /* memory ran out: findings are incomplete */
    size_t most;              /* 0: all are kept */
    void (*shrink)(struct findings *fs, void *context);
    void *context;
    const char *base;         /* stands before every pointer given to the functions below; NULL: nothing */
};

/* Adds a violation of `rule` at a pointer; the message from fmt. Returns it for a hint or a related place, until the
 * next findings_add; NULL where it is only counted, or memory is short (and failed set). */
struct finding *findings_add(struct findings *fs, enum rule rule, const char *pointer,
                             enum finding_at at, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* Sets the hint of f. This and the next two do nothing where f is NULL. */
void finding_hint(struct findings *fs, struct finding *f, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Adds a related place to f. */
void finding_relate(struct findings *fs, struct finding *f, const char *pointer, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Sets the fix of f: the value (or with AT_KEY the key) at a pointer becomes the text that fmt gives. */
void finding_fix(struct findings *fs, struct finding *f, const char *pointer, enum finding_at at, const char *fmt, ...)
    PRINTF_LIKE(5, 6);

/* Releases all but the first n findings; the counts stay. */
void findings_cut(struct findings *fs, size_t n);

void findings_free(struct findings *fs);

#endif
