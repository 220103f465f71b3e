#pragma once

#include "io/input.h"
#include "io/npy.h"
#include "io/output.h"
#include "tensor/cast.h"

/* FORMAT_CSV is written with commas, FORMAT_TSV with tabs. FORMAT_RAW is only written: the data of
 * an .npy without its header. */
enum tensor_format { FORMAT_NPY, FORMAT_JSON, FORMAT_CSV, FORMAT_TSV, FORMAT_RAW, FORMAT_NONE };

/* "npy", "json" and so on, by enum tensor_format, then NULL; and for messages, ".npy", "JSON". */
extern const char *const tensor_format_names[], *const tensor_format_titles[];

/* The format of a path's extension, in any case: .npy, .json, .csv, .tsv, .dat or .bin (raw).
 * FORMAT_NONE for other extensions. */
enum tensor_format tensor_format_of(const char *path);

/* A tensor with its file. Zero-initialise; release with tensor_file_close. */
struct tensor_file {
    struct tensor tensor; /* a view of the mapping or of `values` */
    uint64_t count;       /* elements of the file */
    enum tensor_format format;
    bool typed;  /* the file names its type (.npy, JSON object form, title) */
    bool titled; /* of FORMAT_JSON: a text as `dmlop show` prints it */
    struct input input;
    struct npy_header header;       /* of an .npy */
    void *values;                   /* owned: elements of JSON, or aligned ones; else NULL */
    const struct cast_rules *rules; /* of numbers in JSON; NULL: each must fit the type */
    struct cast_counts counts;      /* of these numbers */
    uint64_t skip_lines;            /* of CSV, not to be read */
    const char *array;              /* that is wanted of an archive; NULL: the only one */
    char *member;                   /* owned: the path of an array that the path does not name */
    char skipped[128];              /* of CSV, for messages: ", line 1: names", or "" */
};

/* Begins to read a tensor of any rank from path ("-": standard input), .npy, JSON or CSV, known by
 * its content. f is zeroed, or has rules and skip_lines. A text without a type is read as json_type
 * (DT_NONE: JSON as FLOAT32, CSV as its numbers need), on at most `threads` threads (0: as many as
 * the text can use); with DT_BFLOAT16, an .npy of V2 is that, as header.type says, and the tensor
 * FLOAT32. An .npy is mapped and keeps its byte order (`swapped`) and Fortran order (strides); its
 * elements may be unaligned. Of an .npy that cannot be mapped only the header is read: tensor.data
 * is NULL and input.more is set. Errors are ST_INPUT or ST_SYSTEM with a message that names the
 * position; f is closed then. */
enum status tensor_file_begin(struct tensor_file *f, const char *path, enum dtype json_type,
                              int threads, struct diag *dg);

/* Begins the input of f alone: the file, or of an archive the array f->array, or its only one; else
 * an archive is refused later. Errors as input_begin, and ST_USAGE, with a message, for f->array
 * where there is no archive. */
enum status tensor_file_input(struct tensor_file *f, const char *path, struct diag *dg);

/* The same for a caller that has begun f->input, and perhaps set f->rules and f->skip_lines; f
 * stays open. */
enum status tensor_file_begin_on(struct tensor_file *f, enum dtype json_type, int threads,
                                 struct diag *dg);

/* Makes FLOAT32 of a BFLOAT16 tensor, exactly, and reads all of it. */
enum status tensor_file_widen(struct tensor_file *f, struct diag *dg);

/* Reads and aligns all elements, as kernels want them. Instead, a caller may input_read some of the
 * data_bytes after header.data_offset, and then call tensor_file_end. */
enum status tensor_file_finish(struct tensor_file *f, struct diag *dg);

/* Reads to the end after input_read: ST_INPUT if the data have too few or too many bytes. */
enum status tensor_file_end(struct tensor_file *f, struct diag *dg);

void tensor_file_close(struct tensor_file *f);

/* Writes t (any byte order, any strides) to an output: .npy as numpy.save would, JSON, CSV, or raw
 * little-endian data; on at most `threads` threads (0: as many as the work can use). ST_INPUT if
 * CSV cannot hold it. */
enum status tensor_file_write(struct output *out, const struct tensor *t, enum tensor_format format,
                              int threads, struct diag *dg);

/* Writes the header of an .npy of t's type and sizes and reserves room for all of it; the caller
 * then writes the elements, little-endian, with output_write. */
enum status tensor_file_write_header(struct output *out, const struct tensor *t, struct diag *dg);

/* ".npy", "JSON", "CSV", "TSV", or "text" for one with a title. */
static inline const char *tensor_file_kind(const struct tensor_file *f)
{
    return f->titled ? "text" : tensor_format_titles[f->format];
}

/* Warns of whole numbers of JSON without a type that FLOAT32 does not hold. */
void warn_inexact(const char *path, const struct tensor_file *f, struct diag *dg);

/* warn_inexact; with -v, notes "x.npy: FLOAT32 {3,4}, .npy version 1.0, C order". */
void note_tensor_file(const char *path, const struct tensor_file *f, struct diag *dg);

/* Warns that --dtype `asked`, if given and different, does not change a file's own type. */
void warn_dtype(const char *path, enum dtype asked, enum dtype type, struct diag *dg);

/* Tensors as JSON, for tensor_file.c: nested arrays, or { "DataType", "Sizes", "Values" }; see
 * dmlop-descriptor(5). */

/* Bytes of text that a thread reads or writes at a time: about 0.2 ms. */
enum { TENSOR_JSON_PIECE = 64 << 10 };

/* Reads the JSON text in f->input into f->values and f->tensor (packed), as json_type if the text
 * names no type (DT_NONE: FLOAT32). Text is dropped after it was read, so memory stays near the
 * larger of text and values. Numbers are read in pieces of about `piece` bytes, at least 1, on at
 * most `threads` threads (0: as many as the text can use); the result and the errors depend on
 * neither. Errors: ST_INPUT with line, column and index, or ST_SYSTEM. */
enum status tensor_json_read(struct tensor_file *f, enum dtype json_type, int threads, size_t piece,
                             struct diag *dg);

/* Writes t (any byte order, any strides) to an output in the object form, nested, innermost
 * rows on one line. Values are made in pieces of at most `piece` bytes on at most `threads` threads
 * (0: as many as the values can use), in bounded memory; the text depends on neither. */
enum status tensor_json_write(struct output *out, const struct tensor *t, int threads, size_t piece,
                              struct diag *dg);

/* Writes t, of rank 2 at most and not empty, as CSV, a row on a line and a vector as a column; else
 * ST_INPUT. Shortest digits, and a point in whole numbers of floating-point types. */
enum status tensor_csv_write(struct output *out, const struct tensor *t, char delimiter,
                             int threads, size_t piece, struct diag *dg);
