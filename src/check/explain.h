#ifndef DMLOP_CHECK_EXPLAIN_H
#define DMLOP_CHECK_EXPLAIN_H

#include "base/diag.h"
#include "base/str.h"
#include "desc/rule_list.h"

/*
 * `validate --explain RULE`. What it shows of a rule is in files, see base/embedded.h:
 *
 *     examples/RULE.why.txt       sentences, one a line
 *     examples/RULE.wrong.json    breaks the rule, and no other
 *     examples/RULE.right.json    does not
 *     examples/RULE.options.txt   of validate that both need; none where there is no such file
 *     examples/RULE.wrong.py      writes the file x.npy that is bound in the wrong case
 *     examples/RULE.right.py      writes that of the right case
 *
 * Where an example is missing, the one that the rules of the group share is shown.
 */

/* Prints what a rule says, why, examples, where it comes from; as_json: an object of schema
 * "dmlop.rule/1". ST_USAGE, with the nearest id, where there is no such rule; ST_SYSTEM where
 * memory is short. */
enum status explain(const char *id, bool as_json, struct diag *dg);

/* Adds the same of a rule without its examples, in Markdown. */
void explain_markdown(struct str *b, enum rule rule);

/* The web address of where a rule comes from, *n bytes; NULL where that has none. */
const char *explain_address(const char *id, size_t *n);

#endif
