#include "io/tensor_json.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "io/element.h"

enum {
    BLOCK = 16384, /* bytes written at once */
    COLUMN = 12,   /* of the first value */
    BETWEEN = COLUMN + 2 * TENSOR_MAX_RANK +
              4, /* the most text between two elements: "]]],\n", blanks, "[[[" */
};

struct values_writer {
    struct outputs *outs;
    size_t index;
    struct diag *dg;
    size_t used;
    char block[BLOCK];
};

static enum status flush(struct values_writer *w)
{
    size_t n = w->used;

    w->used = 0;
    return n > 0 ? outputs_write(w->outs, w->index, w->block, n, w->dg) : ST_OK;
}

/* Makes room for an element and what follows it. */
static enum status make_room(struct values_writer *w)
{
    return BLOCK - w->used < BETWEEN + NUMBER_TEXT ? flush(w) : ST_OK;
}

static void add(struct values_writer *w, const char *s, size_t n)
{
    assert(n <= BLOCK - w->used);
    memcpy(w->block + w->used, s, n);
    w->used += n;
}

static void add_repeated(struct values_writer *w, char c, size_t n)
{
    assert(n <= BLOCK - w->used);
    memset(w->block + w->used, c, n);
    w->used += n;
}

/* One row of n elements, `step` bytes apart. */
static enum status add_row(struct values_writer *w, enum dtype type, const char *p, uint64_t n,
                           int64_t step)
{
    enum status st = ST_OK;

    add(w, "[", 1);
    for (uint64_t i = 0; i < n && st == ST_OK; i++, p += step) {
        if (i)
            add(w, ", ", 2);
        w->used += element_text(type, p, true, w->block + w->used);
        st = make_room(w);
    }
    add(w, "]", 1);
    return st;
}

/* The elements, rows under each other. */
static enum status add_values(struct values_writer *w, const struct tensor *t)
{
    uint64_t c[TENSOR_MAX_RANK] = { 0 };
    unsigned outer = t->rank - 1;   /* axes around a row */
    unsigned fresh = outer;         /* of these, arrays that begin with the next row */
    int64_t step = t->strides[outer] * (int64_t)dtype_size(t->type);
    enum status st = ST_OK;

    for (;;) {
        add_repeated(w, '[', fresh);
        st = add_row(w, t->type, tensor_at(t, c), t->sizes[outer], step);
        if (!tensor_next(outer, t->sizes, c) || st)
            break;
        for (fresh = 0; fresh < outer && c[outer - 1 - fresh] == 0; fresh++)
            ;
        add_repeated(w, ']', fresh);
        add(w, ",\n", 2);
        add_repeated(w, ' ', COLUMN + outer - fresh);
    }
    add_repeated(w, ']', outer);
    return st;
}

/* All up to the values. */
static enum status add_head(struct values_writer *w, const struct tensor *t)
{
    struct str head = { 0 };
    struct json_writer json = { .out = &head };
    enum status st = ST_OK;

    json_open(&json, NULL, "{ }");
    json_line(&json, 2);
    json_string(&json, "DataType", dtype_name(t->type));
    json_line(&json, 2);
    json_uints(&json, "Sizes", t->sizes, t->rank);
    json_line(&json, 2);
    json_raw(&json, "Values", "");
    if (head.failed)
        st = diag_nomem(w->dg);
    else
        add(w, head.s, head.len);
    str_free(&head);
    return st;
}

enum status tensor_json_write(struct outputs *outs, size_t index, const struct tensor *t,
                              struct diag *dg)
{
    struct values_writer w = { .outs = outs, .index = index, .dg = dg };
    enum status st = add_head(&w, t);
    uint64_t count;

    if (st)
        return st;
    if (tensor_count(t->rank, t->sizes, &count) && count == 0)
        add(&w, "[]", 2);
    else if (t->rank == 0)
        w.used += element_text(t->type, t->data, true, w.block + w.used);
    else
        st = add_values(&w, t);
    add(&w, "\n}\n", 3);
    return st ? st : flush(&w);
}
