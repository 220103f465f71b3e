#pragma once

#include "tensor/dtype.h"

enum {
    TENSOR_MAX_RANK = 32, /* of files: NumPy's limit */
    DML_MAX_RANK = 8,     /* of operators, from 1 */
};

/* A strided view of elements; it owns nothing. Element c lies at
 * data + dtype_size(type) * sum(c[i] * strides[i]). Strides are never negative
 * in views of files and buffers. Views of inputs may lie on read-only pages. */
struct tensor {
    enum dtype type;
    bool is_bool;  /* NumPy's bool: type is DT_UINT8 */
    bool swapped;  /* elements are stored big end first on a little-endian machine (and the
                      reverse) */
    unsigned rank; /* 0 to TENSOR_MAX_RANK */
    uint64_t sizes[TENSOR_MAX_RANK];
    int64_t strides[TENSOR_MAX_RANK]; /* in elements; 0 broadcasts */
    void *data;                       /* element (0, ..., 0) */
};

/* Elements in row-major order, as pieces that threads work on. */
struct tensor_pieces {
    uint64_t count, piece; /* elements: all, and of a piece */
    void (*work)(void *context, uint64_t from, uint64_t n, int thread); /* [from, from + n) */
    void *context;
};

/* Works on all pieces, as parallel_for does. */
void tensor_run_pieces(struct tensor_pieces *p, int threads);

/* Number of elements, 1 for rank 0; false where it overflows 64 bits. */
bool tensor_count(unsigned rank, const uint64_t *sizes, uint64_t *count);

/* Bytes of the elements. False if they exceed INT64_MAX, sizes of 0 counted as 1: such strides do
 * not fit. */
bool tensor_dense_bytes(enum dtype type, unsigned rank, const uint64_t *sizes, uint64_t *bytes);

/* Elements between the first and the last of a view, inclusive: dot(sizes-1, strides)+1; 0 if a
 * size is 0. Strides must not be negative. False on overflow. */
bool tensor_extent(unsigned rank, const uint64_t *sizes, const int64_t *strides, uint64_t *extent);

/* Packed row-major strides for sizes. False on overflow. A size of 0 counts as 1. */
bool tensor_pack_strides(unsigned rank, const uint64_t *sizes, int64_t *strides);

/* True if a step along an axis is as far as n along the next one: they are like one axis. */
static inline bool tensor_goes_on(int64_t outer, int64_t inner, uint64_t n)
{
    int64_t end;

    return !__builtin_mul_overflow(inner, n, &end) && outer == end;
}

/* True if the view is packed row-major (strides of axes of size 1 do not count). */
bool tensor_is_packed(const struct tensor *t);

/* Address of the element at coordinate c[rank]. */
void *tensor_at(const struct tensor *t, const uint64_t *c);

/* Copies src into dst, bits unchanged: same rank and sizes, element sizes equal, any strides. The
 * two must not overlap. On one thread, row by row. */
void tensor_copy(const struct tensor *dst, const struct tensor *src);

/* The coordinate c[rank] of the element that is number `index` in row-major order. No size is 0. */
void tensor_coordinate(unsigned rank, const uint64_t *sizes, uint64_t index, uint64_t *c);

/* Copies n elements in row-major order, from element `from` on, bits unchanged, to contiguous `to`.
 */
void tensor_gather(const struct tensor *t, uint64_t from, uint64_t n, void *to);

/* Reverses the bytes of each of n elements of size bytes, 1, 2, 4 or 8, in place. */
void tensor_swap_bytes(void *data, size_t size, uint64_t n);

/* Advances coordinate c[0..rank-1] over sizes in row-major order; false after the last. */
bool tensor_next(unsigned rank, const uint64_t *sizes, uint64_t *c);

/* "{1,1,4,4}", "{}" for rank 0. */
enum { TENSOR_SIZES_TEXT = TENSOR_MAX_RANK * 21 + 3 };
struct sizes_text {
    char text[TENSOR_SIZES_TEXT];
};
struct sizes_text tensor_list_text(const char *brackets, unsigned n, const uint64_t *v,
                                   unsigned all);
#define tensor_sizes_text(rank, sizes) tensor_list_text("{}", rank, sizes, rank)

/* A coordinate, "[0,0,1,0]", with ":" for axis `all` if that is below the rank. */
#define tensor_index_text(rank, c, all) tensor_list_text("[]", rank, c, all)
