#pragma once

#include "base/str.h"
#include "tensor/tensor.h"

/* NumPy's .npy format. */

#define NPY_MAGIC "\x93NUMPY"
enum {
    NPY_MAGIC_LEN = 6,
    NPY_PREFIX_MAX = 12,
    NPY_PADDING = 3,          /* bytes that DirectML's tools may add after the data */
    NPY_PEEK_BYTES = 1 << 17, /* longer than the headers of all types that can be read */
    NPY_ERROR_TEXT = 240,
    NPY_LENGTH_TEXT = TENSOR_SIZES_TEXT + 120,
};

struct npy_header {
    enum dtype type;
    bool is_bool;
    bool swapped;          /* data are in the other byte order */
    bool fortran;          /* first axis fastest */
    unsigned major, minor; /* header version */
    unsigned rank;
    uint64_t sizes[TENSOR_MAX_RANK];
    uint64_t data_offset; /* bytes from the start of the file */
    uint64_t count;       /* elements */
    uint64_t data_bytes;  /* count * element size */
};

/* True if the bytes begin like an .npy file. */
bool npy_is(const void *bytes, size_t len);

/* The offset of the data, from the first NPY_PREFIX_MAX bytes of a file; 0 if there are too few. */
size_t npy_header_end(const void *bytes, size_t len);

/* Reads a header of version 1.0, 2.0 or 3.0 from the first len bytes of a file, as NumPy does (odd
 * spacing, `3L`, "=f4"). All arithmetic is checked. The caller checks data_offset + data_bytes
 * against the file's length. False with the reason in error[NPY_ERROR_TEXT]; unsupported types are
 * refused by name; so is DT_BFLOAT16, but npy_is_bfloat16 says that h is complete. */
bool npy_read_header(const void *bytes, size_t len, struct npy_header *h, char *error);

/* True for a sound header of that type, after npy_read_header has refused it. */
static inline bool npy_is_bfloat16(const struct npy_header *h)
{
    return h->type == DT_BFLOAT16 && h->data_offset > 0;
}

/* True if `bytes_left` bytes after a header are its data and perhaps padding; more: further bytes
 * follow them. False with the reason in error. */
bool npy_check_length(const struct npy_header *h, uint64_t bytes_left, bool more,
                      char error[NPY_LENGTH_TEXT]);

/* True if elements are big-endian, by `swapped`; those of one byte never are. */
bool npy_is_big_endian(enum dtype type, bool swapped);

/* Adds the header that numpy.save writes for a C-order, little-endian array: version 1.0, padded to
 * a multiple of 64 bytes. Sizes of rank 0 to TENSOR_MAX_RANK always fit. */
void npy_format_header(struct str *b, enum dtype type, bool is_bool, unsigned rank,
                       const uint64_t *sizes);

/* The header of a file that may be an .npy. */
struct npy_peek {
    uint64_t length;            /* bytes of the file */
    bool is_npy;                /* an .npy whose header can be read */
    struct npy_header header;   /* if is_npy */
    bool failed;                /* memory was short */
    int err;                    /* why the file cannot be opened; else 0 */
    char error[NPY_ERROR_TEXT]; /* why the file cannot be used; else "" */
};

/* The number of bytes after the header. */
static inline uint64_t npy_peek_rest(const struct npy_peek *p)
{
    return p->length > p->header.data_offset ? p->length - p->header.data_offset : 0;
}

/* Reads the header of a regular file, if it is an .npy, in constant time. False, with the reason in
 * p->error or p->failed, if the file or its header cannot be read; other formats are no error. */
bool npy_peek(const char *path, struct npy_peek *p);
