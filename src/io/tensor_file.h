#ifndef DMLOP_IO_TENSOR_FILE_H
#define DMLOP_IO_TENSOR_FILE_H

#include "base/diag.h"
#include "io/input.h"
#include "io/npy.h"
#include "io/output.h"
#include "io/tensor_source.h"
#include "tensor/cast.h"

/* FORMAT_RAW is only written: the data of an .npy without its header. */
enum tensor_format { FORMAT_NPY, FORMAT_JSON, FORMAT_RAW };

/* "npy", "json", "raw", by enum tensor_format; then NULL. */
extern const char *const tensor_format_names[];

/* The format that the extension of a path, in any case, names: .npy, .json, .dat or .bin (raw).
 * False where it names none. */
bool tensor_format_of(const char *path, enum tensor_format *format);

/* A tensor with the file it lies in. Zero-initialise; release with tensor_file_close. */
struct tensor_file {
    struct tensor tensor;      /* a view of the mapping or of `values` */
    uint64_t count;            /* elements that the file holds */
    enum tensor_format format;
    bool typed;                /* the file names its type (.npy, JSON object form) */
    struct input input;
    struct npy_header header;  /* of an .npy */
    void *values;              /* owned: numbers read from JSON; NULL for .npy */
    const struct cast_rules *rules; /* of numbers in JSON; NULL: each must be one of the type */
    struct cast_counts counts;      /* of these numbers */
    struct tensor_source *source; /* owned: what is read by need; NULL: all is in a file */
};

/*
 * Reads a tensor of any rank from path ("-": standard input), .npy or JSON by content. A JSON
 * tensor without a type of its own is read as json_type (DT_NONE: FLOAT32). An .npy is mapped and
 * keeps its byte order (`swapped`) and Fortran order (strides). JSON is read on at most `threads`
 * threads (0: as many as the text can use). Errors are ST_INPUT or ST_SYSTEM with a message that
 * names the position.
 */
enum status tensor_file_read(struct tensor_file *f, const char *path, enum dtype json_type,
                             int threads, struct diag *dg);

/* The same for a caller that has begun f->input, and perhaps set f->rules. */
enum status tensor_file_read_on(struct tensor_file *f, enum dtype json_type, int threads,
                                struct diag *dg);

/*
 * The same for a caller who may not want all data in memory: of an .npy that cannot be mapped only
 * the header is read, tensor.data is NULL and input.more is set. Then either tensor_file_finish
 * reads the rest, or the caller reads the data_bytes after header.data_offset with input_read, or
 * some of them, and calls tensor_file_end.
 */
enum status tensor_file_begin(struct tensor_file *f, const char *path, enum dtype json_type,
                              int threads, struct diag *dg);

/* tensor_file_begin for a caller that loads elements from any address: a mapped .npy is never
 * copied, though its elements may not be aligned. */
enum status tensor_file_begin_unaligned(struct tensor_file *f, const char *path,
                                        enum dtype json_type, int threads, struct diag *dg);

enum status tensor_file_finish(struct tensor_file *f, struct diag *dg);

/*
 * Makes f, which is zeroed, a tensor that a source reads: it looks like an .npy with that header,
 * whose data are not in memory. tensor_file_finish reads all of them; before that, some are read by
 * tensor_need or tensor_source_copy. Takes the source over, after an error too; header must live
 * until the source is closed.
 */
enum status tensor_file_from(struct tensor_file *f, const char *path, const struct str *header,
                             struct tensor_source *source, struct diag *dg);

/* To be called before results are used: other than ST_OK, with a message, where what was read of
 * the file is not what it holds. */
enum status tensor_file_intact(const struct tensor_file *f, struct diag *dg);

/* Reads to the end after `consumed` bytes of the data were read: ST_INPUT where the data have too
 * few or too many bytes. */
enum status tensor_file_end(struct tensor_file *f, uint64_t consumed, struct diag *dg);

void tensor_file_close(struct tensor_file *f);

/* Writes t (any byte order, any strides; packed where it has a feed) to output `index` of outs:
 * .npy as numpy.save would, JSON, or raw little-endian data; on at most `threads` threads (0: as
 * many as the work can use) where elements are not already as they are to be written. */
enum status tensor_file_write(struct outputs *outs, size_t index, const struct tensor *t,
                              enum tensor_format format, int threads, struct diag *dg);

/* Begins an .npy of t's type and sizes; the caller then writes the elements, little-endian, with
 * outputs_write. Reserves room for all of it, so that a full disk is found now. */
enum status tensor_file_write_header(struct outputs *outs, size_t index, const struct tensor *t,
                                     struct diag *dg);

#endif
