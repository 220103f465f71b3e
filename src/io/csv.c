#include "io/csv.h"

#include <math.h>

#include "base/path.h"
#include "base/str.h"
#include "json/number.h"

/* A line of a text without its end. */
struct csv_line {
    const char *s, *end;
    const char *after; /* the last comment before it, or where the search began */
    bool cut;          /* its end is not read yet */
};

static const char *next_row(const char *p, const char *end)
{
    p = csv_row_end(p, end);
    p += end - p > 1 && p[0] == '\r' && p[1] == '\n';
    return p + (p < end);
}

/* The end of quotes that open at p and close in the line; else p. */
static const char *skip_quoted(const char *p, const char *end)
{
    const char *q = p;

    if (q < end && *q == '"')
        do
            q++;
        while (!csv_ends_row(q, end) && *q != '"');
    return q > p && q < end && *q == '"' ? q + 1 : p;
}

bool csv_next_cell(const struct csv *c, const char *p, const char *end, struct csv_cell *cell)
{
    bool blanks = c->delimiter == ' ';

    if (!p || (blanks && csv_ends_row(p, end)))
        return false;
    cell->s = csv_skip_blanks(c, p, end);
    p = skip_quoted(cell->s, end);
    while (!csv_ends_row(p, end) && (blanks ? !csv_is_blank(c, *p) : *p != c->delimiter))
        p++;
    cell->end = p;
    cell->stop = csv_skip_after(c, p, end);
    cell->next = blanks ? cell->stop : csv_ends_row(cell->stop, end) ? NULL : cell->stop + 1;
    while (cell->end > cell->s && csv_is_blank(c, cell->end[-1]))
        cell->end--;
    if (cell->end - cell->s >= 2 && skip_quoted(cell->s, cell->end) == cell->end) {
        cell->s++;
        cell->end--;
    }
    return true;
}

bool csv_special(const struct csv_cell *cell, double *v)
{
    const char *s = cell->s;
    size_t n = (size_t)(cell->end - s), sign = n > 0 && (*s == '-' || *s == '+');

    while (n > 3 && memchr(s, '#', n) && s[n - 1] == '0') /* of 1.#INF00 */
        n--;
    *v = sign && *s == '-' ? -(double)INFINITY : (double)INFINITY;
    if (str_is_word(s + sign, n - sign, "inf infinity 1.#inf", true))
        return true;
    *v = (double)NAN;
    return str_is_word(s + sign, n - sign, "nan 1.#nan 1.#ind 1.#qnan 1.#snan nan(ind) nan(snan)",
                       true);
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

/* True for what is neither a number nor, bare or quoted, a missing one: the first letter or digit
 * is a letter. Of others than ASCII only those of alphabets without digits of their own count. */
static bool is_name(const struct csv *c, const struct csv_cell *cell)
{
    static const char others[] =
        "nan inf infinity na n/a n.a null nil none nat missing undefined true false";
    bool bare = c->delimiter == ' ' && (cell->stop == cell->end || *cell->end != '"');
    const char *s = cell->s, *end = cell->end;
    size_t n = (size_t)(end - s);

    if (memchr(s, '#', n) || str_is_word(s, n, "\\n", true) ||
        (bare && (memchr(s, ',', n) || memchr(s, ';', n))))
        return false;
    for (; s < end && !isalnum((unsigned char)*s); s++)
        if ((*s >= '\xc3' && *s <= '\xd7') || (*s >= '\xe3' && *s <= '\xed'))
            return true;
    while (end > s && strchr(" '\")]}>%.", end[-1]))
        end--;
    n = (size_t)(end - s);
    return n > 0 && isalpha((unsigned char)*s) && !str_is_word(s, n, others, true) &&
           !str_is_word(s, u64_min(n, 4), "err: nan(", true);
}

/* Cells of a line: all, the numbers, the empty ones, the names, those that begin with '#', and the
 * columns of which each holds its own index. What is neither a number nor empty is text. */
struct csv_count {
    size_t cells, numbers, empty, names, errors, ordered;
};

static struct csv_count count_cells(const struct csv *c, const struct csv_line *l)
{
    struct csv_cell cell = { .next = l->s };
    struct csv_count n = { 0 };

    for (; csv_next_cell(c, cell.next, l->end, &cell); n.cells++) {
        bool number = cell.s < cell.end && is_number(&cell);
        uint64_t v;

        n.empty += cell.s == cell.end;
        n.numbers += number;
        n.names += !number && is_name(c, &cell);
        n.errors += cell.s < cell.end && *cell.s == '#';
        n.ordered += number_uint_literal(cell.s, (size_t)(cell.end - cell.s), &v) == NUMBER_OK &&
                     v == n.cells;
    }
    return n;
}

static bool has_text(struct csv_count n) { return n.numbers + n.empty < n.cells; }

/* Sets the delimiter without which cells would be text, or else a tab or the last in the line. */
static struct csv_count find_delimiter(struct csv *c, const struct csv_line *l)
{
    static const char delimiters[] = { '\t', ',', ';' };
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
        if (has_text(other) && (!has_text(n) || c->delimiter == '\t'))
            continue;
        n = other;
        c->delimiter = found.delimiter;
    }
    return n;
}

