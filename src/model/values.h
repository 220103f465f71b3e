#pragma once

#include "json/doc.h"
#include "tensor/dtype.h"

/* Single values of resources, in native byte order; 8 bytes have room for any type. */

/* Stores the number at a node, or one of the strings "nan", "inf", "-inf" in any case, as an
 * element of the type. Floats are rounded once. False for other values, or if the type cannot hold
 * it. */
bool value_store(const struct json_doc *doc, size_t node, enum dtype type, void *at);

/* Stores the n values that begin with start, each delta more than the one before: integers modulo
 * the type's width, floats rounded to the type at each step, to nearest, ties to even. */
void values_fill(enum dtype type, const void *start, const void *delta, uint64_t n, void *to);

/* The number of values, among the first `count` of a sequence, before one leaves the range of the
 * type. `count` if none does, or if start or delta is NaN or infinite. */
uint64_t value_steps_in_range(enum dtype type, const void *start, const void *delta,
                              uint64_t count);
