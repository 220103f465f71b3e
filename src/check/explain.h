#pragma once

#include "base/diag.h"
#include "base/str.h"
#include "desc/rule_list.h"

/* `validate --explain RULE`, from files in examples/ (see base/util.h):
 *
 *     RULE.why.txt       sentences, one per line
 *     RULE.wrong.json    breaks the rule, and no other
 *     RULE.right.json    does not
 *     RULE.options.txt   options of validate that both need; may be missing
 *     RULE.wrong.py      writes the file x.npy that is bound in the wrong case
 *     RULE.right.py      the same for the right case
 *
 * If an example is missing, the one that all rules of the group share is shown. */

/* Prints a rule, its reason, examples and source; as_json: an object of schema "dmlop.rule/1".
 * ST_USAGE, with the nearest id, if there is no such rule; ST_SYSTEM if memory is short. */
enum status explain(const char *id, bool as_json, struct diag *dg);

/* The same without examples, in Markdown. */
void explain_markdown(struct str *b, enum rule rule);

/* The web address of a rule's source, *n bytes; NULL if it has none. */
const char *explain_address(const char *id, size_t *n);

/* `validate --template=NAME`: prints a file to start from, an example of check/examples/ with
 * descriptions of its members as comments. NAME is "model" or an operator's name, long or short, in
 * any case. ST_USAGE, with the valid names, if there is none of that name. */
enum status template_print(const char *name, struct diag *dg);

/* Adds a text in lines of at most `columns` bytes, each after a prefix; breaks at blanks. */
void template_wrap(struct str *b, size_t columns, const char *prefix, const char *text);
