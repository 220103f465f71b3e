#include <float.h>

#include "io/json_reader.h"

/* Pieces are whole lines. The number of line ends bounds the elements of a piece; rows move down
 * where empty lines made that too large. After a row with a fault the next window begins with it,
 * if another type holds its numbers, so the result does not depend on threads and pieces. A comment
 * is a fault that only comments follow. */

/* True for a whole number that FLOAT64 holds. */
static bool is_exact(uint64_t magnitude)
{
    return magnitude == 0 || magnitude >> __builtin_ctzll(magnitude) >> DBL_MANT_DIG == 0;
}

/* A type that is inferred holds whole numbers that are written so, except -0, as they are. */
static enum number_result convert(const struct json_reader *r, const char *s, size_t n, void *to,
                                  struct cast_counts *counts)
{
    enum dtype type = r->type;
    enum number_result result;
    uint64_t v;

    if (r->infer && type != DT_FLOAT64) {
        if (n == 2 && s[0] == '-' && s[1] == '0')
            return NUMBER_FRACTION;
        return type == DT_INT64 ? number_int_literal(s, n, to) : number_uint_literal(s, n, to);
    }
    if (r->infer && n > DBL_DIG && !memchr(s, '.', n)) {
        result = number_whole(s, n, true, UINT64_MAX, UINT64_MAX, &v);
        if (result == NUMBER_RANGE || (result == NUMBER_OK && !is_exact(*s == '-' ? 0 - v : v)))
            return NUMBER_FRACTION;
    }
    return json_value_convert(r, s, n, to, counts);
}

/* Reads any cell; NUMBER_SYNTAX if it is not a number. */
static enum number_result read_cell(const struct json_reader *r, const struct csv_cell *cell,
                                    void *to, struct cast_counts *counts)
{
    struct scalar value = { .is_float = true };
    size_t n = (size_t)(cell->end - cell->s);
    char text[NUMBER_RELAXED];
    enum number_result result = convert(r, cell->s, n, to, counts);

    if (result == NUMBER_SYNTAX && (n = number_relaxed(cell->s, n, text)) > 0)
        result = convert(r, text, n, to, counts);
    if (result != NUMBER_SYNTAX || !csv_special(cell, &value.f))
        return result;
    return (!r->infer || r->type == DT_FLOAT64) &&
                   cast_allows(r->f->rules, scalar_store(&value, r->type, to), counts)
               ? NUMBER_OK
               : NUMBER_FRACTION;
}

/* Reads the cell at s; returns its end, after blanks, or NULL at a fault. */
static const char *read_next(const struct json_reader *r, const char *s, const char *end, void *to,
                             struct cast_counts *counts)
{
    const struct csv *c = r->csv;
    const char *e = number_end(s, end), *after = csv_skip_after(c, e, end);
    struct csv_cell cell = { .s = s, .end = s };

    if ((csv_ends_row(after, end) || (c->delimiter == ' ' ? after > e : *after == c->delimiter)) &&
        convert(r, s, (size_t)(e - s), to, counts) == NUMBER_OK)
        return after;
    csv_next_cell(c, s, end, &cell);
    return read_cell(r, &cell, to, counts) == NUMBER_OK ? cell.stop : NULL;
}

/* Reads the row at s, which is not empty; returns its end, or NULL at a fault. */
static const char *read_row(const struct json_reader *r, const char *s, const char *end, char *to,
                            struct cast_counts *counts)
{
    const struct csv *c = r->csv;

    for (size_t i = 1; i <= c->columns; i++, to += dtype_size(r->type)) {
        s = read_next(r, csv_skip_blanks(c, s, end), end, to, counts);
        if (!s || csv_ends_row(s, end) != (i == c->columns)) /* too few or too many */
            return NULL;
        s += c->delimiter != ' ' && i < c->columns;
    }
    return s;
}

