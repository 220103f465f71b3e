#include "tensor/tensor.h"

#include "base/parallel.h"
#include "tensor/element.h"

static void run_piece(void *context, size_t chunk, int thread)
{
    const struct tensor_pieces *p = context;
    uint64_t from = chunk * p->piece;

    p->work(p->context, from, u64_min(p->piece, p->count - from), thread);
}

void tensor_run_pieces(struct tensor_pieces *p, int threads)
{
    parallel_for((size_t)u64_ceil_div(p->count, p->piece), threads, run_piece, p);
}

bool tensor_count(unsigned rank, const uint64_t *sizes, uint64_t *count)
{
    bool fits = true, empty = false;
    uint64_t n = 1;

    for (unsigned i = 0; i < rank; i++) {
        empty = empty || sizes[i] == 0;
        fits = fits && u64_mul(n, sizes[i], &n);
    }
    *count = empty ? 0 : n;
    return fits || empty;
}

bool tensor_extent(unsigned rank, const uint64_t *sizes, const int64_t *strides, uint64_t *extent)
{
    uint64_t last = 0;

    if (tensor_count(rank, sizes, extent) && *extent == 0)
        return true;
    for (unsigned i = 0; i < rank; i++) {
        uint64_t step;

        if (!u64_mul(sizes[i] - 1, (uint64_t)strides[i], &step) || !u64_add(last, step, &last))
            return false;
    }
    return u64_add(last, 1, extent);
}

bool tensor_dense_bytes(enum dtype type, unsigned rank, const uint64_t *sizes, uint64_t *bytes)
{
    uint64_t dense = dtype_size(type);
    bool empty = false;

    for (unsigned i = 0; i < rank; i++) {
        empty = empty || sizes[i] == 0;
        if (!u64_mul(dense, sizes[i] ? sizes[i] : 1, &dense) || dense > PTRDIFF_MAX)
            return false;
    }
    *bytes = empty ? 0 : dense;
    return true;
}

bool tensor_pack_strides(unsigned rank, const uint64_t *sizes, int64_t *strides)
{
    uint64_t step = 1;

    for (unsigned i = rank; i-- > 0;) {
        strides[i] = (int64_t)step;
        if (!u64_mul(step, sizes[i] ? sizes[i] : 1, &step) || step > INT64_MAX)
            return false;
    }
    return true;
}

bool tensor_is_packed(const struct tensor *t)
{
    uint64_t step = 1;

    for (unsigned i = t->rank; i-- > 0;) {
        if (t->sizes[i] != 1 && (uint64_t)t->strides[i] != step)
            return false;
        step *= t->sizes[i] ? t->sizes[i] : 1;
    }
    return true;
}

void *tensor_at(const struct tensor *t, const uint64_t *c)
{
    int64_t at = 0;

    for (unsigned i = 0; i < t->rank; i++)
        at += (int64_t)c[i] * t->strides[i];
    return (char *)t->data + at * (int64_t)dtype_size(t->type);
}

bool tensor_next(unsigned rank, const uint64_t *sizes, uint64_t *c)
{
    for (unsigned i = rank; i-- > 0;) {
        if (++c[i] < sizes[i])
            return true;
        c[i] = 0;
    }
    return false;
}

INLINE void copy_elements(char *to, int64_t to_step, const char *from, int64_t step, uint64_t n,
                          unsigned width)
{
    int64_t size = (int64_t)1 << width;

    for (uint64_t i = 0; i < n; i++)
        element_store(to + (int64_t)i * to_step * size, width,
                      element_load(from + (int64_t)i * step * size, width));
}

/* n elements, steps in elements. */
static void copy_row(char *to, int64_t to_step, const char *from, int64_t step, uint64_t n,
                     unsigned width)
{
    if (to_step == 1 && step == 1)
        memcpy(to, from, (size_t)n << width);
    else
        WITH_WIDTH(copy_elements, width, to, to_step, from, step, n);
}

void tensor_copy(const struct tensor *dst, const struct tensor *src)
{
    uint64_t index[TENSOR_MAX_RANK] = { 0 }, count, n = 1;
    unsigned width = dtype_table[src->type].width_log2, row = src->rank;
    int64_t to_step = 1, step = 1;

    if (!tensor_count(src->rank, src->sizes, &count) || count == 0)
        return;
    while (row > 0 && src->sizes[row - 1] == 1)
        row--;
    if (row > 0) {
        n = src->sizes[--row];
        to_step = dst->strides[row];
        step = src->strides[row];
    }
    do
        copy_row(tensor_at(dst, index), to_step, tensor_at(src, index), step, n, width);
    while (tensor_next(row, src->sizes, index));
}

void tensor_coordinate(unsigned rank, const uint64_t *sizes, uint64_t index, uint64_t *c)
{
    for (unsigned i = rank; i-- > 0;) {
        c[i] = index % sizes[i];
        index /= sizes[i];
    }
}

/* Copies rows of n elements from the addresses in row[rows], some columns of all rows at a time:
 * if the elements of a column are neighbours, they share cache lines. */
static void gather_rows(const struct tensor *t, const char *const *row, unsigned rows, uint64_t n,
                        char *to)
{
    enum { COLUMNS = 64 };
    int64_t step = t->rank ? t->strides[t->rank - 1] : 1;
    unsigned width = dtype_table[t->type].width_log2;
    uint64_t columns = step == 1 ? n : COLUMNS;

    for (uint64_t j = 0; j < n; j += columns) {
        uint64_t run = u64_min(columns, n - j);

        for (unsigned i = 0; i < rows; i++)
            copy_row(to + ((i * n + j) << width), 1,
                     row[i] + (int64_t)j * step * ((int64_t)1 << width), step, run, width);
    }
}

void tensor_gather(const struct tensor *t, uint64_t from, uint64_t n, void *to)
{
    enum { ROWS = 32 };
    const char *row[ROWS];
    uint64_t c[TENSOR_MAX_RANK] = { 0 }, length = t->rank ? t->sizes[t->rank - 1] : 1;
    uint64_t *column = &c[t->rank ? t->rank - 1 : 0];
    size_t size = dtype_size(t->type);
    char *at = to;

    tensor_coordinate(t->rank, t->sizes, from, c);
    while (n > 0) {
        uint64_t run = u64_min(n, length - *column); /* of one row, or of whole ones */
        unsigned rows = 0;

        do {
            row[rows++] = tensor_at(t, c);
            n -= run;
            *column += run - 1;
            tensor_next(t->rank, t->sizes, c);
        } while (run == length && n >= length && rows < ROWS);
        gather_rows(t, row, rows, run, at);
        at += rows * run * size;
    }
}

INLINE void swap_elements(char *p, uint64_t n, unsigned width)
{
    for (uint64_t i = 0; i < n; i++, p += (size_t)1 << width)
        element_store(p, width, element_swap(element_load(p, width), width));
}

void tensor_swap_bytes(void *data, size_t size, uint64_t n)
{
    WITH_WIDTH(swap_elements, (unsigned)__builtin_ctzll(size), data, n);
}

struct sizes_text tensor_list_text(const char *brackets, unsigned n, const uint64_t *v,
                                   unsigned all)
{
    struct sizes_text s = { "" };
    char *p = s.text;

    for (unsigned i = 0; i < n; i++) {
        *p++ = i ? ',' : brackets[0];
        p += i == all ? sprintf(p, ":") : sprintf(p, "%ju", v[i]);
    }
    (void)sprintf(p, "%s", n ? brackets + 1 : brackets);
    return s;
}
