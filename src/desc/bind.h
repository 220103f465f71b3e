#ifndef DMLOP_DESC_BIND_H
#define DMLOP_DESC_BIND_H

#include "base/diag.h"
#include "desc/rules.h"

/* Tensors, from files or buffers, against the descriptions that they are bound to. */

/*
 * Checks t, the tensor called `name` with `count` elements, against d's tensor in field f's slot,
 * which is present: data type, sizes up to leading ones, the length of a buffer where the
 * description has Strides, the values of scales. Adds findings; `seen` as for desc_check, pointers
 * likewise.
 */
void bind_check(const struct desc *d, const struct desc_seen *seen, const struct field *f,
                const struct tensor *t, uint64_t count, const char *name, struct findings *fs);

/*
 * Gives a tensor in which bind_check found nothing the description's shape: rank, sizes, and, where
 * the description has Strides, these; then t's elements must be packed, for they are a buffer. The
 * rest stays as in t.
 */
void bind_view(const struct tensor_desc *td, const struct tensor *t, struct tensor *view);

/* Whether the element type is FLOAT32 and a value of t, which belongs to the scale f, is not
 * finite, or is 0 for the output; *index (in row-major order) and *value are the first such. */
bool bind_bad_scale(const struct field *f, const struct tensor *t, uint64_t *index, float *value);

/* Checks the scales among tensors in d's shape, by slot, before they are computed with. ST_INPUT
 * with a message. */
enum status bind_check_scales(const struct desc *d, struct tensor *const t[SLOT_COUNT],
                              struct diag *dg);

#endif
