#ifndef DMLOP_IO_TENSOR_JSON_H
#define DMLOP_IO_TENSOR_JSON_H

#include "io/tensor_file.h"

/* Tensors as JSON: nested arrays, or { "DataType", "Sizes", "Values" }; see dmlop-descriptor(5). */

/*
 * Reads the JSON text in f->input into f->values and f->tensor (packed), of json_type where the
 * text names no type (DT_NONE: FLOAT32). Streams: text that was read is dropped (input_drop), so
 * that memory stays near the larger of text and values. Errors: ST_INPUT with line, column and
 * index, or ST_SYSTEM.
 */
enum status tensor_json_read(struct tensor_file *f, enum dtype json_type, struct diag *dg);

/* Writes t (native byte order, any strides) to output `index` in the object form, nested, innermost
 * rows on one line, in blocks of bounded memory. */
enum status tensor_json_write(struct outputs *outs, size_t index, const struct tensor *t,
                              struct diag *dg);

#endif
