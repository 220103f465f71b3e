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
 * first element; a second pass reads the elements and notes the lengths of the arrays that the
 * piece closes. add_piece then checks in order that these lengths fit.
 */
struct json_piece {
    const char *from, *to;         /* both after an element */
    size_t commas;                 /* one before each element */
    struct json_position position; /* of `to`, counted from { from, 1, 1 } */
    size_t place;                  /* index of its first element */
    const char *end;               /* of the text that was read */
    size_t count;                  /* elements read */
    struct cast_counts counts;     /* of these */
    /* By level, 0 being the outermost array. Arrays from level `top` on were open before the piece
     * and are closed in it. */
    unsigned top;
    uint64_t first[TENSOR_MAX_RANK]; /* elements that the piece adds to the array open before it */
    uint64_t size[TENSOR_MAX_RANK];  /* of arrays opened and closed in it; JSON_UNKNOWN: none */
    uint64_t done[TENSOR_MAX_RANK];  /* of the array open at its end, before the last element */
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

/* Counts the last element and closes arrays; false, and nothing changes, if a length differs from
 * that of an array before. */
static bool close_arrays(struct json_piece *p, unsigned rank, size_t closed)
{
    unsigned outer = rank - 1 - (unsigned)closed; /* the innermost level that stays open */

    for (unsigned i = rank - 1; i > outer; i--)
        if (i >= p->top && p->size[i] != JSON_UNKNOWN && p->size[i] != p->done[i] + 1)
            return false;
    for (unsigned i = rank - 1; i > outer; i--) {
        *(i < p->top ? &p->first[i] : &p->size[i]) = p->done[i] + 1;
        p->done[i] = 0;
    }
    if (closed > 0 && p->top > outer + 1)
        p->top = outer + 1;
    p->done[outer]++;
    return true;
}

static void count_piece(void *context, size_t chunk, int thread)
{
    const struct json_window *w = context;
    struct json_piece *p = &w->pieces[chunk];

    (void)thread;
    p->commas = json_count(p->from, p->to, 0xff, ',');
    if (w->largest) {
        p->position = (struct json_position){ (size_t)(p->from - w->r->lx.text), 1, 1 };
        json_position_advance(&p->position, w->r->lx.text, w->r->lx.len,
                              (size_t)(p->to - w->r->lx.text));
    }
}

static void read_piece(void *context, size_t chunk, int thread)
{
    const struct json_window *w = context;
    const struct json_reader *r = w->r;
    struct json_piece *p = &w->pieces[chunk];
    size_t size = dtype_size(r->type);
    char *to = r->type == DT_NONE ? NULL : (char *)r->f->values + p->place * size;

    (void)thread;
    p->end = p->from;
    p->count = 0;
    p->counts = (struct cast_counts){ 0 };
    p->top = r->rank;
    for (unsigned i = 0; i < r->rank; i++) {
        p->size[i] = JSON_UNKNOWN;
        p->done[i] = 0;
    }
    while (p->end < p->to) {
        size_t closed = 0;
        const char *at = *p->end == ',' ? skip_blanks(p->end + 1, p->to)
                                        : skip_brackets(p->end, p->to, r->rank, &closed);

        at = at ? read_element(r, at, p->to, to, &p->counts) : NULL;
        if (!at || !close_arrays(p, r->rank, closed))
            return;
        if (to)
            to += size;
        p->end = at;
        p->count++;
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
    size_t place = r->count;

    for (size_t i = 0; i < w->n; i++) {
        w->pieces[i].place = place;
        place += w->pieces[i].commas;
    }
    return r->type == DT_NONE ||
           mem_reserve(&r->f->values, place, &r->capacity, dtype_size(r->type));
}

/* Adds the elements of a piece to those before it; false, and nothing is added, if lengths of
 * arrays differ. */
static bool add_piece(struct json_reader *r, const struct json_piece *p)
{
    uint64_t done[TENSOR_MAX_RANK] = { 0 }, sizes[TENSOR_MAX_RANK] = { 0 };

    for (unsigned i = 0; i < r->rank; i++) {
        done[i] = r->done[i] + (i < p->top ? p->done[i] : p->first[i]);
        sizes[i] = r->sizes[i];
        if (i >= p->top) { /* an array was closed */
            if (sizes[i] == JSON_UNKNOWN)
                sizes[i] = done[i];
            if (done[i] != sizes[i] || (p->size[i] != JSON_UNKNOWN && p->size[i] != sizes[i]))
                return false;
            done[i] = p->done[i];
        }
        if (done[i] >= sizes[i])
            return false;
    }
    memcpy(r->done, done, r->rank * sizeof done[0]);
    memcpy(r->sizes, sizes, r->rank * sizeof sizes[0]);
    if (r->type != DT_NONE)
        r->count += p->count;
    r->f->counts.rounded += p->counts.rounded;
    r->f->counts.clamped += p->counts.clamped;
    r->lx.start = r->lx.end = (size_t)(p->end - r->lx.text);
    return true;
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

/* Reads a window; *whole: to its end, and at least one element. */
static enum status read_window(struct json_window *w, struct json_reader *r, bool *whole)
{
    size_t start = r->lx.end, i = 0;

    parallel_for(w->n, r->threads, count_piece, w);
    if (!place_pieces(w, r))
        return diag_nomem(r->dg);
    parallel_for(w->n, r->threads, read_piece, w);
    while (i < w->n && add_piece(r, &w->pieces[i]) && w->pieces[i].end == w->pieces[i].to)
        i++;
    *whole = i == w->n && r->lx.end > start;
    if (*whole && w->largest)
        drop_window(w, r);
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
