#include "io/json_reader.h"

/* Pieces begin and end after an element of the innermost arrays. A first pass counts the commas of
 * each piece, which gives the index of its first element; a second pass reads the elements. The
 * sizes of the arrays before say where arrays end; the first array of a level, whose size is not
 * known yet, is closed by the lexer. */

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
    e = json_value_special(s, end, &value.f);
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

/* Counts the commas of a piece, one before each element. */
static size_t count_piece(const struct json_reader *r, const char *from, const char *to)
{
    (void)r;
    return json_count(from, to, 0xff, ',');
}

static void read_piece(const struct json_reader *r, struct json_piece *p, char *to)
{
    uint64_t index[TENSOR_MAX_RANK]; /* of the last element */

    memcpy(index, r->done, r->rank * sizeof *index);
    advance(r, index, p->place - r->count);
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
            to += dtype_size(r->type);
        p->end = at;
        p->count++;
    }
}

/* The end of the last element before a comma, the first one from `at` on, or the second of the
 * piece; the text's end if there is none. */
static const char *cut_piece(const struct json_reader *r, const char *from, const char *at)
{
    const char *end = r->lx.text + r->lx.len, *comma = memchr(from, ',', (size_t)(end - from));

    if (comma && at <= comma)
        at = comma + 1;
    comma = comma ? memchr(at, ',', (size_t)(end - at)) : NULL;
    if (!comma)
        return end;
    while (comma > from && (comma[-1] == ']' || is_blank(comma[-1])))
        comma--;
    return comma;
}

enum status json_pieces_read(struct json_reader *r)
{
    static const struct json_form form = { cut_piece, count_piece, read_piece };
    enum status st = ST_OK;
    size_t bytes = 0;
    uint64_t n;

    for (bool whole = true; whole && st == ST_OK && r->lx.end < r->lx.len;) {
        st = json_window_read(r, &form, &bytes, &n, &whole);
        advance(r, r->done, n);
    }
    return st;
}
