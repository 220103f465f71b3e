#include "desc/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/place.h"

/* The node at a pointer, or at what is left of it when parts that do not exist are cut off. */
static size_t nearest_node(const struct json_doc *doc, const char *pointer)
{
    char cut[256];
    ptrdiff_t node = json_doc_find(doc, pointer);
    size_t n = strlen(pointer);

    if (node >= 0 || n >= sizeof cut)
        return node < 0 ? 0 : (size_t)node;
    memcpy(cut, pointer, n + 1);
    while (node < 0) {
        char *slash = strrchr(cut, '/');

        if (!slash)
            return 0;
        *slash = '\0';
        node = json_doc_find(doc, cut);
    }
    return (size_t)node;
}

static void find_offsets(const struct json_doc *doc, const char *pointer, enum finding_at at, size_t *offset, size_t *end)
{
    const struct json_node *node;
    size_t i;

    if (*end > 0 || doc->node_count == 0)
        return;
    i = nearest_node(doc, pointer);
    node = &doc->nodes[i];
    *offset = node->start;
    *end = node->end;
    if (at == AT_KEY && node->key != JSON_NO_KEY) {
        *offset = node->key;
        *end = json_doc_key_end(doc, i);
    } else if (at == AT_OPENING)
        *end = *offset + 1;
}

/* Where a line and column are to be stored. */
struct mark {
    size_t offset;
    size_t *line, *column;
};

static int by_mark(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

static int by_offset(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->rule > y->rule) - (x->rule < y->rule);
}

/* A value that goes on past its line counts to the end of that line. */
static size_t end_on_line(const char *text, size_t len, size_t offset, size_t end)
{
    size_t at = offset;

    while (at < end && at < len && text[at] != '\n' && text[at] != '\r')
        at++;
    return at;
}

int findings_place(struct findings *fs, const struct json_doc *doc, const char *text, size_t len)
{
    struct json_place place = { 0, 1, 1 };
    struct mark *marks;
    size_t n = 0, unused;

    if (fs->n == 0)
        return 0;
    for (size_t i = 0; i < fs->n; i++) {
        struct finding *f = &fs->v[i];

        find_offsets(doc, f->pointer, f->at, &f->offset, &f->end);
        f->end = end_on_line(text, len, f->offset, f->end);
        n += 2 + 2 * f->related_count;
        for (size_t r = 0; r < f->related_count; r++) {
            find_offsets(doc, f->related[r].pointer, AT_VALUE, &f->related[r].offset, &f->related[r].end);
            f->related[r].end = end_on_line(text, len, f->related[r].offset, f->related[r].end);
        }
    }
    qsort(fs->v, fs->n, sizeof *fs->v, by_offset);
    marks = mem_alloc(n, sizeof *marks);
    if (!marks)
        return -1;
    n = 0;
    for (size_t i = 0; i < fs->n; i++) {
        struct finding *f = &fs->v[i];

        marks[n++] = (struct mark){ f->offset, &f->line, &f->column };
        marks[n++] = (struct mark){ f->end, &unused, &f->end_column };
        for (size_t r = 0; r < f->related_count; r++) {
            struct finding_place *p = &f->related[r];

            marks[n++] = (struct mark){ p->offset, &p->line, &p->column };
            marks[n++] = (struct mark){ p->end, &unused, &p->end_column };
        }
    }
    qsort(marks, n, sizeof *marks, by_mark);
    for (size_t i = 0; i < n; i++) {
        json_place_advance(&place, text, len, marks[i].offset < len ? marks[i].offset : len);
        *marks[i].line = place.line;
        *marks[i].column = place.column;
    }
    free(marks);
    return 0;
}
