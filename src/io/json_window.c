#include "io/json_reader.h"

#include "base/mem.h"
#include "base/parallel.h"

enum {
    PIECES_MOST = 256,  /* of a window */
    FIRST_WINDOW = 256, /* bytes, and the next ones GROWTH times as much */
    GROWTH = 4,
};

struct json_view {
    struct json_reader *r;
    const struct json_form *form;
    struct json_piece *pieces;
    size_t n;
};

static void count_piece(void *context, size_t chunk, int thread)
{
    const struct json_view *w = context;
    const struct json_lexer *lx = &w->r->lx;
    struct json_piece *p = &w->pieces[chunk];

    (void)thread;
    p->place = w->form->count(w->r, p->from, p->to);
    p->position = (struct json_position){ (size_t)(p->from - lx->text), 1, 1 };
    json_position_advance(&p->position, lx->text, lx->len, (size_t)(p->to - lx->text));
}

static void read_piece(void *context, size_t chunk, int thread)
{
    const struct json_view *w = context;
    const struct json_reader *r = w->r;
    struct json_piece *p = &w->pieces[chunk];
    char *values = r->f->values;

    (void)thread;
    p->end = p->from;
    w->form->read(w->r, p, r->type == DT_NONE ? NULL : values + p->place * dtype_size(r->type));
}

/* Cuts the window of about `bytes` bytes into at most `most` pieces. */
static void cut_pieces(struct json_view *w, size_t bytes, size_t most)
{
    const struct json_reader *r = w->r;
    const char *start = r->lx.text + r->lx.end, *from = start, *end = r->lx.text + r->lx.len;

    for (w->n = 0; w->n < most && from < end; w->n++) {
        size_t off = u64_min((w->n + 1) * r->piece, bytes);
        const char *at = (size_t)(end - start) > off ? start + off : end;
        const char *to = w->form->cut(w->r, from, at);

        w->pieces[w->n] = (struct json_piece){ .from = from, .to = to };
        from = to;
    }
}

/* Sets the place of each piece and makes room for the elements. */
static bool place_pieces(struct json_view *w)
{
    struct json_reader *r = w->r;
    size_t place = r->count;

    for (size_t i = 0; i < w->n; i++) {
        size_t most = w->pieces[i].place;

        w->pieces[i].place = place;
        place += most;
    }
    return r->type == DT_NONE ||
           mem_reserve(&r->f->values, place, &r->capacity, dtype_size(r->type));
}

/* Moves the elements of a piece down to those before it, and drops its text if all was read. */
static void add_piece(struct json_reader *r, const struct json_piece *p)
{
    const struct json_position *by = &p->position;
    size_t size = dtype_size(r->type);
    char *values = r->f->values;

    r->lx.start = r->lx.end = (size_t)(p->end - r->lx.text);
    if (r->type == DT_NONE)
        return;
    if (p->place > r->count)
        memmove(values + r->count * size, values + p->place * size, p->count * size);
    r->count += p->count;
    r->f->counts.rounded += p->counts.rounded;
    r->f->counts.clamped += p->counts.clamped;
    r->f->counts.inexact += p->counts.inexact;
    if (p->end == p->to) {
        r->dropped.column = by->line > 1 ? by->column : r->dropped.column + by->column - 1;
        r->dropped.line += by->line - 1;
        r->dropped.offset = by->offset;
    }
}

enum status json_window_read(struct json_reader *r, const struct json_form *form, size_t *bytes,
                             uint64_t *elements, bool *whole)
{
    struct json_view w = { .r = r, .form = form };
    size_t most;

    *elements = 0;
    *bytes = u64_min(*bytes ? *bytes * GROWTH : FIRST_WINDOW, r->piece * PIECES_MOST);
    most = (size_t)u64_ceil_div(*bytes, r->piece);
    w.pieces = mem_alloc(most, sizeof *w.pieces);
    if (!w.pieces)
        return diag_nomem(r->dg);
    cut_pieces(&w, *bytes, most);
    parallel_for(w.n, r->threads, count_piece, &w);
    *whole = place_pieces(&w);
    if (!*whole) {
        free(w.pieces);
        return diag_nomem(r->dg);
    }
    parallel_for(w.n, r->threads, read_piece, &w);
    if (r->type != DT_NONE)
        json_position_advance(&r->dropped, r->lx.text, r->lx.len, r->lx.end);
    for (size_t i = 0; i < w.n && *whole; i++) {
        add_piece(r, &w.pieces[i]);
        *elements += w.pieces[i].count;
        *whole = w.pieces[i].end == w.pieces[i].to;
    }
    input_drop(&r->f->input, r->dropped.offset);
    free(w.pieces);
    return ST_OK;
}
