#include "io/unlzma.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "os/process.h"

enum { ZIP_HEADER = 4, PROPERTIES = 5 };

enum unlzma unlzma(const unsigned char *packed, size_t n, void *to, size_t size,
                   const uint32_t *crc)
{
    static const char *const names[] = { "liblzma.so.5", NULL };
    lzma_ret (*properties)(lzma_filter *, const lzma_allocator *, const uint8_t *, size_t);
    lzma_ret (*decode)(const lzma_filter *, const lzma_allocator *, const uint8_t *, size_t *,
                       size_t, uint8_t *, size_t *, size_t);
    uint32_t (*checksum)(const uint8_t *, size_t, uint32_t);
    lzma_filter filters[] = { { .id = LZMA_FILTER_LZMA1 }, { .id = LZMA_VLI_UNKNOWN } };
    size_t in = ZIP_HEADER + PROPERTIES, out = 0;
    void *library = os_library(names);
    lzma_options_lzma *options;
    lzma_ret ret = LZMA_DATA_ERROR;

    if (!library || !os_library_symbol(library, "lzma_properties_decode", &properties) ||
        !os_library_symbol(library, "lzma_raw_buffer_decode", &decode) ||
        !os_library_symbol(library, "lzma_crc32", &checksum))
        return UNLZMA_NO_LIBRARY;
    if (n >= in && packed[2] == PROPERTIES && packed[3] == 0)
        ret = properties(&filters[0], NULL, packed + ZIP_HEADER, PROPERTIES);
    if (ret == LZMA_OK) {
        options = filters[0].options;
        options->dict_size = (uint32_t)u64_min(options->dict_size, u64_max(size, 4096));
        ret = decode(filters, NULL, packed, &in, n, to, &out, size);
        free(options);
    }
    if (ret == LZMA_MEM_ERROR)
        return UNLZMA_NO_MEMORY;
    /* LZMA_BUF_ERROR: more could follow; data need no mark at their end, and have a checksum */
    if (crc)
        return checksum(to, size, 0) == *crc ? UNLZMA_OK : UNLZMA_DAMAGED;
    return ret == LZMA_OK || ret == LZMA_BUF_ERROR ? UNLZMA_OK : UNLZMA_DAMAGED;
}
