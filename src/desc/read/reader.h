#pragma once

#include "desc/read/read.h"

/* Reads JSON into structs and reports findings, for desc/ and model/. A size_t node is the index of
 * a value in doc->nodes. */

enum { MAX_BESIDE = 8, NAMES_TEXT = 256, NAME_TEXT = 2 * JSON_MAX_KEY + 32 };

struct reader {
    const struct json_doc *doc;
    const struct desc_options *opt;
    struct op_values *values;
    struct findings *fs;
    const char *beside[MAX_BESIDE]; /* known keys of the outer object that are not fields */
    size_t beside_count;
    const struct field *field; /* being read; NULL: none of an operator */
    bool fused;                /* the values are a fused activation's */
    size_t root;               /* the node below which pointers begin */
    struct str pointer;        /* the last one that was made */
};

/* The kind of a value, for messages: "an object", "a number", "null". */
const char *value_kind(const struct json_doc *doc, size_t node);

/* The JSON pointer of a value, with correct keys, until the next call. */
const char *pointer_of(struct reader *r, size_t node);

/* Writes the last part of its pointer to text, for messages: "K", "Sizes[2]"; returns text. */
const char *field_name(struct reader *r, size_t node, char text[NAME_TEXT]);

static inline bool node_is(const struct reader *r, size_t node, enum json_type type)
{
    return r->doc->nodes[node].type == type;
}

/* The first member of that name; 0: none. */
size_t member_node(const struct reader *r, size_t node, const char *key);

/* Reports that a value, or the key of a member, breaks a rule: findings_add at its pointer. */
#define report(r, node, rule, ...) \
    findings_add((r)->fs, rule, pointer_of(r, node), AT_VALUE, __VA_ARGS__)
#define report_key(r, node, rule, ...) \
    findings_add((r)->fs, rule, pointer_of(r, node), AT_KEY, __VA_ARGS__)

/* Reports desc.field-type for a value. Returns false. */
bool wrong_type(struct reader *r, size_t node, const char *wanted);

/* Reports desc.field-missing: `what`, an object, lacks `key`. The hint shows an example
 * value; NULL: only the key. Returns false. */
bool missing_key(struct reader *r, size_t object, const char *what, const char *key,
                 const char *example);

/* The text of a string, which lives as long as the document. NULL: the value is not a string, and
 * was reported. */
const char *string_text(struct reader *r, size_t node, const char *wanted);

/* Reads an integer literal in lo..hi into *v. Reports anything else, and returns false unless the
 * integer is certain, as in "4" or 4.0. */
bool read_integer(struct reader *r, size_t node, int64_t lo, int64_t hi, int64_t *v);

/* Reads an array of such integers; v gets the first DML_MAX_RANK. Reports each bad entry. */
void read_integers(struct reader *r, size_t node, int64_t lo, int64_t hi, int64_t v[DML_MAX_RANK],
                   struct array_seen *seen);

/* The names of an enumeration, which a text may write with or without the prefix. */
struct enumeration {
    const char *what;         /* for messages: "axis direction" */
    const char *prefix;       /* "DML_AXIS_DIRECTION_" */
    const char *const *names; /* NULL entries are skipped */
    size_t n;
    enum rule rule;   /* that an unknown name breaks */
    const char *hint; /* for an unknown name that is near to none */
};

size_t enum_index(const struct enumeration *e, const char *name);

/* Reports that `name`, in a string, is not in the enumeration. Returns the index of the name that
 * is certainly meant, which becomes the fix; n if there is none. */
size_t unknown_name(struct reader *r, size_t node, const struct enumeration *e, const char *name);

/* Reads a string that names a data type. DT_NONE for UNKNOWN. False, with a finding, for any other
 * value; a certain spelling mistake is corrected. */
bool read_type_name(struct reader *r, size_t node, enum dtype *type);

/* Writes "A, B and C" to list, cut to its length; returns list. */
const char *list_names(const char *const names[], size_t n, char list[NAMES_TEXT]);

/* The index of a name, compared by strcmp or strcasecmp; n if it is not there. */
size_t name_index(const char *name, const char *const names[], size_t n,
                  int (*compare)(const char *, const char *));

/* The length of a name's prefix, also of a misspelt one: "DML_OPERTOR_", "DML_"; 0: it has none. */
size_t prefix_length(const char *prefix, const char *name);

/* Sets the hint "did you mean A, B or C?" from names[which[0..n-1]], each with the prefix. */
void hint_names(struct finding *f, const char *prefix, const char *const names[],
                const size_t which[], size_t n);

/* The operator named by `type`, a member of the outer object; `fields` contains its fields. Reports
 * an unknown operator, and read_operator one that the command does not run, and returns NULL. A
 * misspelt name is reported and read as the nearest operator; r->fs->context.unsure is set if that
 * is a guess. */
const struct op_schema *read_operator(struct reader *r, size_t type, size_t fields);
const struct op_schema *read_schema(struct reader *r, size_t type, size_t fields);

/* The operator of the command, whose descriptor has no type: SLICE1 or TOP_K1, unless more of the
 * fields belong to its predecessor. */
const struct op_schema *implied_operator(const struct reader *r, size_t fields);

/* The keys that an object may have; at most 32. */
struct keys {
    const char *const *names;
    size_t n;
    unsigned required; /* bit i: names[i] is required */
    bool outer;        /* r->beside are known, too */
};

/* The index of the name that the unknown key of a member is certainly meant as: the only name near
 * to the key, if the object does not have it and no other unknown key is near to it. n if there is
 * none. */
size_t meant_key(struct reader *r, size_t member, const char *const names[], size_t n);

/* Finds the members of an object: found[i] is the node of the first one called names[i],
 * or 0. Reports unknown keys. A misspelt required key counts as the required one and makes one
 * finding. */
void match_keys(struct reader *r, size_t object, const struct keys *k, size_t found[]);

/* The keys of the object of an operator or activation. */
enum { OUTER_TYPE, OUTER_DESC, OUTER_COUNT };
extern const char *const outer_names[OUTER_COUNT];

/* The member OUTER_TYPE or OUTER_DESC of an object, also with a capital; or as the next one, unless
 * rule is RULE_COUNT. */
size_t outer_member(struct reader *r, size_t object, size_t which, enum rule rule);

/* The member of an object whose key is certainly names[wanted] misspelt, which is reported; from
 * now on pointers to that name lead to it. 0 if there is none. */
size_t misspelt_member(struct reader *r, size_t object, const char *const names[], size_t n,
                       size_t wanted, enum rule rule);

static inline bool is_beside(const struct reader *r, const char *key)
{
    return name_index(key, r->beside, r->beside_count, strcmp) < r->beside_count;
}
static inline void add_beside(struct reader *r, const char *key)
{
    if (r->beside_count < MAX_BESIDE)
        r->beside[r->beside_count++] = key;
}

/* Reads the values of an operator (NULL: unknown) into r->values from the outer object or, if it is
 * not 0, from the object `desc` in it. Reports unknown keys. */
void read_values(struct reader *r, size_t outer, size_t desc, const struct op_schema *schema);

void read_tensor(struct reader *r, size_t node, struct tensor_desc *d, struct tensor_seen *s);

/* True for a number without a fraction and an exponent, which DxDispatch reads as an integer. */
bool is_plain_integer(const struct json_doc *doc, size_t node);

/* With --portable, report what DxDispatch refuses or reads otherwise: a number of a type, the name
 * of an operator or of an enumeration's value. */
void portable_number(struct reader *r, size_t node, enum dtype type);
void portable_name(struct reader *r, size_t node, const char *what, const char *name);
