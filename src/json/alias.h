#pragma once

#include "base/str.h"
#include "json/doc.h"

/* Other names of members: pointers with a key that is meant lead to a member whose key is
 * misspelt. */

struct json_alias {
    uint32_t object, member; /* nodes */
    const char *key;         /* the correct one, static */
};

/* Zero-initialise; v is freed by the owner. */
struct json_aliases {
    struct json_alias *v; /* owned, by object */
    size_t n, cap;
};

/* Adds a name, which is static, of a member. False if memory is short. */
bool json_alias_add(struct json_aliases *a, const struct json_doc *doc, size_t member,
                    const char *key);

/* The name of a member, or else its key. */
const char *json_alias_key(const struct json_aliases *a, const struct json_doc *doc, size_t member);

/* Writes a pointer with the keys of the text; false if no key of it is a name. */
bool json_alias_pointer(const struct json_aliases *a, const struct json_doc *doc,
                        const char *pointer, struct str *b);

/* Adds "/KEY", escaped, to a JSON pointer. */
void json_pointer_add(struct str *pointer, const char *key);
