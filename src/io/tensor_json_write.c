#include "io/tensor_file.h"

#include "base/parallel.h"
#include "io/element.h"

enum {
    COLUMN = 12, /* of the first value */
    /* most text between two elements: "]]],\n", blanks, "[[[" */
    BETWEEN = COLUMN + 2 * TENSOR_MAX_RANK + 4,
};

/* The values of a tensor of rank 1 or more; of rank 2 if they are written as CSV. */
struct values {
    const struct tensor *t;
    char delimiter; /* of CSV; else 0 */
};

static char *add_repeated(char *p, char c, size_t n)
{
    memset(p, c, n);
    return p + n;
}

/* Writes the text before the row at coordinate c; rows are aligned. */
static char *begin_row(char *p, const struct tensor *t, const uint64_t *c)
{
    unsigned outer = t->rank - 1; /* axes around a row */
    unsigned fresh = 0;           /* of these, arrays that begin with the row */

    while (fresh < outer && c[outer - 1 - fresh] == 0)
        fresh++;
    if (fresh < outer) {
        p = add_repeated(p, ']', fresh + 1);
        *p++ = ',';
        *p++ = '\n';
        p = add_repeated(p, ' ', COLUMN + outer - fresh);
    }
    return add_repeated(p, '[', fresh + 1);
}

/* Writes an element of CSV. The point of a whole number shows that the type has fractions. */
static size_t csv_text(const struct tensor *t, const char *element, char *to)
{
    size_t n = element_text(t->type, t->swapped, element, false, to);

    if (dtype_table[t->type].kind != KIND_FLOAT || strpbrk(to, ".ein"))
        return n;
    to[n++] = '.';
    to[n++] = '0';
    return n;
}

/* Writes the elements of a piece, each after the text between it and the one before. */
static size_t format_piece(const void *context, uint64_t from, uint64_t left, char *buf)
{
    const struct values *v = context;
    const struct tensor *t = v->t;
    unsigned last = t->rank - 1;
    int64_t step = t->strides[last] * (int64_t)dtype_size(t->type);
    uint64_t c[TENSOR_MAX_RANK];
    char *p = buf;

    for (tensor_coordinate(t->rank, t->sizes, from, c); left > 0;
         tensor_next(t->rank, t->sizes, c)) {
        uint64_t n = u64_min(left, t->sizes[last] - c[last]);
        const char *element = tensor_at(t, c);

        for (uint64_t i = 0; i < n; i++) {
            const char *at = element + (int64_t)i * step;

            if (v->delimiter) {
                if (from > 0 || p > buf)
                    *p++ = c[last] + i > 0 ? v->delimiter : '\n';
                p += csv_text(t, at, p);
                continue;
            }
            if (c[last] + i == 0)
                p = begin_row(p, t, c);
            else {
                *p++ = ',';
                *p++ = ' ';
            }
            p += element_text(t->type, t->swapped, at, true, p);
        }
        left -= n;
        c[last] += n - 1;
    }
    return (size_t)(p - buf);
}

static enum status add_values(struct output *out, const struct tensor *t, char delimiter,
                              uint64_t count, int threads, size_t piece, struct diag *dg)
{
    uint64_t row = t->sizes[t->rank - 1];
    size_t least = BETWEEN + NUMBER_TEXT; /* room for one element */
    struct values v = { t, delimiter };
    struct output_pieces pieces = { count, 1, u64_max(piece, least), format_piece, &v };

    pieces.piece += (pieces.most - least) / (NUMBER_TEXT + 2 + BETWEEN / row);
    threads = parallel_threads_for(threads, count * 8); /* bytes of text, about */
    return output_pieces_write(out, &pieces, threads, dg);
}

/* Writes the text before the values. */
static enum status add_head(struct output *out, const struct tensor *t, struct diag *dg)
{
    struct str head = { 0 };

    str_printf(&head, "{\n  \"DataType\": \"%s\",\n  \"Sizes\": [", dtype_name(t->type));
    for (unsigned i = 0; i < t->rank; i++)
        str_printf(&head, "%s%ju", i > 0 ? ", " : "", t->sizes[i]);
    str_puts(&head, "],\n  \"Values\": ");
    return output_text(out, &head, dg);
}

enum status tensor_json_write(struct output *out, const struct tensor *t, int threads, size_t piece,
                              struct diag *dg)
{
    char text[NUMBER_TEXT + TENSOR_MAX_RANK + 3], *p = text; /* after all but a single element */
    enum status st = add_head(out, t, dg);
    uint64_t count;

    if (tensor_count(t->rank, t->sizes, &count) && count == 0)
        p = add_repeated(add_repeated(p, '[', 1), ']', 1);
    else if (t->rank == 0)
        p += element_text(t->type, t->swapped, t->data, true, p);
    else if (st == ST_OK) {
        st = add_values(out, t, 0, count, threads, piece, dg);
        p = add_repeated(p, ']', t->rank);
    }
    memcpy(p, "\n}\n", 3);
    return st ? st : output_write(out, text, (size_t)(p + 3 - text), dg);
}

enum status tensor_csv_write(struct output *out, const struct tensor *t, char delimiter,
                             int threads, size_t piece, struct diag *dg)
{
    struct tensor rows = *t;
    uint64_t count = 0;
    enum status st;

    while (rows.rank > 2 && rows.sizes[0] == 1) {
        rows.rank--;
        memmove(rows.sizes, rows.sizes + 1, rows.rank * sizeof *rows.sizes);
        memmove(rows.strides, rows.strides + 1, rows.rank * sizeof *rows.strides);
    }
    if (!tensor_count(rows.rank, rows.sizes, &count) || rows.rank > 2 || count == 0)
        return diag_input(dg, NULL,
                          "CSV has rows and columns, and the tensor is %s; write .npy or JSON%s",
                          tensor_sizes_text(t->rank, t->sizes).text,
                          count > 0 ? ", or convert it with --sizes" : "");
    if (t->rank > 2)
        diag_warn(dg, NULL, "CSV keeps two sizes: %s is written as %s",
                  tensor_sizes_text(t->rank, t->sizes).text,
                  tensor_sizes_text(rows.rank, rows.sizes).text);
    for (; rows.rank < 2; rows.rank++) {
        rows.sizes[rows.rank] = 1;
        rows.strides[rows.rank] = 1;
    }
    st = add_values(out, &rows, delimiter, count, threads, piece, dg);
    return st ? st : output_write(out, "\n", 1, dg);
}
