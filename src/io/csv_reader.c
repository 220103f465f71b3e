#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "io/csv.h"
#include "io/json_reader.h"
#include "io/kind.h"
#include "tensor/scalar.h"

/*
 * The lines are read by windows, each cut into pieces of whole lines. The number of line ends
 * before a piece bounds the index of its first row; rows move down where empty lines and comments
 * made that too large. After a row with a fault the next window begins with it, if another type
 * holds its numbers, so the result does not depend on threads and pieces.
 */

enum { PIECES_MOST = 256 /* of a window */ };

struct csv_piece {
    const char *from, *to;
    size_t lines, place, rows; /* lines: ends of lines; place: of its first element */
    struct cast_counts counts;
    const char *row, *fault; /* the row that is read, and the cell for which reading stopped */
    size_t cell;             /* of the row */
};

struct csv_reader {
    struct json_reader *r;
    struct csv form;
    bool infer; /* the type follows from the numbers */
    size_t rows;
    struct csv_piece *pieces;
    size_t n;
};

static const char *skip_blanks(const struct csv *c, const char *p, const char *end)
{
    while (p < end && csv_is_blank(c, *p))
        p++;
    return p;
}

static const char *line_end(const char *s, const char *end)
{
    const char *stop = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;

    return stop ? stop : end;
}

/* A type that is inferred holds whole numbers that are written so, except -0. */
static enum number_result convert(const struct csv_reader *cr, const char *s, size_t n, void *to,
                                  struct cast_counts *counts)
{
    enum dtype type = cr->r->type;

    if (!cr->infer || type == DT_FLOAT64)
        return json_value_convert(cr->r, s, n, to, counts);
    if (n == 2 && s[0] == '-' && s[1] == '0')
        return NUMBER_FRACTION;
    return type == DT_INT64 ? number_int_literal(s, n, to) : number_uint_literal(s, n, to);
}

/* Reads any cell; NUMBER_SYNTAX if it is not a number. */
static enum number_result read_cell(const struct csv_reader *cr, const struct csv_cell *cell,
                                    void *to, struct cast_counts *counts)
{
    const struct json_reader *r = cr->r;
    struct scalar value = { .is_float = true };
    size_t n = (size_t)(cell->end - cell->s);
    char text[NUMBER_RELAXED];
    enum number_result result = convert(cr, cell->s, n, to, counts);

    if (result == NUMBER_SYNTAX && (n = number_relaxed(cell->s, n, text)) > 0)
        result = convert(cr, text, n, to, counts);
    if (result != NUMBER_SYNTAX || !csv_special(cell, &value.f))
        return result;
    return (!cr->infer || r->type == DT_FLOAT64) &&
                   cast_allows(r->f->rules, scalar_store(&value, r->type, to), counts)
               ? NUMBER_OK
               : NUMBER_FRACTION;
}

/* Reads the cell at s; returns its end, after blanks, or NULL at a fault. */
static const char *read_next(const struct csv_reader *cr, const char *s, void *to,
                             struct csv_piece *p)
{
    const struct csv *c = &cr->form;
    const char *e = number_end(s, p->to), *after = skip_blanks(c, e, p->to);
    struct csv_cell cell = { .s = s, .end = s };

    if ((csv_ends_row(after, p->to) ||
         (c->delimiter == ' ' ? after > e : *after == c->delimiter)) &&
        convert(cr, s, (size_t)(e - s), to, &p->counts) == NUMBER_OK)
        return after;
    csv_next_cell(c, s, p->to, &cell);
    return read_cell(cr, &cell, to, &p->counts) == NUMBER_OK ? skip_blanks(c, cell.end, p->to)
                                                             : NULL;
}

/* Reads the row at s, which is not empty; returns the end of its line, or NULL at a fault. */
static const char *read_row(const struct csv_reader *cr, const char *s, char *to,
                            struct csv_piece *p)
{
    const struct csv *c = &cr->form;
    size_t size = dtype_size(cr->r->type);

    p->row = s;
    for (p->cell = 0; p->cell < c->columns; p->cell++, to += size) {
        p->fault = s = skip_blanks(c, s, p->to);
        s = read_next(cr, s, to, p);
        if (!s)
            return NULL;
        if (csv_ends_row(s, p->to) != (p->cell + 1 == c->columns)) { /* too few or too many */
            p->fault = s + (c->delimiter != ' ' && !csv_ends_row(s, p->to));
            return NULL;
        }
        s += c->delimiter != ' ' && p->cell + 1 < c->columns;
    }
    p->fault = NULL;
    return line_end(s, p->to);
}

