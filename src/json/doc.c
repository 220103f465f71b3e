#include "json/doc.h"

#include "base/mem.h"
#include "json/number.h"

void json_doc_free(struct json_doc *doc)
{
    free(doc->children);
    free(doc->texts);
    free(doc->nodes);
    free(doc->clean);
    *doc = (struct json_doc){ 0 };
}

size_t json_doc_key_end(const struct json_doc *doc, size_t node)
{
    const char *p = doc->clean + doc->nodes[node].key + 1;

    while (*p != '"')
        p += *p == '\\' ? 2 : 1;
    return (size_t)(p - doc->clean) + 1;
}

/* Orders children by key, those of one key as in the text. */
static int compare_children(const void *left, const void *right)
{
    const struct json_child *a = left, *b = right;
    int order = strcmp(a->key, b->key);

    return order ? order : (a->node > b->node) - (a->node < b->node);
}

/* True if an array has no containers: its element i is i + 1 nodes after it. */
static bool only_leaves(const struct json_doc *doc, size_t node)
{
    return doc->nodes[node].next - node - 1 == doc->nodes[node].count;
}

/* The number of a node's children that are in doc->children. */
static size_t indexed_count(const struct json_doc *doc, size_t node)
{
    const struct json_node *n = &doc->nodes[node];

    return n->type == JSON_OBJECT || (n->type == JSON_ARRAY && !only_leaves(doc, node)) ? n->count
                                                                                        : 0;
}

/* Adds the children of a node at `to`. */
static void add_children(struct json_doc *doc, size_t parent, struct json_child *to)
{
    size_t n = indexed_count(doc, parent), node = parent + 1;
    bool object = doc->nodes[parent].type == JSON_OBJECT;

    for (size_t i = 0; i < n; i++, node = doc->nodes[node].next)
        to[i] = (struct json_child){ object ? json_doc_key_text(doc, node) : NULL, (uint32_t)node };
    if (!object)
        return;
    qsort(to, n, sizeof *to, compare_children);
    for (size_t i = 1, first = 0; i < n; i++)
        if (strcmp(to[first].key, to[i].key) == 0)
            doc->nodes[to[i].node].repeated = to[first].node;
        else
            first = i;
}

/* Stores the text of the string token at [start, end). False if memory is short. */
static bool unescape(struct json_doc *doc, size_t start, size_t end)
{
    const char *token = doc->clean + start;
    char *to = doc->texts + start + 1, *text;
    size_t n = end - start - 2;

    if (memchr(token, '\\', n + 1)) {
        text = json_unescaped(token, n + 2);
        if (!text)
            return false;
        n = strlen(text);
        memcpy(to, text, n);
        free(text);
    } else
        memcpy(to, token + 1, n);
    to[n] = '\0';
    return true;
}

bool json_doc_index(struct json_doc *doc)
{
    size_t n = 0;

    for (size_t i = 0; i < doc->node_count; i++)
        n += indexed_count(doc, i);
    doc->children = mem_alloc(n, sizeof *doc->children);
    doc->texts = mem_alloc(doc->len, 1);
    if (!doc->children || !doc->texts)
        return false;
    for (size_t i = 0; i < doc->node_count; i++) {
        const struct json_node *node = &doc->nodes[i];

        if ((node->key != JSON_NO_KEY && !unescape(doc, node->key, json_doc_key_end(doc, i))) ||
            (node->type == JSON_STRING && !unescape(doc, node->start, node->end)))
            return false;
    }
    n = 0;
    for (size_t i = 0; i < doc->node_count; i++) {
        doc->nodes[i].children = (uint32_t)n;
        add_children(doc, i, doc->children + n);
        n += indexed_count(doc, i);
    }
    return true;
}

/* The element whose index is a pointer's token, or -1: digits without leading zeros. */
static ptrdiff_t find_element(const struct json_doc *doc, size_t array, const char *token, size_t n)
{
    uint64_t i;

    if (*token == '-' || number_uint_literal(token, n, &i) != NUMBER_OK ||
        i >= doc->nodes[array].count)
        return -1;
    if (only_leaves(doc, array))
        return (ptrdiff_t)(array + 1 + i);
    return (ptrdiff_t)doc->children[doc->nodes[array].children + i].node;
}

size_t json_doc_element_index(const struct json_doc *doc, size_t node)
{
    size_t array = doc->nodes[node].parent, low = 0, high = doc->nodes[array].count;
    const struct json_child *children = doc->children + doc->nodes[array].children;

    if (only_leaves(doc, array))
        return node - array - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (children[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

ptrdiff_t json_doc_member(const struct json_doc *doc, size_t object, const char *key)
{
    const struct json_node *o = &doc->nodes[object];
    const struct json_child *children = doc->children + o->children;
    size_t low = 0, high = o->count;

    if (o->type != JSON_OBJECT)
        return -1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(key, children[middle].key) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < o->count && strcmp(key, children[low].key) == 0 ? (ptrdiff_t)children[low].node
                                                                 : -1;
}

/* The member whose key is a pointer's token of n bytes, or -1. */
static ptrdiff_t find_member(const struct json_doc *doc, size_t object, const char *token, size_t n)
{
    char key[2 * JSON_MAX_KEY + 1]; /* "~0" is a '~' */
    size_t length = 0;

    if (n >= sizeof key)
        return -1;
    for (const char *p = token; p < token + n; p++) {
        bool escape = *p == '~' && (p[1] == '0' || p[1] == '1');

        key[length++] = (char)(!escape ? *p : *++p == '0' ? '~' : '/');
    }
    key[length] = '\0';
    return json_doc_member(doc, object, key);
}

ptrdiff_t json_doc_step(const struct json_doc *doc, size_t node, const char **pointer)
{
    const char *token = *pointer + 1;
    size_t n = strcspn(token, "/");

    if (**pointer != '/')
        return -1;
    *pointer = token + n;
    return doc->nodes[node].type == JSON_ARRAY ? find_element(doc, node, token, n)
                                               : find_member(doc, node, token, n);
}

ptrdiff_t json_doc_find(const struct json_doc *doc, const char *pointer)
{
    ptrdiff_t node = 0;

    while (*pointer && node >= 0)
        node = json_doc_step(doc, (size_t)node, &pointer);
    return node;
}