static void read_piece(const struct json_reader *r, struct json_piece *p, char *to)
{
    size_t columns = r->csv->columns, size = dtype_size(r->type);

    for (const char *s = p->from; s < p->to; s += s < p->to) {
        s = csv_skip_blanks(r->csv, s, p->to);
        if (csv_ends_row(s, p->to))
            continue;
        p->end = s;
        s = read_row(r, s, p->to, to, &p->counts);
        if (!s)
            return;
        to += columns * size;
        p->count += columns;
    }
    p->end = p->to;
}

/* Bounds the elements of a piece. Each has two bytes or more, with its end. */
static size_t bound_piece(const struct json_reader *r, const char *from, const char *to)
{
    size_t columns = r->csv->columns;
    size_t most = ((size_t)(to - from) + 1) / 2;
    size_t lines = json_count(from, to, 0xff, '\n') + json_count(from, to, 0xff, '\r');

    return lines + 1 < most / columns ? (lines + 1) * columns : most;
}

static const char *cut_piece(const struct json_reader *r, const char *from, const char *at)
{
    const struct json_lexer *lx = &r->lx;
    const char *end = lx->text + lx->len, *to = csv_row_end(at > from ? at - 1 : from, end);

    return to + (to < end);
}

/* Makes the type one that may hold a number, too; false if there is none. */
static bool widen(struct json_reader *r, enum number_result result)
{
    bool is_signed = r->type == DT_INT64, fraction = result == NUMBER_FRACTION;
    int64_t *v = r->f->values;

    if (!r->infer || r->type == DT_FLOAT64 || result == NUMBER_SYNTAX)
        return false;
    for (size_t i = 0; i < r->count && is_signed && !fraction; i++)
        fraction = v[i] < 0;
    for (size_t i = 0; i < r->count && (fraction || !is_signed); i++) {
        uint64_t magnitude = is_signed ? i64_magnitude(v[i]) : (uint64_t)v[i];
        double d = is_signed && v[i] < 0 ? -(double)magnitude : (double)magnitude;

        if (!is_exact(magnitude))
            return false;
        memcpy(&v[i], &d, sizeof d);
    }
    r->type = fraction || !is_signed ? DT_FLOAT64 : DT_UINT64;
    return true;
}

static const char comment[] = "; write nan where a number is missing; a comment begins with '# ', "
                              "before the first row of numbers or after the last";

/* Reports a cell, the last token, that is not a number. */
static enum status fail_cell(struct json_reader *r, const struct csv_cell *cell, size_t number)
{
    size_t n = (size_t)(cell->end - cell->s);
    const char *p = cell->s, *comma = memchr(cell->s, ',', n);
    const char *how = "; write nan where one is missing, and leave out text";
    char skip[80] = "";

    if (r->count == 0 && !r->csv->names)
        snprintf(skip, sizeof skip, "; to leave out this line: --skip-lines %zu",
                 json_reader_position(r, r->lx.start).line);
    while (p < cell->end && *p && strchr("0123456789.,+-eE", *p))
        p++;
    if (n == 0)
        return json_reader_fail(r,
                                "cell %zu is empty; write nan where a number is missing, which "
                                "topk --nan last puts last%s%s",
                                number, cell->next ? "" : ", or end the lines without a separator",
                                skip);
    if (*cell->s == '#')
        how = comment;
    else if (p == cell->end && comma && comma > cell->s && comma[-1] >= '0' && p - comma > 1 &&
             comma[1] >= '0' && !memchr(comma + 1, ',', (size_t)(p - comma - 1)))
        how = "; write decimal points, and no commas between thousands";
    else if (memchr(cell->s, '|', n))
        how = "; separate cells by ',', ';', tabs or blanks";
    return json_reader_fail(r, "cell %zu, '%s', is not a number%s%s", number,
                            json_lex_quote(&r->lx).text, how, skip);
}

