#pragma once

#include "base/diag.h"
#include "desc/values.h"

/* Compares tensors from files or buffers with the descriptions they are bound to. */

/* Compares t, the tensor called `name` with `count` elements, with the description of field f, or
 * of a slot that was read from a text, which is present: data type, sizes except leading ones, the
 * length of a buffer if the description has Strides, the values of scales. Adds findings. */
void bind_check(const struct desc *d, const struct field *f, const struct tensor *t, uint64_t count,
                const char *name, struct findings *fs);
void bind_check_values(const struct op_values *v, unsigned slot, const struct tensor *t,
                       uint64_t count, const char *name, struct findings *fs);

/* Makes a view of t, in which bind_check found nothing, with the description's rank and sizes. If
 * the description has Strides, these are the view's, and t must be packed. */
void bind_view(const struct tensor_desc *td, const struct tensor *t, struct tensor *view);

/* True if f is a scale and t, of type FLOAT32, has a value that is not finite, or is 0 for the
 * output's scale. *index (in row-major order) and *value describe the first one. */
bool bind_bad_scale(const struct field *f, const struct tensor *t, uint64_t *index, float *value);

/* Checks the values of all scales in t, which has d's shapes, before a computation. ST_INPUT with a
 * message. */
enum status bind_check_scales(const struct desc *d, struct tensor *const t[SLOT_COUNT],
                              struct diag *dg);
