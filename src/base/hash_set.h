#pragma once

#include "base/util.h"

/* A set of hashes. Zero-initialise; release with hash_set_free. */
struct hash_set {
    uint64_t *table; /* [room], owned; 0: a free entry */
    size_t count, room;
    bool failed; /* memory ran out: hashes are missing */
};

bool hash_set_has(const struct hash_set *s, uint64_t hash);
void hash_set_add(struct hash_set *s, uint64_t hash);
void hash_set_free(struct hash_set *s);

/* The hash of a text after another one (FNV-1a); the first one begins with HASH_START. */
#define HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t hash_text(uint64_t hash, const char *s);
