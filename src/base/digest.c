#include "base/digest.h"

#include <xxhash.h>

/* A struct digest is libxxhash's state under another name, which its functions allocate. */

static XXH3_state_t *state_of(struct digest *d) { return (XXH3_state_t *)(void *)d; }

struct digest *digest_new(void)
{
    XXH3_state_t *s = XXH3_createState();

    if (s)
        (void)XXH3_64bits_reset(s);
    return (struct digest *)(void *)s;
}

void digest_add(struct digest *d, const void *bytes, size_t n)
{
    if (n > 0)
        (void)XXH3_64bits_update(state_of(d), bytes, n);
}

uint64_t digest_value(const struct digest *d)
{
    return XXH3_64bits_digest((const XXH3_state_t *)(const void *)d);
}

void digest_free(struct digest *d) { (void)XXH3_freeState(state_of(d)); }

uint64_t digest_of(const void *bytes, size_t n) { return XXH3_64bits(bytes, n); }
