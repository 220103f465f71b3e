#ifndef DMLOP_DESC_READER_H
#define DMLOP_DESC_READER_H

#include "base/str.h"
#include "desc/finding.h"
#include "desc/read.h"
#include "desc/rules.h"
#include "json/doc.h"

/* Reading JSON into structs, with findings: for desc/ and model/. Values are given by their node in
 * the text. */

struct item;

/* What a value is, for messages: "an object", "a number", "null". */
const char *value_kind(const struct json_doc *doc, size_t node);

struct reader {
    const struct json_doc *doc;
    const struct desc_options *opt;
    struct desc *desc;
    struct desc_seen *seen;
    struct findings *fs;
    const char *type_key;    /* of the outer object: "type" or "Type"; NULL where there is none */
    const char *const *also; /* keys of the outer object that are the caller's; NULL-terminated */
    struct str path;         /* JSON pointer of the value at hand */
};

/* Appends /key (escaped) or /index to the path; returns the mark for path_pop, which restores the
 * path. */
size_t path_push(struct reader *r, const char *key);
size_t path_push_index(struct reader *r, size_t index);
void path_pop(struct reader *r, size_t mark);
const char *path_text(const struct reader *r);

/* Reports a rule that the value at the path breaks. */
struct finding *report(struct reader *r, enum rule rule, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Reports desc.field-type at the path. */
void wrong_type(struct reader *r, size_t node, const char *wanted);

/* "A, B and C", as much as there is room for; returns list. */
enum { NAMES_TEXT = 256 };
const char *list_names(const char *const names[], size_t n, char list[NAMES_TEXT]);

/* Sets the hint "did you mean A, B or C?", each name with its prefix. */
void hint_names(struct finding *f, const char *prefix, const char *const names[],
                const size_t which[], size_t n);

/* Reports that an enumeration has no such value: `name` is the string at the path, names[0..n-1]
 * are those that exist, without their `prefix`; `otherwise` is the hint where none is near. Returns
 * the index of the one that is surely meant, which is the fix; n where there is a choice. */
size_t unknown_name(struct reader *r, enum rule rule, const char *what, const char *name,
                    const char *prefix, const char *const names[], size_t n,
                    const char *otherwise);

/* Whether it is DirectML's name of no data type. */
bool is_unknown_type(const char *name);

/* Reports that there is no data type of the name, the string at the path. Returns the one that is
 * surely meant, or DT_NONE. */
enum dtype no_such_type(struct reader *r, const char *name);

/* The operator that the value of `key`, a type, names, for an object of fields. OP_NONE, with a
 * finding, where it names none that can be checked, or none that the command runs. A misspelt name
 * is reported, and taken for the operator that it is near to; where that leaves a choice,
 * r->fs->context.unsure is set. */
enum op read_operator(struct reader *r, const struct item *type, const char *key,
                      const struct item *fields);

/* The operator that a command implies where the text names none: SLICE1, TOP_K1, unless the fields
 * are those of the predecessor. */
enum op implied_operator(const char *command, const struct item *fields);

/* An object's keys; at most 32 names. */
struct keys {
    const char *const *names;
    size_t n;
    unsigned required;         /* bit i: names[i] must be there */
    bool outer;                /* keys that an outer object has beside these are known, too */
};

/* The index of the name that an unknown key of the object is surely meant for: the one that is
 * near, is not a key itself, and is not near to another unknown key. n where there is none. */
size_t meant_key(struct reader *r, size_t object, const char *key, const char *const names[],
                 size_t n);

/* Finds the members of the object at the path by their names, the first of each: found[i] is the
 * node, 0 where there is none. Reports unknown keys. One that is surely a required name misspelt is
 * found by that name, with one finding. */
void match_keys(struct reader *r, size_t object, const struct keys *k, size_t found[]);

/* Reports a misspelt key of the object at the path, which is taken for `name` from now on. */
void misspelt_key(struct reader *r, enum rule rule, const char *key, const char *name);

/* Whether the key belongs beside "desc", or beside the fields: the type, and the caller's keys. */
bool is_beside(const struct reader *r, const char *key);

/* As match_keys; json is NULL where there is no such member. */
void read_keys(struct reader *r, const struct item *object, const struct keys *k,
               struct item *found);

/* The fields of r->desc->op from an object into r->desc and r->seen; outer: it is the outer object,
 * with the type and r->also in it. */
void read_fields(struct reader *r, const struct item *object, bool outer);

/* A tensor description, at the path, into d and s. */
void read_tensor(struct reader *r, const struct item *item, struct tensor_desc *d,
                 struct tensor_seen *s);

/* An integer literal in lo..hi. Anything else is reported at the path, and false; true for what is
 * surely meant as such an integer. */
bool read_integer(struct reader *r, size_t node, int64_t lo, int64_t hi, int64_t *v);

/* An array of such; at most DML_MAX_RANK go to v. False where any is not such a number, each with a
 * finding. */
bool read_integers(struct reader *r, size_t node, int64_t lo, int64_t hi, int64_t v[DML_MAX_RANK],
                   struct array_seen *seen);

#endif