static void read_piece(void *context, size_t chunk, int thread)
{
    const struct csv_reader *cr = context;
    struct csv_piece *p = &cr->pieces[chunk];
    size_t size = dtype_size(cr->r->type);
    char *to = (char *)cr->r->f->values + p->place * size;

    (void)thread;
    for (const char *s = p->from; s < p->to; s += s < p->to) {
        s = skip_blanks(&cr->form, s, p->to);
        if (csv_ends_row(s, p->to)) {
            s = line_end(s, p->to);
            continue;
        }
        s = read_row(cr, s, to, p);
        if (!s)
            return;
        to += cr->form.columns * size;
        p->rows++;
    }
}

/* Bounds the elements of a piece, in `place`. Each has two bytes or more, with its end. */
static void bound_piece(void *context, size_t chunk, int thread)
{
    const struct csv_reader *cr = context;
    struct csv_piece *p = &cr->pieces[chunk];
    size_t most = ((size_t)(p->to - p->from) + 1) / 2, columns = cr->form.columns;

    (void)thread;
    p->lines = json_count(p->from, p->to, 0xff, '\n');
    p->place = p->lines + 1 < most / columns ? (p->lines + 1) * columns : most;
}

/* Cuts the next window into pieces and makes room for their elements. */
static bool cut_pieces(struct csv_reader *cr)
{
    struct json_reader *r = cr->r;
    const char *from = r->lx.text + r->lx.end, *end = r->lx.text + r->lx.len;
    size_t place = r->count;

    for (cr->n = 0; cr->n < PIECES_MOST && from < end; cr->n++) {
        const char *to = line_end(from + u64_min(r->piece, (size_t)(end - from)) - 1, end);

        to += to < end;
        cr->pieces[cr->n] = (struct csv_piece){ .from = from, .to = to };
        from = to;
    }
    parallel_for(cr->n, r->threads, bound_piece, cr);
    for (size_t i = 0; i < cr->n; i++) {
        size_t most = cr->pieces[i].place;

        cr->pieces[i].place = place;
        place += most;
    }
    return mem_reserve(&r->f->values, place, &r->capacity, dtype_size(r->type));
}

/* Moves a position from the beginning of a piece to its end, or to that of a row. */
static void advance(struct json_position *at, const struct csv_piece *p, const char *to)
{
    const char *line = memrchr(p->from, '\n', (size_t)(to - p->from));

    at->offset += (size_t)(to - p->from);
    at->line += to == p->to ? p->lines : json_count(p->from, to, 0xff, '\n');
    at->column = line ? (size_t)(to - line) : at->column + (size_t)(to - p->from);
}

/* Moves the rows that were read down to those before them, and drops their text. Returns the piece
 * with the first fault, or NULL. */
static const struct csv_piece *add_pieces(struct csv_reader *cr)
{
    struct json_reader *r = cr->r;
    size_t size = dtype_size(r->type);
    const struct csv_piece *fault = NULL;
    char *values = r->f->values;

    for (struct csv_piece *p = cr->pieces; p < cr->pieces + cr->n && !fault; p++) {
        size_t n = p->rows * cr->form.columns;

        memmove(values + r->count * size, values + p->place * size, n * size);
        r->count += n;
        cr->rows += p->rows;
        r->f->counts.rounded += p->counts.rounded;
        r->f->counts.clamped += p->counts.clamped;
        fault = p->fault ? p : NULL;
        r->lx.end = (size_t)((fault ? p->row : p->to) - r->lx.text);
        advance(&r->dropped, p, fault ? p->row : p->to);
    }
    input_drop(&r->f->input, r->dropped.offset);
    return fault;
}

/* Makes the type one that may hold a number, too; false if there is none. */
static bool widen(struct csv_reader *cr, enum number_result result)
{
    struct json_reader *r = cr->r;
    bool is_signed = r->type == DT_INT64;
    int64_t *v = r->f->values;

    if (!cr->infer || r->type == DT_FLOAT64 || result == NUMBER_SYNTAX)
        return false;
    for (size_t i = 0; i < r->count; i++) {
        double d = is_signed ? (double)v[i] : (double)(uint64_t)v[i];

        if (result == NUMBER_FRACTION)
            memcpy(&v[i], &d, sizeof d);
        else if (v[i] < 0)
            return false;
    }
    r->type = result == NUMBER_FRACTION ? DT_FLOAT64 : DT_UINT64;
    return result == NUMBER_FRACTION || is_signed;
}

