#include "io/json_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "tensor/scalar.h"

enum {
    PIECES_MOST = 256,  /* of a window */
    FIRST_WINDOW = 256, /* bytes, and the next ones GROWTH times as much */
    GROWTH = 4,
};

/*
 * The text is read by windows, each cut into pieces that begin and end after an element of the
 * innermost arrays. A first pass counts the commas of each piece, which gives the index of its
 * first element; a second pass reads the elements. The sizes of the arrays before say where arrays
 * end; the first array of a level, whose size is not known yet, is closed by the lexer.
 */
struct json_piece {
    const char *from, *to;         /* both after an element */
    size_t commas;                 /* one before each element */
    bool last;                     /* an array whose size is not known yet ends after it */
    struct json_position position; /* of `to`, counted from { from, 1, 1 } */
    size_t place;                  /* elements of the window before its first one */
    const char *end;               /* of the text that was read */
    size_t count;                  /* elements read */
    struct cast_counts counts;     /* of these */
};

struct json_window {
    const struct json_reader *r;
    struct json_piece *pieces;
    size_t n;
    bool largest; /* its text is dropped */
};

static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static bool ends_element(const char *p, const char *end)
{
    return p == end || *p == ',' || *p == ']' || is_blank(*p);
}

/* Reads the element at s; returns its end, or NULL if it is left to the lexer. */
static const char *read_element(const struct json_reader *r, const char *s, const char *end,
                                void *to, struct cast_counts *counts)
{
    const char *e = number_end(s, end);
    struct scalar value = { .is_float = true };

    if (ends_element(e, end))
        return json_value_convert(r, s, (size_t)(e - s), to, counts) == NUMBER_OK ? e : NULL;
    e = json_value_special(r, s, end, &value.f);
    if (!e || !ends_element(e, end) || dtype_table[r->type].kind != KIND_FLOAT)
        return NULL;
    scalar_store(&value, r->type, to);
    return e;
}

/* Skips "]], [[" with blanks anywhere; NULL unless as many arrays are opened as are closed. */
static const char *skip_brackets(const char *p, const char *end, unsigned rank, size_t *closed)
{
    size_t opened = 0;

    for (p = skip_blanks(p, end); p < end && *p == ']'; p = skip_blanks(p + 1, end))
        ++*closed;
    if (p == end || *p != ',' || *closed >= rank)
        return NULL;
    for (p = skip_blanks(p + 1, end); p < end && *p == '['; p = skip_blanks(p + 1, end))
        opened++;
    return opened == *closed ? p : NULL;
}

/* Moves an index by n elements. A size that is not known is not reached. */
static void advance(const struct json_reader *r, uint64_t *index, uint64_t n)
{
    for (unsigned i = r->rank; i-- > 0 && n > 0; n /= r->sizes[i]) {
        n += index[i];
        index[i] = n % r->sizes[i];
    }
}

/* Moves an index to the next element; returns the number of arrays that end before it. */
static size_t next_element(const struct json_reader *r, uint64_t *index)
{
    unsigned i = r->rank;

    while (i > 0 && ++index[i - 1] == r->sizes[i - 1])
        index[--i] = 0;
    return r->rank - i;
}

/* Ends a piece before the end of an array whose size is not known yet, and counts its commas. */
static void count_piece(void *context, size_t chunk, int thread)
{
    const struct json_window *w = context;
    struct json_piece *p = &w->pieces[chunk];
    const char *stop = NULL;

    (void)thread;
    if (w->r->rank > 1 && w->r->sizes[1] == JSON_UNKNOWN)
        stop = memchr(p->from, ']', (size_t)(p->to - p->from));
    while (stop && stop > p->from && is_blank(stop[-1]))
        stop--;
    p->last = stop != NULL;
    p->to = stop ? stop : p->to;
    p->commas = json_count(p->from, p->to, 0xff, ',');
}

static void read_piece(void *context, size_t chunk, int thread)
{
    const struct json_window *w = context;
    const struct json_reader *r = w->r;
    struct json_piece *p = &w->pieces[chunk];
    size_t size = dtype_size(r->type);
    char *to = r->type == DT_NONE ? NULL : (char *)r->f->values + (r->count + p->place) * size;
    uint64_t index[TENSOR_MAX_RANK]; /* of the last element */

    (void)thread;
    p->end = p->from;
    p->count = 0;
    p->counts = (struct cast_counts){ 0 };
    memcpy(index, r->done, r->rank * sizeof *index);
    advance(r, index, p->place);
    while (p->end < p->to) {
        size_t closed = 0;
        const char *at = *p->end == ',' ? skip_blanks(p->end + 1, p->to)
                                        : skip_brackets(p->end, p->to, r->rank, &closed);

        if (at && closed == next_element(r, index))
            at = read_element(r, at, p->to, to, &p->counts);
        else
            at = NULL;
        if (!at)
            return;
        if (to)
            to += size;
        p->end = at;
        p->count++;
    }
    if (w->largest) {
        p->position = (struct json_position){ (size_t)(p->from - r->lx.text), 1, 1 };
        json_position_advance(&p->position, r->lx.text, r->lx.len, (size_t)(p->to - r->lx.text));
    }
}

