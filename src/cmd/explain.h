#ifndef DMLOP_CMD_EXPLAIN_H
#define DMLOP_CMD_EXPLAIN_H

#include "base/diag.h"
#include "desc/rule_list.h"

/* `validate --explain RULE`. */

/* The texts that examples are made from: a valid file each. */
enum example { EXAMPLE_SLICE1, EXAMPLE_SLICE, EXAMPLE_TOP_K1, EXAMPLE_QMATMUL, EXAMPLE_MODEL, EXAMPLE_COUNT };

extern const char *const example_texts[EXAMPLE_COUNT];

/* One place of such a text with what stands there instead. Without `from`, `to` is the whole text. */
struct example_edit {
    const char *from, *to;
};

struct explanation {
    const char *why;                     /* sentences */
    enum example example;
    struct example_edit wrong[3];        /* makes a file that breaks the rule, alone */
    struct example_edit right[3];        /* makes one that does not; nothing: the text as it is */
    const char *options;                 /* of validate, that the rule asks for; NULL: none */
    const char *wrong_data, *right_data; /* Python statements that write x.npy; NULL: no file is bound */
};

/* By rule. */
extern const struct explanation explanations[RULE_COUNT];

/* Prints what a rule says, why, examples, where it comes from; as_json: an object of schema "dmlop.rule/1". ST_USAGE, with
 * the nearest id, where there is no such rule; ST_SYSTEM where memory is short. */
enum status explain(const char *id, bool as_json, FILE *out, struct diag *dg);

#endif