/* Reports a cell, the last token, that is not a number. */
static enum status fail_cell(struct csv_reader *cr, const struct csv_cell *cell, size_t number)
{
    size_t n = (size_t)(cell->end - cell->s), digits = 0;
    struct json_quote quote = json_lex_quote(&cr->r->lx);
    bool quoted = n > 2 && *cell->s == '"' && cell->end[-1] == '"';
    struct str other = { 0 };
    enum status st;

    if (n == 0)
        return json_reader_fail(cr->r, "cell %zu is empty; write nan where a number is missing",
                                number);
    while (digits < n && cell->s[digits] &&
           strchr(quoted ? "0123456789.+-eE\"" : "0123456789.,+-eE", cell->s[digits]))
        digits++;
    if (digits < n || (!quoted && !memchr(cell->s, ',', n)))
        return json_reader_fail(
            cr->r,
            "cell %zu, '%s', is not a number; write nan where one is missing, begin a line of text "
            "with '#', and leave out a column of text (cut -f)",
            number, quote.text);
    kind_add_word(&other, cr->r->f->input.path, NULL);
    str_puts(&other, " >");
    kind_add_word(&other, cr->r->f->input.path, quoted ? ".plain.csv" : ".point.csv");
    st =
        json_reader_fail(cr->r, "cell %zu, '%s', is not a number; write %s <%s", number, quote.text,
                         quoted ? "numbers without quotes: tr -d '\"'" : "decimal points: tr , .",
                         other.failed ? "" : other.s);
    str_free(&other);
    return st;
}

/* Chooses a type that holds the number at a fault, or reports why none does. */
static enum status handle_fault(struct csv_reader *cr, const struct csv_piece *p)
{
    struct csv_cell cell = { .next = p->row };
    struct scalar value = { .is_float = true };
    struct json_reader *r = cr->r;
    enum number_result result;
    size_t n = 0, columns = cr->form.columns;
    char none[8];

    while (csv_next_cell(&cr->form, cell.next, p->to, &cell))
        n++;
    cell = (struct csv_cell){ .s = p->fault, .end = p->fault };
    if (n == columns)
        csv_next_cell(&cr->form, p->fault, p->to, &cell);
    r->lx.start = (size_t)(cell.s - r->lx.text);
    if (n != columns)
        return json_reader_fail(
            r, "this line has %zu cell%s, and the first line of numbers %zu; %s", n,
            n == 1 ? "" : "s", columns,
            n < columns ? "write nan where a number is missing" : "begin a comment with '#'");
    result = read_cell(cr, &cell, none, &(struct cast_counts){ 0 });
    if (widen(cr, result))
        return ST_OK;
    r->lx.end = (size_t)(cell.end - r->lx.text);
    if (result == NUMBER_SYNTAX)
        return fail_cell(cr, &cell, p->cell + 1);
    if (csv_special(&cell, &value.f))
        return json_reader_store_special(r, &value, none);
    if (!cr->infer || r->type == DT_FLOAT64)
        return json_reader_fail_number(r, result);
    return json_reader_fail(r,
                            "neither INT64 nor UINT64 holds %s and the other numbers; "
                            "--dtype float64 rounds them",
                            json_lex_quote(&r->lx).text);
}

enum status csv_read(struct json_reader *r, const struct csv *form)
{
    struct csv_reader cr = { .r = r, .form = *form, .infer = r->type == DT_NONE };
    enum status st = ST_OK;

    r->type = cr.infer ? DT_INT64 : r->type;
    json_position_advance(&r->dropped, r->lx.text, r->lx.len, form->data);
    r->lx.end = form->data;
    cr.pieces = mem_alloc(PIECES_MOST, sizeof *cr.pieces);
    if (!cr.pieces)
        return diag_nomem(r->dg);
    while (st == ST_OK && r->lx.end < r->lx.len) {
        const struct csv_piece *fault;

        if (!cut_pieces(&cr)) {
            st = diag_nomem(r->dg);
            break;
        }
        parallel_for(cr.n, r->threads, read_piece, &cr);
        fault = add_pieces(&cr);
        st = fault ? handle_fault(&cr, fault) : ST_OK;
    }
    free(cr.pieces);
    if (cr.rows > 1)
        r->sizes[r->rank++] = cr.rows;
    if (form->columns > 1)
        r->sizes[r->rank++] = form->columns;
    return st;
}
