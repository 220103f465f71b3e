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

/* Bytes of the text, and the line and columns that people read; 0 while unknown. */
struct finding_range {
    size_t offset, end;  /* bytes from the start of the text */
    size_t line, column; /* from 1; columns count characters */
    size_t end_column;   /* first column past the range, on the same line */
};

/* Another place in the text that a finding refers to. */
struct finding_place {
    char *pointer;            /* JSON pointer (RFC 6901), owned */
    char *message;            /* owned */
    struct finding_range range;
};

/* What a pointer refers to: the value, the member's key, or the object's
 * opening brace (for a field that is missing there). */
enum finding_at { AT_VALUE, AT_KEY, AT_OPENING };

/* The change that satisfies a rule: a value or key is replaced by `text`. */
struct finding_fix {
    char *pointer;            /* owned; NULL: no fix is known */
    enum finding_at at;       /* AT_VALUE or AT_KEY */
    char *text;               /* owned; JSON */
    size_t offset, end;       /* bytes to replace, possibly of several lines */
};

/* One violation. Rules set rule, pointer, message and hint; findings_place sets the range. */
struct finding {
    struct findings *list; /* that contains it */
    enum rule rule;
    enum severity severity;   /* the rule's, or as changed by finding_options */
    char *pointer;            /* owned; "" is the top value */
    char *meant;              /* owned; the pointer with keys spelt right; NULL: the same */
    enum finding_at at;
    char *message;            /* owned; one sentence, lower case, no full stop */
    char *hint;               /* owned or NULL: the value or range that would do */
    struct finding_range range;
    struct finding_place *related;
    size_t related_count;
    struct finding_fix fix;
};

enum { MAX_FINDINGS = 100 /* default of --max-findings */ };

/* Which findings to look for and which to keep. */
struct finding_options {
    bool relaxed;             /* rules of CLASS_LIMIT are warnings */
    bool portable;            /* rules of CLASS_PORTABLE are checked */
    bool running;             /* rules of CLASS_RUN are errors */
    bool errors_only;         /* warnings are counted, not kept */
    size_t max_findings;      /* all are counted, this many are kept; 0: all */
};

/* A misspelt key and the key that was certainly meant; JSON pointers, owned. */
struct finding_alias {
    char *meant; /* "/desc/Axis" */
    char *there; /* as in the text: "/desc/axis" */
};

/* The text that is being judged, and how the part read last is to be judged. */
struct finding_context {
    const struct json_doc *doc; /* the scanned text; without nodes if it cannot be read; NULL:
                                   there is no text, and findings get no range */
    const struct json_notation *notation; /* from the scanned text back to the document's */
    const char *base;                     /* prefix of every pointer that rules give; NULL: none */
    struct finding_alias *aliases;        /* applied to these pointers, the last one first */
    size_t alias_count, alias_cap;
    uint64_t searched; /* steps of searches so far; their total is limited */
    bool unsure;       /* findings rest on a guess: finding_fix does nothing */
    bool doubtful;     /* findings may be wrong: they are warnings */
};

/* A list of findings of one text. Zero-initialise, set the options; must not move while in use. */
struct findings {
    struct finding_options opt;
    struct finding_context context;
    struct finding *v;
    size_t n, cap;
    size_t errors, warnings;  /* found; their sum is above n if some were dropped */
    size_t data_errors;       /* errors of rules of CLASS_DATA */
    bool broken[RULE_COUNT];  /* rules that were broken for certain */
    bool failed;              /* memory ran out: findings are incomplete */
};

/*
 * Adds a violation of `rule` at a pointer; the message from fmt. Returns it, valid until the next
 * findings_add, for a hint, a fix or a related place; NULL if it is only counted, or if memory is
 * short (failed is set).
 */
struct finding *findings_add(struct findings *fs, enum rule rule, const char *pointer,
                             enum finding_at at, const char *fmt, ...) PRINTF_LIKE(5, 6);
struct finding *findings_vadd(struct findings *fs, enum rule rule, const char *pointer,
                              enum finding_at at, const char *fmt, va_list ap);

/* Sets the hint of f. Like the three functions below, does nothing if f is NULL. */
void finding_hint(struct finding *f, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Adds a related place to f. */
void finding_relate(struct finding *f, const char *pointer, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Sets the fix of f: the value (AT_KEY: the key) at a pointer becomes the text of fmt. */
void finding_fix(struct finding *f, const char *pointer, enum finding_at at, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* The same for a JSON string: fmt gives its content, without quotes and escapes. */
void finding_fix_string(struct finding *f, const char *pointer, enum finding_at at, const char *fmt,
                        ...) PRINTF_LIKE(4, 5);

/* Adds an alias: pointers at or below `meant` lead to `there`. findings_unalias removes all but the
 * first n aliases. */
void findings_alias(struct findings *fs, const char *meant, const char *there);
void findings_unalias(struct findings *fs, size_t n);

/* Gives findings, fixes and related places their offsets; a pointer to a missing value means the
 * nearest value above. If there are more than max_findings, drops warnings before errors, and the
 * last in the text first. Sorts the rest in text order. */
void findings_locate(struct findings *fs);

void findings_free(struct findings *fs);

#endif
