#ifndef DMLOP_IO_UNLZMA_H
#define DMLOP_IO_UNLZMA_H

#include <stddef.h>
#include <stdint.h>

/* Members of zip archives that are compressed by LZMA (method 14), which the libzip of some systems
 * cannot unpack. liblzma is loaded when the first one is read. */

enum unlzma { UNLZMA_OK, UNLZMA_DAMAGED, UNLZMA_NO_MEMORY, UNLZMA_NO_LIBRARY };

/* Unpacks the first `size` bytes of a member of n packed bytes. If these are all of the member, crc
 * is their checksum, else NULL. */
enum unlzma unlzma(const unsigned char *packed, size_t n, void *to, size_t size,
                   const uint32_t *crc);

#endif
