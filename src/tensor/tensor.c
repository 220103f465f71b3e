#include "tensor/tensor.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

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

    *extent = 0;
    for (unsigned i = 0; i < rank; i++)
        if (sizes[i] == 0)
            return true;
    for (unsigned i = 0; i < rank; i++) {
        uint64_t step;

        if (!u64_mul(sizes[i] - 1, (uint64_t)strides[i], &step) || !u64_add(last, step, &last))
            return false;
    }
    return u64_add(last, 1, extent);
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

void tensor_copy(const struct tensor *dst, const struct tensor *src)
{
    uint64_t c[TENSOR_MAX_RANK] = { 0 };
    size_t size = dtype_size(src->type);
    uint64_t count;

    if (!tensor_count(src->rank, src->sizes, &count) || count == 0)
        return;
    if (tensor_is_packed(dst) && tensor_is_packed(src)) {
        memcpy(dst->data, src->data, (size_t)count * size);
        return;
    }
    do
        memcpy(tensor_at(dst, c), tensor_at(src, c), size);
    while (tensor_next(src->rank, src->sizes, c));
}

#define DEFINE_SWAP(bits)                                        \
    static void swap_##bits(char *p, uint64_t n)                 \
    {                                                            \
        for (uint64_t i = 0; i < n; i++, p += (bits) / 8) {      \
            uint##bits##_t x;                                    \
                                                                 \
            memcpy(&x, p, sizeof x);                             \
            x = __builtin_bswap##bits(x);                        \
            memcpy(p, &x, sizeof x);                             \
        }                                                        \
    }

DEFINE_SWAP(16)
DEFINE_SWAP(32)
DEFINE_SWAP(64)

void tensor_swap_bytes(void *data, size_t size, uint64_t n)
{
    if (size == 2)
        swap_16(data, n);
    else if (size == 4)
        swap_32(data, n);
    else if (size == 8)
        swap_64(data, n);
}

char *tensor_sizes_text(char *buf, unsigned rank, const uint64_t *sizes)
{
    char *p = buf;

    *p++ = '{';
    for (unsigned i = 0; i < rank; i++)
        p += sprintf(p, "%s%llu", i ? "," : "", (unsigned long long)sizes[i]);
    *p++ = '}';
    *p = '\0';
    return buf;
}
