#include "json/doc.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

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

/* The bytes of a name, unescaped one at a time. */
struct bytes {
    const char *p, *end;
    /* the inside of a JSON string, a token of a JSON pointer */
    enum { IN_STRING, IN_POINTER, PLAIN } escapes;
    char ready[4];
    size_t at, n;       /* of ready */
};

/* The next byte, or -1 at the end. */
static int next_byte(struct bytes *b)
{
    if (b->at == b->n) {
        if (b->p == b->end)
            return -1;
        b->at = 0;
        b->n = 1;
        if (b->escapes == IN_STRING)
            b->n = json_unescape_next(&b->p, b->ready);
        else if (b->escapes == IN_POINTER && b->p[0] == '~' && b->end - b->p > 1 &&
                 (b->p[1] == '0' || b->p[1] == '1')) {
            b->ready[0] = b->p[1] == '0' ? '~' : '/';
            b->p += 2;
        } else
            b->ready[0] = *b->p++;
    }
    return (unsigned char)b->ready[b->at++];
}

static uint64_t hash_bytes(struct bytes b)
{
    uint64_t h = HASH_EMPTY;
    int c;

    while ((c = next_byte(&b)) >= 0)
        h = hash_add(h, (unsigned char)c);
    return h;
}

static int compare_bytes(struct bytes a, struct bytes b)
{
    int x, y;

    do {
        x = next_byte(&a);
        y = next_byte(&b);
    } while (x == y && x >= 0);
    return (x > y) - (x < y);
}

static struct bytes key_bytes(const struct json_doc *doc, size_t node)
{
    return (struct bytes){ .p = doc->clean + doc->nodes[node].key + 1,
                           .end = doc->clean + json_doc_key_end(doc, node) - 1 };
}

/* Children by parent, then hash. */
static int compare_order(const struct json_child *a, const struct json_child *b)
{
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

/* The order of doc->children; elements of an array never have one hash. */
static int compare_children(const void *left, const void *right, void *context)
{
    const struct json_child *a = left, *b = right;
    int order = compare_order(a, b);

    if (order == 0 && a->node != b->node)
        order = compare_bytes(key_bytes(context, a->node), key_bytes(context, b->node));
    return order ? order : (a->node > b->node) - (a->node < b->node);
}

/* Whether an array's elements are leaves only, so that the i-th is i + 1 nodes after it. */
static bool only_leaves(const struct json_doc *doc, size_t node)
{
    return doc->nodes[node].next - node - 1 == doc->nodes[node].count;
}

/* Whether a node's children are in doc->children. */
static bool is_indexed(const struct json_doc *doc, size_t node)
{
    uint8_t type = doc->nodes[node].type;

    return type == JSON_OBJECT || (type == JSON_ARRAY && !only_leaves(doc, node));
}

static void add_children(struct json_doc *doc, size_t parent)
{
    bool object = doc->nodes[parent].type == JSON_OBJECT;
    size_t node = parent + 1;

    for (uint32_t i = 0; i < doc->nodes[parent].count; i++, node = doc->nodes[node].next)
        doc->children[doc->child_count++] = (struct json_child){
            .hash = object ? hash_bytes(key_bytes(doc, node)) : i,
            .parent = (uint32_t)parent,
            .node = (uint32_t)node,
        };
}

bool json_doc_index(struct json_doc *doc)
{
    size_t n = 0;

    for (size_t i = 0; i < doc->node_count; i++)
        if (is_indexed(doc, i))
            n += doc->nodes[i].count;
    doc->children = mem_alloc(n, sizeof *doc->children);
    if (!doc->children)
        return false;
    for (size_t i = 0; i < doc->node_count; i++)
        if (is_indexed(doc, i))
            add_children(doc, i);
    qsort_r(doc->children, doc->child_count, sizeof *doc->children, compare_children, doc);
    return true;
}

/* The order of what is looked up and a child: 0 where it is this child. */
static int compare_wanted(const struct json_doc *doc, const struct json_child *wanted,
                          struct bytes token, const struct json_child *child)
{
    int order = compare_order(wanted, child);

    if (order == 0 && doc->nodes[child->parent].type == JSON_OBJECT)
        order = compare_bytes(token, key_bytes(doc, child->node));
    return order;
}

/* The first child with that parent, hash and name, or -1. */
static ptrdiff_t find_child(const struct json_doc *doc, const struct json_child *wanted,
                            struct bytes token)
{
    size_t low = 0, high = doc->child_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_wanted(doc, wanted, token, &doc->children[middle]) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == doc->child_count || compare_wanted(doc, wanted, token, &doc->children[low]) != 0)
        return -1;
    return doc->children[low].node;
}

/* The element that a pointer's token names, or -1: digits without leading zeros. */
static ptrdiff_t find_element(const struct json_doc *doc, size_t array, struct bytes token)
{
    uint64_t i = 0;

    if (token.p == token.end || (*token.p == '0' && token.end - token.p > 1))
        return -1;
    for (const char *p = token.p; p < token.end; p++) {
        if (*p < '0' || *p > '9')
            return -1;
        i = i * 10 + (uint64_t)(*p - '0');
        if (i >= doc->nodes[array].count)
            return -1;
    }
    if (only_leaves(doc, array))
        return (ptrdiff_t)(array + 1 + i);
    return find_child(doc, &(struct json_child){ .hash = i, .parent = (uint32_t)array }, token);
}

/* The first member of that name, or -1. */
static ptrdiff_t find_member(const struct json_doc *doc, size_t object, struct bytes name)
{
    struct json_child wanted = { .hash = hash_bytes(name), .parent = (uint32_t)object };

    return doc->nodes[object].type == JSON_OBJECT ? find_child(doc, &wanted, name) : -1;
}

ptrdiff_t json_doc_find(const struct json_doc *doc, const char *pointer)
{
    ptrdiff_t node = 0;

    while (*pointer && node >= 0) {
        struct bytes token = { .p = pointer + 1, .escapes = IN_POINTER };

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
    struct bytes name = { .p = key, .end = key + strlen(key), .escapes = PLAIN };

    return find_member(doc, object, name);
}

struct duplicate {
    uint32_t node, first;
};

static int compare_duplicates(const void *left, const void *right)
{
    const struct duplicate *a = left, *b = right;

    return (a->node > b->node) - (a->node < b->node);
}

bool json_doc_each_duplicate(const struct json_doc *doc,
                             void (*found)(void *context, size_t node, size_t first), void *context)
{
    struct duplicate *list = NULL;
    size_t n = 0, cap = 0, first = 0;

    for (size_t i = 1; i < doc->child_count; i++) {
        const struct json_child *a = &doc->children[first], *b = &doc->children[i];

        if (compare_order(a, b) != 0 ||
            compare_bytes(key_bytes(doc, a->node), key_bytes(doc, b->node)) != 0) {
            first = i;
            continue;
        }
        if (!mem_reserve(&list, n, &cap, sizeof *list)) {
            free(list);
            return false;
        }
        list[n++] = (struct duplicate){ b->node, a->node };
    }
    if (n)
        qsort(list, n, sizeof *list, compare_duplicates);
    for (size_t i = 0; i < n; i++)
        found(context, list[i].node, list[i].first);
    free(list);
    return true;
}