/* The end of the last element before the first comma from `at` on, not before `least`; *comma is
 * that comma. Both are the text's end if there is none. */
static const char *cut_after(const struct json_reader *r, const char *at, const char *least,
                             const char **comma)
{
    const char *end = r->lx.text + r->lx.len;
    const char *p = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;

    *comma = p ? p : end;
    if (!p)
        return end;
    while (p > least && (p[-1] == ']' || is_blank(p[-1])))
        p--;
    return p;
}

/* Cuts the window of about `bytes` bytes into at most `most` pieces. */
static void cut_pieces(struct json_window *w, size_t bytes, size_t most)
{
    const struct json_reader *r = w->r;
    const char *start = r->lx.text + r->lx.end, *from = start, *comma = start,
               *end = r->lx.text + r->lx.len;

    for (w->n = 0; w->n < most && comma < end; w->n++) {
        size_t off = u64_min((w->n + 1) * r->piece, bytes);
        const char *at = (size_t)(end - start) > off ? start + off : end;
        struct json_piece *p = &w->pieces[w->n];

        p->from = from;
        p->to = from = cut_after(r, at > comma ? at : comma + 1, from, &comma);
    }
}

/* Sets the place of each piece and makes room for the elements. */
static bool place_pieces(struct json_window *w, struct json_reader *r)
{
    size_t place = 0;

    for (size_t i = 0; i < w->n; i++) {
        w->pieces[i].place = place;
        place += w->pieces[i].commas;
        if (w->pieces[i].last)
            w->n = i + 1;
    }
    return r->type == DT_NONE ||
           mem_reserve(&r->f->values, r->count + place, &r->capacity, dtype_size(r->type));
}

/* Adds the elements of a piece to those before it; returns true if it was read to its end. */
static bool add_piece(struct json_reader *r, const struct json_piece *p)
{
    advance(r, r->done, p->count);
    if (r->type != DT_NONE)
        r->count += p->count;
    r->f->counts.rounded += p->counts.rounded;
    r->f->counts.clamped += p->counts.clamped;
    r->lx.start = r->lx.end = (size_t)(p->end - r->lx.text);
    return p->end == p->to;
}

/* Drops the text of a window that was read completely. */
static void drop_window(const struct json_window *w, struct json_reader *r)
{
    struct json_position *at = &r->dropped;

    json_position_advance(at, r->lx.text, r->lx.len, (size_t)(w->pieces[0].from - r->lx.text));
    for (size_t i = 0; i < w->n; i++) {
        const struct json_position *by = &w->pieces[i].position;

        at->column = by->line > 1 ? by->column : at->column + by->column - 1;
        at->line += by->line - 1;
        at->offset = by->offset;
    }
    input_drop(&r->f->input, at->offset);
}

/* Reads a window; *whole: to its end, and at least one element, and no array ends there that the
 * lexer must close. */
static enum status read_window(struct json_window *w, struct json_reader *r, bool *whole)
{
    size_t start = r->lx.end, i = 0;

    parallel_for(w->n, r->threads, count_piece, w);
    if (!place_pieces(w, r))
        return diag_nomem(r->dg);
    parallel_for(w->n, r->threads, read_piece, w);
    while (i < w->n && add_piece(r, &w->pieces[i]))
        i++;
    *whole = i == w->n && r->lx.end > start;
    if (*whole && w->largest)
        drop_window(w, r);
    *whole = *whole && !w->pieces[w->n - 1].last;
    return ST_OK;
}

enum status json_pieces_read(struct json_reader *r)
{
    size_t most = r->piece * PIECES_MOST, bytes = u64_min(FIRST_WINDOW, most);
    enum status st = ST_OK;

    for (bool whole = true; whole && st == ST_OK && r->lx.end < r->lx.len;) {
        size_t n = (size_t)u64_ceil_div(bytes, r->piece);
        struct json_window w = { .r = r, .largest = r->type != DT_NONE && bytes == most };

        w.pieces = mem_alloc(n, sizeof *w.pieces);
        if (!w.pieces)
            return diag_nomem(r->dg);
        cut_pieces(&w, bytes, n);
        st = read_window(&w, r, &whole);
        free(w.pieces);
        bytes = u64_min(bytes * GROWTH, most);
    }
    return st;
}
