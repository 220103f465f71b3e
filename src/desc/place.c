#include "desc/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/lex.h"

/* The node at a pointer, or at what is left of it when parts that do not exist are cut off; the top
 * value where memory is short. */
static size_t nearest_node(const struct json_doc *doc, const char *pointer)
{
    ptrdiff_t node = json_doc_find(doc, pointer);
    char *cut = node < 0 ? mem_strdup(pointer) : NULL, *slash;

    while (node < 0 && cut && (slash = strrchr(cut, '/'))) {
        *slash = '\0';
        node = json_doc_find(doc, cut);
    }
    free(cut);
    return node < 0 ? 0 : (size_t)node;
}

static void find_offsets(const struct findings *fs, const char *pointer, enum finding_at at,
                         size_t *offset, size_t *end)
{
    const struct json_doc *doc = fs->doc;
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
    *offset = json_notation_source(fs->notation, *offset);
    *end = json_notation_source(fs->notation, *end);
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

/* A piece of a line: from a byte to the line's end. Many findings may be on one long line. */
struct line_rest {
    size_t from, end;
};

/* A value that goes on past its line counts to the end of that line. */
static size_t end_on_line(struct line_rest *rest, const char *text, size_t len, size_t offset,
                          size_t end)
{
    if (offset < rest->from || offset >= rest->end) {
        *rest = (struct line_rest){ offset, offset };
        while (rest->end < len && text[rest->end] != '\n' && text[rest->end] != '\r')
            rest->end++;
    }
    return end < rest->end ? end : rest->end;
}

static int by_weight(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->severity != y->severity)
        return x->severity == SEV_ERROR ? -1 : 1;
    return by_offset(a, b);
}

static void place_all(struct findings *fs)
{
    for (size_t i = 0; i < fs->n; i++) {
        struct finding *f = &fs->v[i];

        find_offsets(fs, f->pointer, f->at, &f->offset, &f->end);
        if (f->fix.pointer)
            find_offsets(fs, f->fix.pointer, f->fix.at, &f->fix.offset, &f->fix.end);
        for (size_t r = 0; r < f->related_count; r++)
            find_offsets(fs, f->related[r].pointer, AT_VALUE, &f->related[r].offset,
                         &f->related[r].end);
    }
}

void findings_shrink(struct findings *fs)
{
    if (!fs->most || fs->n <= fs->most)
        return;
    place_all(fs);
    qsort(fs->v, fs->n, sizeof *fs->v, by_weight);
    findings_cut(fs, fs->most);
}

/* Lines and columns of all places, from the first to the last, in one pass over the text. */
static void count_lines(struct mark *marks, size_t n, const char *text, size_t len)
{
    struct json_position place = { 0, 1, 1 };

    qsort(marks, n, sizeof *marks, by_mark);
    for (size_t i = 0; i < n; i++) {
        json_position_advance(&place, text, len, marks[i].offset < len ? marks[i].offset : len);
        *marks[i].line = place.line;
        *marks[i].column = place.column;
    }
}

bool findings_place(struct findings *fs, const char *text, size_t len)
{
    struct line_rest rest = { 0, 0 }, related = { 0, 0 };
    struct mark *marks;
    size_t n = 0, unused;

    findings_shrink(fs);
    if (fs->n == 0)
        return true;
    place_all(fs);
    qsort(fs->v, fs->n, sizeof *fs->v, by_offset);
    for (size_t i = 0; i < fs->n; i++)
        n += 2 + 2 * fs->v[i].related_count;
    marks = mem_alloc(n, sizeof *marks);
    if (!marks)
        return false;
    n = 0;
    for (size_t i = 0; i < fs->n; i++) {
        struct finding *f = &fs->v[i];

        f->end = end_on_line(&rest, text, len, f->offset, f->end);
        marks[n++] = (struct mark){ f->offset, &f->line, &f->column };
        marks[n++] = (struct mark){ f->end, &unused, &f->end_column };
        for (size_t r = 0; r < f->related_count; r++) {
            struct finding_place *p = &f->related[r];

            p->end = end_on_line(&related, text, len, p->offset, p->end);
            marks[n++] = (struct mark){ p->offset, &p->line, &p->column };
            marks[n++] = (struct mark){ p->end, &unused, &p->end_column };
        }
    }
    count_lines(marks, n, text, len);
    free(marks);
    return true;
}
