#include "desc/finding.h"

#include "base/mem.h"

/* The node at a pointer or, if there is none, at the nearest pointer above. The top value if memory
 * is short. */
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

/* Sets the range of a pointer, unless it is set. */
static void find_offsets(const struct findings *fs, const char *pointer, enum finding_at at,
                         struct finding_range *range)
{
    const struct json_doc *doc = fs->context.doc;
    const struct json_node *node;
    size_t i, start, end;

    if (range->end > 0 || doc->node_count == 0)
        return;
    i = nearest_node(doc, pointer);
    node = &doc->nodes[i];
    start = node->start;
    end = node->end;
    if (at == AT_KEY && node->key != JSON_NO_KEY) {
        start = node->key;
        end = json_doc_key_end(doc, i);
    } else if (at == AT_OPENING)
        end = start + 1;
    range->offset = json_notation_source(fs->context.notation, start);
    range->end = json_notation_source(fs->context.notation, end);
}

static int by_offset(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->range.offset != y->range.offset)
        return x->range.offset < y->range.offset ? -1 : 1;
    if (x->rule != y->rule)
        return x->rule < y->rule ? -1 : 1;
    if (x->range.end != y->range.end)
        return x->range.end < y->range.end ? -1 : 1;
    return (x->turn > y->turn) - (x->turn < y->turn);
}

static int by_weight(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->severity != y->severity)
        return x->severity == SEV_ERROR ? -1 : 1;
    return by_offset(a, b);
}

void finding_release(struct finding *f)
{
    for (size_t r = 0; r < f->related_count; r++) {
        free(f->related[r].pointer);
        free(f->related[r].message);
    }
    free(f->related);
    free(f->fix.text);
    str_free(&f->fix.from);
    free(f->pointer);
    free(f->meant);
    free(f->message);
    free(f->hint);
}

void findings_keep(struct findings *fs, size_t n)
{
    while (fs->n > n)
        finding_release(&fs->v[--fs->n]);
}

bool findings_wants(const struct findings *fs, struct finding *f)
{
    if (!fs->last.list || fs->context.doc->node_count == 0)
        return true;
    find_offsets(fs, f->pointer, f->at, &f->range);
    return by_weight(f, &fs->last) < 0;
}

void findings_locate(struct findings *fs)
{
    size_t limit = fs->opt.max_findings;

    for (size_t i = 0; i < fs->n; i++) {
        struct finding *f = &fs->v[i];

        find_offsets(fs, f->pointer, f->at, &f->range);
        if (f->fix.text && f->fix.end == 0) {
            f->fix.offset = f->range.offset;
            f->fix.end = f->range.end;
        }
        for (size_t r = 0; r < f->related_count; r++)
            find_offsets(fs, f->related[r].pointer, AT_VALUE, &f->related[r].range);
    }
    if (limit > 0 && fs->n > limit) {
        qsort(fs->v, fs->n, sizeof *fs->v, by_weight);
        findings_keep(fs, limit);
        fs->last = fs->v[limit - 1];
    }
    if (fs->n > 0)
        qsort(fs->v, fs->n, sizeof *fs->v, by_offset);
}

/* An offset, and the destinations of its line and column. */
struct mark {
    size_t offset;
    size_t *line, *column;
};

static int by_mark(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Cuts a range at the end of its first line and adds marks for both ends. */
static struct mark *add_marks(struct mark *next, struct finding_range *r, const char *text,
                              size_t len)
{
    size_t end = r->end < len ? r->end : len, n = end > r->offset ? end - r->offset : 0;
    const char *feed = memchr(text + r->offset, '\n', n), *stop = feed ? feed : text + end;
    const char *carriage = memchr(text + r->offset, '\r', n);

    r->end = (size_t)((carriage && carriage < stop ? carriage : stop) - text);
    *next++ = (struct mark){ r->offset, &r->line, &r->column };
    *next++ = (struct mark){ r->end, &r->line, &r->end_column };
    return next;
}

bool findings_place(struct findings *fs, const char *text, size_t len)
{
    struct json_position place = { 0, 1, 1 };
    struct mark *marks, *next;
    size_t n = 0;

    findings_locate(fs);
    if (fs->n == 0)
        return true;
    for (size_t i = 0; i < fs->n; i++)
        n += 2 + 2 * fs->v[i].related_count;
    marks = next = mem_alloc(n, sizeof *marks);
    if (!marks)
        return false;
    for (size_t i = 0; i < fs->n; i++) {
        struct finding *f = &fs->v[i];

        if (f->fix.text && f->rule != RULE_JSON_SYNTAX &&
            json_has_comment(text, f->fix.offset, f->fix.end)) {
            free(f->fix.text);
            f->fix.text = NULL;
        }
        next = add_marks(next, &f->range, text, len);
        for (size_t r = 0; r < f->related_count; r++)
            next = add_marks(next, &f->related[r].range, text, len);
    }
    qsort(marks, n, sizeof *marks, by_mark); /* one pass over the text is enough */
    for (size_t i = 0; i < n; i++) {
        json_position_advance(&place, text, len, marks[i].offset < len ? marks[i].offset : len);
        *marks[i].line = place.line;
        *marks[i].column = place.column;
    }
    free(marks);
    return true;
}
