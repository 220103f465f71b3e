#ifndef DMLOP_IO_UNLZMA_H
#define DMLOP_IO_UNLZMA_H

#include <stdbool.h>
#include <stdint.h>

/* Members of zip archives that are compressed by LZMA (method 14), which the libzip of some systems
 * cannot unpack. liblzma is loaded when the first one is read. */

/* Reads at most n packed bytes; 0 at their end, below 0 after an error. */
typedef int64_t unlzma_pull(void *context, void *to, uint64_t n);

struct unlzma;

/* A reader of a member of `size` bytes with this checksum; NULL if memory is short or, with *found
 * false, if there is no liblzma. */
struct unlzma *unlzma_new(unlzma_pull *pull, void *context, uint64_t size, uint32_t crc,
                          bool *found);

enum { UNLZMA_NO_MEMORY = -2 };

/* Unpacks the next n bytes; fewer only at the end. Below 0 for damaged data, or UNLZMA_NO_MEMORY; a
 * wrong checksum is noticed when the end is read. */
int64_t unlzma_read(struct unlzma *u, void *to, uint64_t n);

/* NULL is allowed. */
void unlzma_free(struct unlzma *u);

#endif