/* True for a line from s on that begins with what spreadsheets write instead of a number, and is no
 * comment: #N/A, #NV, #DIV/0!, in other languages #Н/Д, ##### in a row without names, and after
 * numbers any word without small letters in a row of as many cells with numbers. */
static bool is_error_value(const struct csv *c, const char *s, const char *end)
{
    static const char words[] = "#NV #YOK #HIÁNYZIK #GETTING_DATA";
    const struct csv_line l = { .s = s, .end = end };
    const char *p = s + 1;
    size_t small = 0, first;
    struct csv own = *c;
    struct csv_count n;
    bool hashes;

    for (; p < end && !strchr(" \t,;", *p); p++)
        small += *p >= 'a' && *p <= 'z';
    first = p - s > 1 ? str_utf8_length(s + 1, (size_t)(p - s - 1)) : 0;
    if ((p - s > 2 && strchr("!?", p[-1])) || str_is_word(s, (size_t)(p - s), words, false) ||
        (first > 0 && s[1 + first] == '/' &&
         str_utf8_length(s + 2 + first, (size_t)(end - s) - 2 - first) ==
             (size_t)(p - s) - 2 - first))
        return true;
    hashes = p - s > 2 && memcmp(s, s + 1, (size_t)(p - s) - 1) == 0;
    if (!hashes && (c->columns < 2 || c->delimiter == ' ' || p - s < 2 || small > 0 ||
                    is_number(&(struct csv_cell){ s + 1, p, p, p })))
        return false;
    n = c->columns ? count_cells(c, &l) : find_delimiter(&own, &l);
    return n.cells > 1 && (!c->columns || n.cells == c->columns) &&
           n.numbers + (hashes ? n.empty + n.errors : 1) == n.cells;
}

/* The next line that is neither empty nor a comment; false at the end. */
static bool next_line(const struct csv *c, const char **p, const char *end, struct csv_line *l)
{
    for (l->after = *p; *p < end;) {
        const char *stop = csv_row_end(*p, end), *s = csv_skip_blanks(c, *p, stop);

        *p = next_row(*p, end);
        l->s = s;
        l->end = stop;
        l->cut = stop == end;
        while (s < stop && isspace((unsigned char)*s))
            s++;
        if (s < stop && (*l->s != '#' || is_error_value(c, l->s, stop)))
            return true;
        if (s < stop)
            l->after = *p;
    }
    return false;
}

bool csv_is_rest(const struct csv *c, const char *p, const char *end)
{
    struct csv_line l;

    return !next_line(c, &p, end, &l);
}

size_t csv_comments(const char *p, const char *end)
{
    size_t n = 0;

    for (; p < end; p = next_row(p, end)) {
        while (p < end && *p == ' ')
            p++;
        n += p < end && *p == '#';
    }
    return n;
}

/* Takes the first line for names if it has as many as the second has cells with numbers. */
static struct csv_count take_names(struct csv *c, const char *text, const struct csv_line *first,
                                   const struct csv_line *second, struct csv_count n)
{
    struct csv other = *c;
    struct csv_count numbers = find_delimiter(&other, second), names = count_cells(&other, first);

    if (names.names == 0 || names.names + names.empty < names.cells ||
        names.cells != numbers.cells || numbers.numbers == 0)
        return n;
    *c = other;
    c->names = true;
    c->data = (size_t)(second->after - text);
    return numbers;
}

enum csv_answer csv_look(const struct input *in, uint64_t skip, struct csv *c)
{
    const char *text = (const char *)in->data, *p = text + text_start(in);
    const char *end = text + in->len;
    struct csv_line first, second;
    struct csv_count n;
    bool named = path_has_extension(in->path, ".csv") || path_has_extension(in->path, ".tsv");
    bool more, array = p < end && *p == '[';
    bool marked = named || skip > 0 || (p < end && *p == '#');

    *c = (struct csv){ .delimiter = '\t' }; /* so that tabs are cells */
    if (p == end || strchr("{/", *p) || (array && (end - p < 2 || !isalpha((unsigned char)p[1]))))
        return CSV_NO;
    while (p > text && isspace((unsigned char)p[-1])) /* blanks may be cells */
        p--;
    for (uint64_t i = 0; i < skip && p < end; i++)
        p = next_row(p, end);
    if (!next_line(c, &p, end, &first))
        return in->more ? CSV_UNDECIDED : skip > 0 ? CSV_TEXT : CSV_NO;
    c->data = (size_t)(first.after - text);
    c->first = (size_t)(first.s - text);
    more = next_line(c, &p, end, &second);
    if (in->more && (!more || second.cut))
        return CSV_UNDECIDED;
    n = find_delimiter(c, &first);
    if (more && n.numbers == 0)
        n = take_names(c, text, &first, &second, n);
    c->columns = n.cells;
    c->numbered = more && !c->names && n.ordered == n.cells &&
                  memchr(second.s, '.', (size_t)(second.end - second.s));
    if (n.numbers > 0 && !has_text(n) && (more || n.cells > 1 || marked))
        return CSV_YES;
    for (p = first.s; p < first.end && !named; p++)
        array = array || strchr("[](){}=", *p);
    return !array && n.numbers < n.cells &&
                   (marked || c->delimiter != ' ' ||
                    (more && n.numbers + count_cells(c, &second).numbers > 0))
               ? CSV_TEXT
               : CSV_NO;
}
