#include "io/tensor_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "io/element.h"

enum { BLOCK = 16384, COLUMN = 12 /* where the text of the values begins */ };

struct writer {
    struct outputs *outs;
    size_t index;
    struct diag *dg;
    enum status st;      /* of the first write that failed; later ones do nothing */
    size_t used;
    char block[BLOCK];
};

static void flush(struct writer *w)
{
    if (w->st == ST_OK && w->used > 0)
        w->st = outputs_write(w->outs, w->index, w->block, w->used, w->dg);
    w->used = 0;
}

/* Where n bytes, at most BLOCK, can be put; the caller adds them to w->used. */
static char *room(struct writer *w, size_t n)
{
    if (BLOCK - w->used < n)
        flush(w);
    return w->block + w->used;
}

static void put(struct writer *w, const char *s, size_t n)
{
    memcpy(room(w, n), s, n);
    w->used += n;
}

static void put_repeated(struct writer *w, char c, size_t n)
{
    memset(room(w, n), c, n);
    w->used += n;
}

/* One row of n elements, `step` bytes apart. */
static void put_row(struct writer *w, enum dtype type, const char *p, uint64_t n, int64_t step)
{
    put(w, "[", 1);
    for (uint64_t i = 0; i < n && w->st == ST_OK; i++, p += step) {
        char *to = room(w, NUMBER_TEXT + 2), *s = to;

        if (i) {
            *s++ = ',';
            *s++ = ' ';
        }
        s += element_text(type, p, true, s);
        w->used += (size_t)(s - to);
    }
    put(w, "]", 1);
}

/* The elements, rows under each other. */
static void put_values(struct writer *w, const struct tensor *t)
{
    uint64_t c[TENSOR_MAX_RANK] = { 0 };
    unsigned outer = t->rank - 1;   /* axes around a row */
    unsigned fresh = outer;         /* of these, arrays that begin with the next row */

    for (;;) {
        put_repeated(w, '[', fresh);
        put_row(w, t->type, tensor_at(t, c), t->sizes[outer], t->strides[outer] * (int64_t)dtype_size(t->type));
        if (!tensor_next(outer, t->sizes, c) || w->st)
            break;
        for (fresh = 0; fresh < outer && c[outer - 1 - fresh] == 0; fresh++)
            ;
        put_repeated(w, ']', fresh);
        put(w, ",\n", 2);
        put_repeated(w, ' ', COLUMN + outer - fresh);
    }
    put_repeated(w, ']', outer);
}

static void put_head(struct writer *w, const struct tensor *t)
{
    char text[TENSOR_SIZES_TEXT + TENSOR_MAX_RANK + 64];
    int n = sprintf(text, "{\n  \"DataType\": \"%s\",\n  \"Sizes\": [", dtype_name(t->type));

    for (unsigned i = 0; i < t->rank; i++)
        n += sprintf(text + n, "%s%" PRIu64, i ? ", " : "", t->sizes[i]);
    n += sprintf(text + n, "],\n  \"Values\": ");
    put(w, text, (size_t)n);
}

enum status tensor_json_write(struct outputs *outs, size_t index, const struct tensor *t, struct diag *dg)
{
    struct writer w = { .outs = outs, .index = index, .dg = dg };
    uint64_t count;

    put_head(&w, t);
    if (tensor_count(t->rank, t->sizes, &count) && count == 0)
        put(&w, "[]", 2);
    else if (t->rank == 0)
        w.used += element_text(t->type, t->data, true, room(&w, NUMBER_TEXT));
    else
        put_values(&w, t);
    put(&w, "\n}\n", 3);
    flush(&w);
    return w.st;
}
