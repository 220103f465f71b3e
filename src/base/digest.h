#ifndef DMLOP_BASE_DIGEST_H
#define DMLOP_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* XXH3 with 64 bits and seed 0, by libxxhash: finds damage, proves nothing. */

struct digest; /* of bytes that come one after the other */

/* Of no bytes yet; NULL where memory is short. Release with digest_free, which takes NULL, too. */
struct digest *digest_new(void);
void digest_add(struct digest *d, const void *bytes, size_t n);
uint64_t digest_value(const struct digest *d);
void digest_free(struct digest *d);

/* The digest of n bytes. */
uint64_t digest_of(const void *bytes, size_t n);

#endif
