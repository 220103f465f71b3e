#ifndef DMLOP_DESC_ITEM_H
#define DMLOP_DESC_ITEM_H

#include "json/doc.h"

/* Values with their strings decoded. item.c is the one file that sees cJSON. */

struct cJSON;

/* A value: the scanner's node, which knows type and place, with cJSON's for the same value. json is
 * NULL for none. */
struct item {
    const struct json_doc *doc;
    size_t node;
    const struct cJSON *json;
};

/* Decodes the value of a node and all in it, until item_free; false where memory is short. */
bool item_parse(struct item *item, const struct json_doc *doc, size_t node);
void item_free(struct item *item);

/* Whether the value is of the type, enum json_type. */
bool item_is(const struct item *item, enum json_type type);

/* The value of a string, and the key of a member. */
const char *item_string(const struct item *item);
const char *item_key(const struct item *member);

/* The first member or element of an object or array, and the next; json is NULL after the last. */
struct item item_first(const struct item *container);
struct item item_next(const struct item *member);

/* The first member of that name, or none; case matters. */
struct item item_member(const struct item *object, const char *name);

#endif
