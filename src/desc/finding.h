#ifndef DMLOP_DESC_FINDING_H
#define DMLOP_DESC_FINDING_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/util.h"
#include "desc/rule_list.h"
#include "json/doc.h"
#include "json/notation.h"

/* Another place in the text that a finding refers to. */
struct finding_place {
    char *pointer;            /* JSON pointer (RFC 6901), owned */
    char *message;            /* owned */
    size_t offset, end;       /* these and the rest as in struct finding */
    size_t line, column, end_column;
};

/* What a pointer refers to: the value, the member's key, or the object's
 * opening brace (for a field that is missing there). */
enum finding_at { AT_VALUE, AT_KEY, AT_OPENING };

/* The one change that would satisfy a rule: the bytes at a place are replaced by `text`. */
struct finding_fix {
    char *pointer;            /* owned; NULL where there is no such change */
    enum finding_at at;       /* AT_VALUE or AT_KEY */
    char *text;               /* owned; JSON */
    size_t offset, end;       /* bytes, as below; not cut at the end of a line */
};

/* A misspelt key that is taken for the one that it is surely meant for; JSON pointers, owned. */
struct finding_alias {
    char *meant;              /* where the member would be: "/desc/Axis" */
    char *there;              /* where it is: "/desc/axis" */
};

/* One violation. The rules set rule, pointer, message and hint; the holder of the text adds the
 * position. */
struct finding {
    struct findings *list;    /* that it is in */
    enum rule rule;
    enum severity severity;   /* the rule's, or a warning where --relaxed made it one */
    char *pointer;            /* owned; "" is the top value */
    char *meant;              /* owned; the pointer with keys spelt right; NULL: the same */
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

enum { MAX_FINDINGS = 100 /* printed of one file, unless --max-findings says otherwise */ };

/*
 * The findings of one text. Zero-initialise, set the options; must not move while it is in use.
 * Where `most` is set, all findings are counted, but only about so many are kept: when there are
 * twice as many, `shrink` is called to drop some.
 */
struct findings {
    struct finding *v;
    size_t n, cap;
    size_t errors, warnings;  /* found; more than n where some were dropped */
    size_t data_errors;       /* of these errors, those of rules of CLASS_DATA */
    bool relaxed;             /* rules of CLASS_LIMIT become warnings */
    bool portable;            /* rules of CLASS_PORTABLE are checked */
    bool errors_only;         /* warnings are counted, not kept */
    bool running;             /* rules of CLASS_RUN are errors */
    bool unsure;              /* what is found now rests on a guess: finding_fix does nothing */
    bool doubtful;            /* what is found now may not be so: it is a warning */
    uint64_t searched;        /* steps that rules took in searches, which have a limit in all */
    bool broken[RULE_COUNT];  /* rules that were broken, kept or not */
    struct finding_alias *aliases; /* that apply to pointers given now; a later one goes first */
    size_t alias_count, alias_cap;
    bool failed;              /* memory ran out: findings are incomplete */
    size_t most;              /* 0: all are kept */
    void (*shrink)(struct findings *fs);
    const struct json_doc *doc; /* the scanned text; without nodes where it cannot be read */
    const struct json_notation *notation; /* from the scanned text back to the document's */
    const char *base;         /* prefix of every pointer given to the functions below; NULL: none */
};

/* Adds a violation of `rule` at a pointer; the message from fmt. Returns it for a hint or a related
 * place, until the next findings_add; NULL where it is only counted, or memory is short (and failed
 * set). */
struct finding *findings_add(struct findings *fs, enum rule rule, const char *pointer,
                             enum finding_at at, const char *fmt, ...) PRINTF_LIKE(5, 6);
struct finding *findings_vadd(struct findings *fs, enum rule rule, const char *pointer,
                              enum finding_at at, const char *fmt, va_list ap);

/* Sets the hint of f. This and the next two do nothing where f is NULL. */
void finding_hint(struct finding *f, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* From now on pointers at or below `meant` lead to `there`, until findings_unalias goes back to the
 * first n aliases. */
void findings_alias(struct findings *fs, const char *meant, const char *there);
void findings_unalias(struct findings *fs, size_t n);

/* Adds a related place to f. */
void finding_relate(struct finding *f, const char *pointer, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Sets the fix of f: the value (or with AT_KEY the key) at a pointer becomes the text that fmt
 * gives. */
void finding_fix(struct finding *f, const char *pointer, enum finding_at at, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* The same with a JSON string: fmt gives what is between its quotes, before escapes. */
void finding_fix_string(struct finding *f, const char *pointer, enum finding_at at, const char *fmt,
                        ...) PRINTF_LIKE(4, 5);

/* Releases all but the first n findings; the counts stay. */
void findings_cut(struct findings *fs, size_t n);

void findings_free(struct findings *fs);

#endif
