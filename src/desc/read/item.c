#include "desc/read/item.h"

#include <cJSON.h>
#include <string.h>

bool item_parse(struct item *item, const struct json_doc *doc, size_t node)
{
    const struct json_node *n = &doc->nodes[node];

    /* The scanner has checked the text: this fails only if memory is short. */
    *item = (struct item){ .doc = doc, .node = node };
    item->json = cJSON_ParseWithLength(doc->clean + n->start, n->end - n->start);
    return item->json != NULL;
}

void item_free(struct item *item) { cJSON_Delete((cJSON *)item->json); }

bool item_is(const struct item *item, enum json_type type)
{
    return item->doc->nodes[item->node].type == type;
}

const char *item_string(const struct item *item) { return item->json->valuestring; }

const char *item_key(const struct item *member) { return member->json->string; }

struct item item_first(const struct item *container)
{
    return (struct item){ container->doc, container->node + 1, container->json->child };
}

struct item item_next(const struct item *member)
{
    return (struct item){ member->doc, member->doc->nodes[member->node].next, member->json->next };
}

static struct item member(const struct item *object, const char *name)
{
    struct item m = item_first(object);

    while (m.json && strcmp(m.json->string, name) != 0)
        m = item_next(&m);
    return m;
}

struct item item_either(const struct item *object, const char *first, const char *second)
{
    struct item m = member(object, first);

    return m.json ? m : member(object, second);
}
