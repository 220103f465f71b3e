#ifndef DMLOP_DESC_READ_ITEM_H
#define DMLOP_DESC_READ_ITEM_H

#include "json/doc.h"

/* JSON values with decoded strings. Only item.c includes cJSON. */

struct cJSON;

/* A value: the scanner's node, which has type and place, and cJSON's, which has strings. json is
 * NULL: no value. */
struct item {
    const struct json_doc *doc;
    size_t node;
    const struct cJSON *json;
};

/* Decodes a value and all values in it; item_free releases them. False if memory is short. */
bool item_parse(struct item *item, const struct json_doc *doc, size_t node);
void item_free(struct item *item);

/* True if the value has the type. */
bool item_is(const struct item *item, enum json_type type);

/* The text of a string; the key of a member. Both live until item_free. */
const char *item_string(const struct item *item);
const char *item_key(const struct item *member);

/* The first member or element of an object or array, and the next; json is NULL after the last. */
struct item item_first(const struct item *container);
struct item item_next(const struct item *member);

/* The first member of the first name, in this case, or else of the second; json is NULL if there is
 * none. */
struct item item_either(const struct item *object, const char *first, const char *second);

#endif
