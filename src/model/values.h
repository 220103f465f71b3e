#ifndef DMLOP_MODEL_VALUES_H
#define DMLOP_MODEL_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "json/doc.h"
#include "tensor/dtype.h"

/* Single values of resources. */

/*
 * Stores the number at a node, or one of the strings "nan", "inf", "-inf" in any case, as an
 * element of the type (8 bytes have room) in native byte order: floats rounded once. False where it
 * is not such a value, or does not fit.
 */
bool value_store(const struct json_doc *doc, size_t node, enum dtype type, void *at);

/* Stores start + i * delta of a sequence: integers modulo the type's width, floats in its
 * precision. */
void value_step(enum dtype type, const void *start, const void *delta, uint64_t i, void *at);

/* How many of the first `count` values of a sequence there are before one leaves the range of the
 * type; `count` where none does, or where start or delta are NaN or infinite. */
uint64_t value_steps_in_range(enum dtype type, const void *start, const void *delta,
                              uint64_t count);

#endif
