#include "io/csv.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/path.h"
#include "base/util.h"
#include "io/kind.h"
#include "json/number.h"

/* A line of a text without its end. */
struct csv_line {
    const char *s, *end;
    bool cut; /* its end is not read yet */
};

bool csv_next_cell(const struct csv *c, const char *p, const char *end, struct csv_cell *cell)
{
    bool blanks = c->delimiter == ' ';

    if (!p || (blanks && csv_ends_row(p, end)))
        return false;
    cell->s = p;
    while (!csv_ends_row(p, end) && (blanks ? !csv_is_blank(c, *p) : *p != c->delimiter))
        p++;
    cell->end = p;
    cell->s = csv_skip_blanks(c, cell->s, cell->end);
    while (cell->end > cell->s && csv_is_blank(c, cell->end[-1]))
        cell->end--;
    cell->next = blanks ? csv_skip_blanks(c, p, end) : csv_ends_row(p, end) ? NULL : p + 1;
    return true;
}

bool csv_special(const struct csv_cell *cell, double *v)
{
    const char *s = cell->s;
    bool negative = s < cell->end && *s == '-';
    size_t n;

    s += negative || (s < cell->end && *s == '+');
    n = (size_t)(cell->end - s);
    if (!number_special(s, n == 8 && strncasecmp(s, "infinity", n) == 0 ? 3 : n, v) || *s == '-')
        return false;
    *v = negative && !isnan(*v) ? -*v : *v;
    return true;
}

/* True for a number, right or not: with a decimal comma, or too large. Not for an empty cell. */
static bool is_number(const struct csv_cell *cell)
{
    const char *p = cell->s;
    bool digits = false;
    double v;

    if (csv_special(cell, &v))
        return true;
    p += *p == '-' || *p == '+';
    for (; p < cell->end; p++) {
        if (*p >= '0' && *p <= '9')
            digits = true;
        else if (*p != '.' && *p != ',' && !(digits && strchr("+-eE", *p)))
            break;
    }
    return p == cell->end && digits;
}

/* The next line that is neither empty nor a comment; false at the end. */
static bool next_line(const char **p, const char *end, struct csv_line *l)
{
    while (*p < end) {
        const char *stop = memchr(*p, '\n', (size_t)(end - *p));

        *l = (struct csv_line){ *p, stop ? stop : end, !stop };
        *p = stop ? stop + 1 : end;
        while (l->s < l->end && isspace((unsigned char)*l->s))
            l->s++;
        while (l->end > l->s && isspace((unsigned char)l->end[-1]))
            l->end--;
        if (l->s < l->end && *l->s != '#')
            return true;
    }
    return false;
}

/* Cells of a line: all, the numbers, and the empty ones; the others are text. */
struct csv_count {
    size_t cells, numbers, empty;
};

static struct csv_count count_cells(const struct csv *c, const struct csv_line *l)
{
    struct csv_cell cell = { .next = l->s };
    struct csv_count n = { 0 };

    for (; csv_next_cell(c, cell.next, l->end, &cell); n.cells++) {
        n.empty += cell.s == cell.end;
        n.numbers += cell.s < cell.end && is_number(&cell);
    }
    return n;
}

static bool has_text(struct csv_count n) { return n.numbers + n.empty < n.cells; }

/* Sets the delimiter without which cells would be text, or else the last one in the line. */
static struct csv_count find_delimiter(struct csv *c, const struct csv_line *l)
{
    static const char delimiters[] = { ',', ';', '\t' };
    struct csv found = *c;
    struct csv_count n;

    c->delimiter = found.delimiter = ' ';
    n = count_cells(c, l);
    for (size_t i = 0; i < sizeof delimiters; i++) {
        struct csv_count other;

        found.delimiter = delimiters[i];
        if (!memchr(l->s, delimiters[i], (size_t)(l->end - l->s)))
            continue;
        other = count_cells(&found, l);
        if (has_text(other) && !has_text(n))
            continue;
        n = other;
        c->delimiter = found.delimiter;
    }
    return n;
}

/* What the characters of a line tell. */
struct csv_marks {
    bool syntax; /* of a program, or of JSON in some notation */
    bool json;   /* one number, if that is all, may be JSON */
    int open;    /* brackets that open, less those that close: 0 in "time [s],x" */
};

static struct csv_marks find_marks(const struct csv_line *l)
{
    struct csv_marks m = { .syntax = *l->s == '/' };

    for (const char *p = l->s; p < l->end; p++) {
        bool opens = *p == '[' || *p == '(' || *p == '{',
             closes = *p == ']' || *p == ')' || *p == '}';

        m.syntax = m.syntax || opens || closes || *p == '=' || !*p;
        m.json = m.json || (*p >= '0' && *p <= '9') || *p == 'N' || *p == 'I';
        m.open += opens - closes;
    }
    return m;
}

enum csv_answer csv_look(const struct input *in, struct csv *c)
{
    const char *text = (const char *)in->data, *p = text + kind_text_start(in);
    const char *end = text + in->len;
    struct csv_line first, second;
    struct csv_marks marks;
    struct csv_count n;
    bool named = path_has_extension(in->path, ".csv") || path_has_extension(in->path, ".tsv");
    bool more, array, marked;

    *c = (struct csv){ .delimiter = ' ' };
    array = p < end && *p == '[';
    if (p == end || strchr("{/", *p) || (array && (end - p < 2 || !isalpha((unsigned char)p[1]))))
        return CSV_NO;
    marked = named || *p == '#';
    if (!next_line(&p, end, &first))
        return in->more ? CSV_UNDECIDED : CSV_NO;
    more = next_line(&p, end, &second);
    marks = find_marks(&first);
    if (((marks.syntax && !(more && marks.open == 0)) || (more && find_marks(&second).syntax)) &&
        (array || !named))
        return CSV_NO;
    if (in->more && (!more || second.cut))
        return CSV_UNDECIDED;
    marked = marked || !marks.json;
    n = find_delimiter(c, &first);
    if (more && has_text(n) && n.numbers == 0) { /* names of columns */
        first = second;
        n = find_delimiter(c, &first);
    }
    c->data = (size_t)(first.s - text);
    c->columns = n.cells;
    if (n.numbers > 0 && (more || (!has_text(n) && (n.cells > 1 || marked))))
        return CSV_YES;
    return n.numbers < n.cells && (named || c->delimiter != ' ') ? CSV_TEXT : CSV_NO;
}

size_t title_find(const struct input *in)
{
    static const char sizes[] = "(Sizes:";
    const char *text = (const char *)in->data, *p = text + kind_text_start(in), *end, *found;
    size_t len = u64_min(in->len, KIND_PREFIX);

    found = len > 0 ? memmem(text, len, sizes, strlen(sizes)) : NULL;
    if (!found)
        return 0;
    for (end = found; end > p && isspace((unsigned char)end[-1]); end--)
        ;
    if (end > p && (end[-1] != ':' || memchr(p, '\n', (size_t)(end - p)) || strchr("[{", *p) ||
                    strncmp(p, "//", 2) == 0 || strncmp(p, "/*", 2) == 0)) /* JSON */
        return 0;
    return (size_t)(found - text) + 1;
}
