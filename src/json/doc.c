#include "json/doc.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "json/number.h"

void json_doc_free(struct json_doc *doc)
{
    free(doc->children);
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

char *json_doc_key(const struct json_doc *doc, size_t node)
{
    size_t key = doc->nodes[node].key;

    return json_unescaped(doc->clean + key, json_doc_key_end(doc, node) - key);
}

char *json_doc_string(const struct json_doc *doc, size_t node)
{
    const struct json_node *n = &doc->nodes[node];

    return json_unescaped(doc->clean + n->start, n->end - n->start);
}

/* A name, unescaped one byte at a time. */
struct name {
    const char *p, *end;
    /* the inside of a JSON string, a token of a JSON pointer */
    enum { IN_STRING, IN_POINTER, PLAIN } escapes;
    char ready[4];
    size_t at, n; /* of ready */
};

/* The next byte, or -1 at the end. */
static int next_byte(struct name *name)
{
    if (name->at == name->n) {
        if (name->p == name->end)
            return -1;
        name->at = 0;
        name->n = 1;
        if (name->escapes == IN_STRING)
            name->n = json_unescape_next(&name->p, name->ready);
        else if (name->escapes == IN_POINTER && name->p[0] == '~' &&
                 (name->p[1] == '0' || name->p[1] == '1')) {
            name->ready[0] = name->p[1] == '0' ? '~' : '/';
            name->p += 2;
        } else
            name->ready[0] = *name->p++;
    }
    return (unsigned char)name->ready[name->at++];
}

static uint64_t hash_name(struct name name)
{
    uint64_t h = HASH_EMPTY;
    int c;

    while ((c = next_byte(&name)) >= 0)
        h = hash_add(h, (unsigned char)c);
    return h;
}

static int compare_names(struct name a, struct name b)
{
    int x, y;

    do {
        x = next_byte(&a);
        y = next_byte(&b);
    } while (x == y && x >= 0);
    return (x > y) - (x < y);
}

static struct name key_name(const struct json_doc *doc, size_t node)
{
    return (struct name){ .p = doc->clean + doc->nodes[node].key + 1,
                          .end = doc->clean + json_doc_key_end(doc, node) - 1 };
}

/* Orders children by parent, then hash. */
static int compare_hashes(const struct json_child *a, const struct json_child *b)
{
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

/* Orders children by parent, hash and key; elements of an array never share a hash. */
static int compare_keys(const struct json_doc *doc, const struct json_child *a,
                        const struct json_child *b)
{
    int order = compare_hashes(a, b);

    return order ? order : compare_names(key_name(doc, a->node), key_name(doc, b->node));
}

/* The document whose children are sorted: not every C library has qsort_r. */
static _Thread_local const struct json_doc *sorted;

static int compare_children(const void *left, const void *right)
{
    const struct json_child *a = left, *b = right;
    int order = a->node == b->node ? 0 : compare_keys(sorted, a, b);

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

static void add_children(struct json_doc *doc, size_t parent)
{
    bool object = doc->nodes[parent].type == JSON_OBJECT;
    size_t node = parent + 1;

    for (size_t i = 0; i < indexed_count(doc, parent); i++, node = doc->nodes[node].next)
        doc->children[doc->child_count++] = (struct json_child){
            .hash = object ? hash_name(key_name(doc, node)) : i,
            .parent = (uint32_t)parent,
            .node = (uint32_t)node,
        };
}

bool json_doc_index(struct json_doc *doc)
{
    size_t n = 0;

    for (size_t i = 0; i < doc->node_count; i++)
        n += indexed_count(doc, i);
    doc->children = mem_alloc(n, sizeof *doc->children);
    if (!doc->children)
        return false;
    for (size_t i = 0; i < doc->node_count; i++)
        add_children(doc, i);
    sorted = doc;
    qsort(doc->children, n, sizeof *doc->children, compare_children);
    for (size_t i = 1; i < n; i++)
        doc->nodes[doc->children[i].node].repeated =
            compare_keys(doc, &doc->children[i - 1], &doc->children[i]) == 0;
    return true;
}

/* Orders a wanted child and a child of the document: 0 if it is this one. */
static int compare_wanted(const struct json_doc *doc, const struct json_child *wanted,
                          struct name name, const struct json_child *child)
{
    int order = compare_hashes(wanted, child);

    if (order == 0 && doc->nodes[child->parent].type == JSON_OBJECT)
        order = compare_names(name, key_name(doc, child->node));
    return order;
}

/* The first child with that parent, hash and name, or -1. */
static ptrdiff_t find_child(const struct json_doc *doc, size_t parent, uint64_t hash,
                            struct name name)
{
    const struct json_child wanted = { .hash = hash, .parent = (uint32_t)parent };
    size_t low = 0, high = doc->child_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_wanted(doc, &wanted, name, &doc->children[middle]) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == doc->child_count || compare_wanted(doc, &wanted, name, &doc->children[low]) != 0)
        return -1;
    return doc->children[low].node;
}

/* The element whose index is a pointer's token, or -1: digits without leading zeros. */
static ptrdiff_t find_element(const struct json_doc *doc, size_t array, struct name token)
{
    uint64_t i;

    if (*token.p == '-' ||
        number_uint_literal(token.p, (size_t)(token.end - token.p), &i) != NUMBER_OK ||
        i >= doc->nodes[array].count)
        return -1;
    return only_leaves(doc, array) ? (ptrdiff_t)(array + 1 + i) : find_child(doc, array, i, token);
}

/* The first member of that name, or -1. */
static ptrdiff_t find_member(const struct json_doc *doc, size_t object, struct name name)
{
    return doc->nodes[object].type == JSON_OBJECT ? find_child(doc, object, hash_name(name), name)
                                                  : -1;
}

ptrdiff_t json_doc_find(const struct json_doc *doc, const char *pointer)
{
    ptrdiff_t node = 0;

    while (*pointer && node >= 0) {
        struct name token = { .p = pointer + 1, .escapes = IN_POINTER };

        if (*pointer != '/')
            return -1;
        token.end = pointer = pointer + 1 + strcspn(pointer + 1, "/");
        node = doc->nodes[node].type == JSON_ARRAY ? find_element(doc, (size_t)node, token)
                                                   : find_member(doc, (size_t)node, token);
    }
    return node;
}

ptrdiff_t json_doc_member(const struct json_doc *doc, size_t object, const char *key)
{
    struct name name = { .p = key, .end = key + strlen(key), .escapes = PLAIN };

    return find_member(doc, object, name);
}

void json_doc_each_duplicate(const struct json_doc *doc,
                             void (*found)(void *context, size_t node, size_t first), void *context)
{
    for (size_t i = 0; i < doc->node_count; i++)
        if (doc->nodes[i].repeated)
            found(context, i, (size_t)find_member(doc, doc->nodes[i].parent, key_name(doc, i)));
}
