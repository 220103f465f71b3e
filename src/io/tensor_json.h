#ifndef DMLOP_IO_TENSOR_JSON_H
#define DMLOP_IO_TENSOR_JSON_H

#include "io/tensor_file.h"

/* Tensors as JSON: nested arrays, or { "DataType", "Sizes", "Values" }; see dmlop-descriptor(5). */

/* Bytes of text that a thread reads or writes at a time: about 0.2 ms. */
enum { TENSOR_JSON_PIECE = 64 << 10 };

/*
 * Reads the JSON text in f->input into f->values and f->tensor (packed), as json_type if the text
 * names no type (DT_NONE: FLOAT32). Text is dropped after it was read, so memory stays near the
 * larger of text and values. Numbers are read in pieces of about `piece` bytes, at least 1, on at
 * most `threads` threads (0: as many as the text can use); the result and the errors depend on
 * neither. Errors: ST_INPUT with line, column and index, or ST_SYSTEM.
 */
enum status tensor_json_read(struct tensor_file *f, enum dtype json_type, int threads, size_t piece,
                             struct diag *dg);

/* Writes t (any byte order, any strides) to output `index` in the object form, nested, innermost
 * rows on one line. Values are made in pieces of at most `piece` bytes on at most `threads` threads
 * (0: as many as the values can use), in bounded memory; the text depends on neither. */
enum status tensor_json_write(struct outputs *outs, size_t index, const struct tensor *t,
                              int threads, size_t piece, struct diag *dg);

#endif
