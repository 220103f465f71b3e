#ifndef DMLOP_BASE_HASH_H
#define DMLOP_BASE_HASH_H

#include <stdint.h>

/* FNV-1a with 64 bits: the hash of no bytes, and a function that adds one byte to a hash. */
#define HASH_EMPTY UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_add(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * UINT64_C(0x100000001b3);
}

#endif