/* Says how many comments a text has. */
static void note_comments(struct json_reader *r, const char *p, const char *end, const char *where)
{
    char *text = r->f->skipped;
    size_t n = csv_comments(p, end), used = strlen(text);

    if (n > 0)
        snprintf(text + used, sizeof r->f->skipped - used, ", %zu line%s of comments%s", n,
                 n == 1 ? "" : "s", where);
}

/* Chooses a type that holds the number at the fault in the next row, or reports why none does. */
static enum status handle_fault(struct json_reader *r)
{
    const char *row = r->lx.text + r->lx.end, *end = r->lx.text + r->lx.len, *at;
    struct csv_cell next = { .next = row }, cell = next;
    struct scalar value = { .is_float = true };
    enum number_result result = NUMBER_OK;
    size_t n = 0, i = 0, columns = r->csv->columns;
    uint64_t none;

    if (*row == '#' && csv_is_rest(r->csv, row, end)) {
        note_comments(r, row, end, " at the end");
        r->lx.end = r->lx.len;
        return ST_OK;
    }
    for (; csv_next_cell(r->csv, next.next, end, &next); n++)
        if (n < columns && result == NUMBER_OK) {
            cell = next;
            result = read_cell(r, &cell, &none, &(struct cast_counts){ 0 });
            i++;
        }
    at = result != NUMBER_OK ? cell.s : n > columns ? cell.next : cell.stop;
    r->lx.start = (size_t)(at - r->lx.text);
    r->lx.end = (size_t)(cell.end - r->lx.text);
    if (result == NUMBER_SYNTAX)
        return fail_cell(r, &cell, i);
    if (n != columns)
        return json_reader_fail(r, "this line has %zu cell%s, and the first line of numbers %zu%s",
                                n, n == 1 ? "" : "s", columns,
                                n < columns              ? "; write nan where a number is missing"
                                : at < end && *at == '#' ? comment
                                                         : "");
    r->lx.end = (size_t)(row - r->lx.text);
    if (widen(r, result))
        return ST_OK;
    r->lx.end = (size_t)(cell.end - r->lx.text);
    if (csv_special(&cell, &value.f))
        return json_reader_store_special(r, &value, &none);
    if (!r->infer || (r->type == DT_FLOAT64 && result == NUMBER_RANGE))
        return json_reader_fail_number(r, result);
    return json_reader_fail(r, "no type holds %s and the whole numbers before it as they are%s",
                            json_lex_quote(&r->lx).text,
                            cell.end - cell.s > DBL_MAX_10_EXP ? ""
                                                               : "; --dtype float64 rounds them");
}

enum status csv_read(struct json_reader *r, const struct csv *form)
{
    static const struct json_form pieces = { cut_piece, bound_piece, read_piece };
    enum status st = ST_OK;
    size_t bytes = 0, rows;
    struct json_position at;
    bool whole = true;
    uint64_t n;

    r->csv = form;
    r->infer = r->type == DT_NONE;
    r->type = r->infer ? DT_INT64 : r->type;
    r->lx.end = r->lx.start = form->data;
    at = json_reader_position(r, form->first);
    if (form->names)
        snprintf(r->f->skipped, sizeof r->f->skipped, ", line %zu: names", at.line);
    note_comments(r, r->lx.text, r->lx.text + form->data, "");
    if (form->numbered)
        diag_warn(r->dg, r->f->input.path,
                  "line %zu, 0 to %zu, is read as numbers; if it numbers the columns, leave it out "
                  "with --skip-lines %zu",
                  at.line, form->columns - 1, at.line);
    if (form->columns == 0)
        return json_reader_fail(r, "no line is left after --skip-lines");
    while (st == ST_OK && r->lx.end < r->lx.len) {
        st = json_window_read(r, &pieces, &bytes, &n, &whole);
        if (st == ST_OK && !whole)
            st = handle_fault(r);
    }
    rows = r->count / form->columns;
    if (rows > 1)
        r->sizes[r->rank++] = rows;
    if (form->columns > 1)
        r->sizes[r->rank++] = form->columns;
    return st;
}
