#ifndef DMLOP_CMD_EXPLAIN_H
#define DMLOP_CMD_EXPLAIN_H

#include "base/diag.h"
#include "desc/rule_list.h"

/*
 * `validate --explain RULE`. The examples are the files examples/RULE.wrong.json, which breaks the
 * rule alone, and examples/RULE.right.json. Where one is missing, the valid file that the rules of
 * the group share is shown.
 */

struct explanation {
    const char *why;                     /* sentences */
    const char *options;                 /* of validate that the examples need; NULL: none */
    const char *wrong_data, *right_data; /* Python statements that write x.npy; NULL: none */
};

/* By rule. */
extern const struct explanation explanations[RULE_COUNT];

/* Prints what a rule says, why, examples, where it comes from; as_json: an object of schema
 * "dmlop.rule/1". ST_USAGE, with the nearest id, where there is no such rule; ST_SYSTEM where
 * memory is short. */
enum status explain(const char *id, bool as_json, FILE *out, struct diag *dg);

#endif
