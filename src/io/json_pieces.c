#include "io/json_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "io/json_value.h"
#include "tensor/scalar.h"

enum {
    PIECES_MOST = 256,  /* of a window */
    FIRST_WINDOW = 256, /* bytes, and the next ones GROWTH times as much */
    GROWTH = 4,
    EXTRA = 3,
};

/* A part of the text, and what it amounts to. Levels are counted from 0, the outermost array. */
struct json_piece {
    const char *from, *to;         /* both after an element */
    size_t commas;                 /* before each element there is one */
    struct json_position position; /* of `to`, counted from { from, 1, 1 } */
    size_t place;                  /* index of its first element */
    const char *end;               /* of what was read */
    size_t count;                  /* elements read */
    struct cast_counts counts;     /* of these */
    /* Of the arrays open before the piece and closed in it, at levels from `top` on, what the piece
     * adds to their lengths; the length of those that are opened and closed in it, JSON_UNKNOWN
     * where there are none; and how many elements of the arrays open at its end come before the
     * last one. */
    unsigned top;
    uint64_t first[TENSOR_MAX_RANK], size[TENSOR_MAX_RANK], done[TENSOR_MAX_RANK];
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

/* The end of a run of the bytes that numbers are made of. */
static const char *number_end(const char *p, const char *end)
{
    while (p < end &&
           ((*p >= '0' && *p <= '9') || *p == '.' || *p == '-' || *p == '+' || (*p | 0x20) == 'e'))
        p++;
    return p;
}

/* Whether an element may end at p. */
static bool ends_element(const char *p, const char *end)
{
    return p == end || *p == ',' || *p == ']' || is_blank(*p);
}

/* Reads the element at s; its end, or NULL where it is left to the lexer. */
static const char *read_element(const struct json_reader *r, const char *s, const char *end,
                                void *to, struct cast_counts *counts)
{
    const char *e = number_end(s, end);
    struct scalar value = { .is_float = true };

    if (ends_element(e, end))
        return json_value_convert(r, s, (size_t)(e - s), to, counts) == NUMBER_OK ? e : NULL;
    e = json_value_special(s, end, &value.f);
    if (!e || !ends_element(e, end) || dtype_table[r->type].kind != KIND_FLOAT)
        return NULL;
    scalar_store(&value, r->type, to);
    return e;
}

/* Moves over "]], [[" with blanks anywhere: as many arrays are opened as are closed. NULL for
 * other texts. */
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

/* Counts the last element and closes so many arrays; false, and nothing changes, where their
 * lengths differ from those before. */
static bool close_arrays(struct json_piece *p, unsigned rank, size_t closed)
{
    unsigned outer = rank - 1 - (unsigned)closed; /* the level that goes on */

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

static size_t count_commas(const char *p, const char *end)
{
    size_t n = 0;

    for (; end - p >= 128; p += 128) {
        unsigned char some = 0; /* so small that the loop is vectorized well */

        for (int i = 0; i < 128; i++)
            some = (unsigned char)(some + (p[i] == ','));
        n += some;
    }
    for (; p < end; p++)
        n += *p == ',';
    return n;
}

static void count_piece(void *context, size_t chunk, int thread)
{
    const struct json_window *w = context;
    struct json_piece *p = &w->pieces[chunk];

    (void)thread;
    p->commas = count_commas(p->from, p->to);
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
 * the comma. The text's end for both where there is none. */
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

/* Cuts the window, of about so many bytes, into at most `most` pieces. */
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

/* Makes room for n elements; where that takes more memory, also for what the rest of the text will
 * have if it goes on like the window, up to EXTRA times as many, so that little is copied. */
static bool reserve(const struct json_window *w, struct json_reader *r, size_t n)
{
    const char *from = w->pieces[0].from, *to = w->pieces[w->n - 1].to;
    double rest;
    void *grown;
    size_t most;

    if (n <= r->capacity)
        return true;
    rest = (double)(r->lx.text + r->lx.len - to) / (double)(to - from);
    rest = rest < (double)EXTRA ? rest : (double)EXTRA;
    most = n + (size_t)(rest * (double)(n - r->count));
    grown = mem_realloc(r->f->values, most, dtype_size(r->type));
    if (!grown)
        return false;
    r->f->values = grown;
    r->capacity = most;
    return true;
}

/* Gives each piece the place of its elements, and these room. */
static bool place_pieces(struct json_window *w, struct json_reader *r)
{
    size_t place = r->count;

    for (size_t i = 0; i < w->n; i++) {
        w->pieces[i].place = place;
        place += w->pieces[i].commas;
    }
    return r->type == DT_NONE || reserve(w, r, place);
}

/* Adds what was read of a piece to what was read before it; false, and nothing is added, where the
 * lengths of arrays differ. */
static bool add_piece(struct json_reader *r, const struct json_piece *p)
{
    uint64_t done[TENSOR_MAX_RANK] = { 0 }, sizes[TENSOR_MAX_RANK] = { 0 };

    for (unsigned i = 0; i < r->rank; i++) {
        done[i] = r->done[i] + (i < p->top ? p->done[i] : p->first[i]);
        sizes[i] = r->sizes[i];
        if (i >= p->top) { /* an array was closed, and others perhaps after it */
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

/* Drops the text of a window that was read whole. */
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

/* Reads a window; *whole: to its end, which is not where it began. */
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
    struct json_piece one = { .from = NULL };

    for (bool whole = true; whole && st == ST_OK && r->lx.end < r->lx.len;) {
        size_t n = (size_t)u64_ceil_div(bytes, r->piece);
        struct json_window w = { .r = r, .largest = r->drop && bytes == most };

        w.pieces = n == 1 ? &one : mem_alloc(n, sizeof *w.pieces);
        if (!w.pieces)
            return diag_nomem(r->dg);
        cut_pieces(&w, bytes, n);
        st = read_window(&w, r, &whole);
        if (w.pieces != &one)
            free(w.pieces);
        bytes = u64_min(bytes * GROWTH, most);
    }
    return st;
}
