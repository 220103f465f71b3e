#pragma once

#include "base/util.h"

/* XXH3 with 64 bits and seed 0, by libxxhash: detects damage, not forgery. */

struct digest; /* of a sequence of bytes */

/* A digest of no bytes yet; NULL if memory is short. Release with digest_free, which accepts NULL.
 */
struct digest *digest_new(void);
void digest_add(struct digest *d, const void *bytes, size_t n);
uint64_t digest_value(const struct digest *d);
void digest_free(struct digest *d);

/* The digest of n bytes. */
uint64_t digest_of(const void *bytes, size_t n);
