#include "desc/place.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/position.h"

/* An offset whose line and column are needed, and where to store them. */
struct mark {
    size_t offset;
    size_t *line, *column;
};

static int by_mark(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* A line from a byte to its end, which many findings on one long line share. */
struct line_rest {
    size_t from, end;
};

/* Cuts a range at the end of its first line; returns the new end. */
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

/* Stores the lines and columns of all marks, in one pass over the text. */
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

/* Adds the marks of both ends of a range, which is cut at the end of its line first. */
static struct mark *add_marks(struct mark *next, struct finding_range *r, struct line_rest *rest,
                              const char *text, size_t len)
{
    r->end = end_on_line(rest, text, len, r->offset, r->end);
    *next++ = (struct mark){ r->offset, &r->line, &r->column };
    *next++ = (struct mark){ r->end, &r->line, &r->end_column };
    return next;
}

bool findings_place(struct findings *fs, const char *text, size_t len)
{
    struct line_rest rest = { 0, 0 }, related = { 0, 0 };
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

        next = add_marks(next, &f->range, &rest, text, len);
        for (size_t r = 0; r < f->related_count; r++)
            next = add_marks(next, &f->related[r].range, &related, text, len);
    }
    count_lines(marks, n, text, len);
    free(marks);
    return true;
}
