#include "json/alias.h"

#include "base/mem.h"

/* The index of the first alias of an object or of one after it. */
static size_t first_of(const struct json_aliases *a, size_t object)
{
    size_t low = 0, high = a->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (a->v[middle].object < object)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool json_alias_add(struct json_aliases *a, const struct json_doc *doc, size_t member,
                    const char *key)
{
    uint32_t object = doc->nodes[member].parent;
    size_t at = first_of(a, object);

    if (!mem_reserve(&a->v, a->n, &a->cap, sizeof *a->v))
        return false;
    memmove(&a->v[at + 1], &a->v[at], (a->n++ - at) * sizeof *a->v);
    a->v[at] = (struct json_alias){ object, (uint32_t)member, key };
    return true;
}

const char *json_alias_key(const struct json_aliases *a, const struct json_doc *doc, size_t member)
{
    uint32_t object = doc->nodes[member].parent;

    for (size_t i = first_of(a, object); i < a->n && a->v[i].object == object; i++)
        if (a->v[i].member == member)
            return a->v[i].key;
    return json_doc_key_text(doc, member);
}

/* The member of an object that the token "/KEY" of a pointer means, or -1. */
static ptrdiff_t find_alias(const struct json_aliases *a, size_t object, const char *token,
                            const char *end)
{
    size_t n = (size_t)(end - token);

    for (size_t i = first_of(a, object); i < a->n && a->v[i].object == object; i++)
        if (strlen(a->v[i].key) + 1 == n && memcmp(a->v[i].key, token + 1, n - 1) == 0)
            return (ptrdiff_t)a->v[i].member;
    return -1;
}

bool json_alias_pointer(const struct json_aliases *a, const struct json_doc *doc,
                        const char *pointer, struct str *b)
{
    ptrdiff_t node = 0;
    bool any = false;

    while (a->n > 0 && *pointer && node >= 0) {
        const char *token = pointer;
        size_t object = (size_t)node;

        node = json_doc_step(doc, object, &pointer);
        if (node >= 0 || (node = find_alias(a, object, token, pointer)) < 0) {
            str_add(b, token, (size_t)(pointer - token));
            continue;
        }
        json_pointer_add(b, json_doc_key_text(doc, (size_t)node));
        any = true;
    }
    str_puts(b, pointer);
    return any;
}

void json_pointer_add(struct str *pointer, const char *key)
{
    str_puts(pointer, "/");
    for (; *key; key++)
        if (*key == '~' || *key == '/')
            str_puts(pointer, *key == '~' ? "~0" : "~1");
        else
            str_add(pointer, key, 1);
}
