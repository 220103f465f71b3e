#pragma once

#include "base/hash_set.h"
#include "desc/rule_list.h"
#include "json/alias.h"
#include "json/notation.h"

/* In bytes from the start of the text and in lines and columns; 0 while unknown. */
struct finding_range {
    size_t offset, end;
    size_t line, column; /* from 1; columns count characters */
    size_t end_column;   /* first column past the range, on the same line */
};

struct finding_place {
    char *pointer; /* JSON pointer (RFC 6901), owned */
    char *message; /* owned */
    struct finding_range range;
};

/* A finding's place relative to its pointer: the value, the member's key, or the opening brace of
 * an object that lacks a field. */
enum finding_at { AT_VALUE, AT_KEY, AT_OPENING };

/* A change that satisfies the rule: `text` replaces the finding's value or key. */
struct finding_fix {
    char *text;         /* owned; JSON; NULL: no fix is known */
    struct str from;    /* owned: what it is computed from that may be wrong instead; or empty */
    size_t offset, end; /* bytes to replace, possibly of several lines */
};

/* One violation. Rules set rule, pointer, message and hint; findings_place sets the range. */
struct finding {
    struct findings *list; /* that contains it */
    enum rule rule;
    enum severity severity;
    size_t turn;   /* findings that came before: sorting keeps the order of equal ones */
    char *pointer; /* owned; "" is the top value */
    char *meant;   /* owned; the pointer with misspelt keys corrected; NULL: the same */
    enum finding_at at;
    unsigned tensor; /* rules: the number of the tensor that it is about, from 1; 0: none */
    bool result;     /* and if the operator writes it */
    char *message;   /* owned; one sentence, lower case, no full stop */
    char *hint;      /* owned or NULL: a value or range that satisfies the rule */
    struct finding_range range;
    struct finding_place *related; /* [related_count], owned */
    size_t related_count;
    struct finding_fix fix;
};

enum { MAX_FINDINGS = 100 /* by default */, FINDINGS_MOST = 10000 /* kept of a document */ };

struct finding_options {
    bool relaxed;        /* rules of CLASS_LIMIT are warnings */
    bool portable;       /* rules of CLASS_PORTABLE are checked; else their findings are dropped */
    bool errors_only;    /* warnings are counted, not kept */
    size_t max_findings; /* all are counted, this many are kept; 0: all, of a document
                            FINDINGS_MOST */
};

/* The text and the state of the part that is being checked. */
struct finding_context {
    const struct json_doc *doc; /* without nodes: the text is not JSON; NULL: there is no text, and
                                   findings get no range */
    const struct json_notation *notation; /* maps offsets in doc to offsets in the text */
    const char *base;                     /* prefix of every pointer that rules give; NULL: none */
    struct json_aliases aliases;          /* applied to these pointers: correct keys of others */
    struct hash_set noted;                /* places that are reported once */
    uint64_t searched;                    /* steps of all searches in the text, which are limited */
    uint64_t compared; /* effort to find names like unknown ones, which is limited, too */
    bool unsure;       /* findings rest on a guess: finding_fix does nothing */
    bool doubtful;     /* findings may be wrong: they are warnings */
};

/* The findings of one text. Zero-initialise, set the options; must not move while in use. */
struct findings {
    struct finding_options opt;
    struct finding_context context;
    struct finding *v;
    size_t n, cap;
    struct finding last;     /* after the first drop: the last one kept; its texts may be freed */
    size_t errors, warnings; /* found; their sum exceeds n if some were dropped */
    size_t data_errors;      /* errors of rules of CLASS_DATA */
    bool broken[RULE_COUNT]; /* rules with a finding that is not doubtful */
    bool failed;             /* memory ran out: findings are incomplete */
};

/* Adds a violation of `rule` at a pointer, with the message of fmt. Returns it, valid until the
 * next findings_add. NULL if it is only counted, or if memory is short (failed is set). */
struct finding *findings_add(struct findings *fs, enum rule rule, const char *pointer,
                             enum finding_at at, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* Sets the hint of f, or makes it the remedy of its rule. As the functions below, does nothing if f
 * is NULL. Returns false, so that a reader can report an error and fail in one statement. */
bool finding_hint(struct finding *f, const char *fmt, ...) PRINTF_LIKE(2, 3);
static inline bool finding_remedy(struct finding *f)
{
    return f && finding_hint(f, "%s", rule_table[f->rule].remedy);
}

void finding_relate(struct finding *f, const char *pointer, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Sets the fix of f: the JSON text of fmt replaces its value (AT_KEY: its key); or a string, of
 * which fmt gives the content; or a name, with its prefix unless the text has one without there. */
void finding_fix(struct finding *f, const char *fmt, ...) PRINTF_LIKE(2, 3);
void finding_fix_string(struct finding *f, const char *fmt, ...) PRINTF_LIKE(2, 3);
void finding_fix_name(struct finding *f, const char *prefix, const char *name);

/* Says that the fix is computed from the value v of `name`, which may be meant otherwise. */
void finding_from(struct finding *f, const char *name, uint64_t v);

/* Takes the fix of f away, if it has one: its hint becomes "USE, or change the other values". */
void finding_doubt(struct finding *f);

/* Sets the range of f in bytes of the text, instead of the place of its pointer. */
void finding_set_range(struct finding *f, size_t offset, size_t end);

/* As str_nearest_all; 0 after a second of comparisons for one text. */
size_t findings_nearest(struct findings *fs, const char *name, const char *const names[], size_t n,
                        size_t found[], size_t limit);

/* False if f, which has a pointer, comes after all that are kept, errors before warnings. */
bool findings_wants(const struct findings *fs, struct finding *f);

/* Sets the offsets of findings, fixes and related places; a missing value has the place of the
 * nearest value above. Keeps max_findings: errors before warnings, then the first in the text.
 * Sorts these in text order. */
void findings_locate(struct findings *fs);

/* Calls findings_locate, takes fixes away that would delete a comment, then sets all lines and
 * columns in text (len bytes). False if memory is short. */
bool findings_place(struct findings *fs, const char *text, size_t len);

/* Drops all but the first n findings. */
void findings_keep(struct findings *fs, size_t n);

void finding_release(struct finding *f);
void findings_free(struct findings *fs);
