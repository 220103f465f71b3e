#include "io/unlzma.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "os/process.h"

enum { PACKED_BYTES = 1 << 14 };

struct unlzma {
    unlzma_pull *pull;
    void *context;
    lzma_stream stream;
    lzma_ret (*code)(lzma_stream *, lzma_action);
    void (*end)(lzma_stream *);
    uint32_t (*checksum)(const uint8_t *, size_t, uint32_t);
    uint32_t want, crc;
    bool at_end;
    unsigned char packed[PACKED_BYTES];
};

/* Pulls the first n packed bytes. */
static bool pull_all(const struct unlzma *u, unsigned char *to, uint64_t n)
{
    for (int64_t got; n > 0; to += got, n -= (uint64_t)got) {
        got = u->pull(u->context, to, n);
        if (got <= 0)
            return false;
    }
    return true;
}

/* Makes the header of an .lzma file of that of a member: properties, size of the dictionary, and
 * the size, which a larger dictionary does not need. */
static void read_header(struct unlzma *u, uint64_t size)
{
    enum { ZIP_HEADER = 4, PROPERTIES = 5, HEADER = 13 };
    unsigned char *h = u->packed;
    uint64_t dictionary;

    u->at_end = !pull_all(u, h, ZIP_HEADER + PROPERTIES) || h[2] != PROPERTIES || h[3] != 0;
    if (u->at_end)
        return;
    memmove(h, h + ZIP_HEADER, PROPERTIES);
    dictionary = (uint64_t)h[1] | (uint64_t)h[2] << 8 | (uint64_t)h[3] << 16 | (uint64_t)h[4] << 24;
    dictionary = u64_min(dictionary, u64_max(size, 4096));
    for (unsigned i = 0; i < 4; i++)
        h[1 + i] = (unsigned char)(dictionary >> 8 * i);
    for (unsigned i = 0; i < 8; i++)
        h[PROPERTIES + i] = (unsigned char)(size >> 8 * i);
    u->stream.next_in = h;
    u->stream.avail_in = HEADER;
}

struct unlzma *unlzma_new(unlzma_pull *pull, void *context, uint64_t size, uint32_t crc,
                          bool *found)
{
    lzma_ret (*begin)(lzma_stream *, uint64_t);
    static const char *const names[] = { "liblzma.so.5", NULL };
    void *handle = os_library(names);
    struct unlzma *u = mem_zalloc(1, sizeof *u);

    *found = true;
    if (!u)
        return NULL;
    u->pull = pull;
    u->context = context;
    u->want = crc;
    *found = handle && os_library_symbol(handle, "lzma_alone_decoder", &begin) &&
             os_library_symbol(handle, "lzma_code", &u->code) &&
             os_library_symbol(handle, "lzma_end", &u->end) &&
             os_library_symbol(handle, "lzma_crc32", &u->checksum);
    if (*found && begin(&u->stream, UINT64_MAX) == LZMA_OK) {
        read_header(u, size);
        return u;
    }
    free(u);
    return NULL;
}

int64_t unlzma_read(struct unlzma *u, void *to, uint64_t n)
{
    lzma_stream *s = &u->stream;
    lzma_ret ret = LZMA_OK;

    s->next_out = to;
    s->avail_out = (size_t)n;
    while (!u->at_end && s->avail_out > 0 && ret == LZMA_OK) {
        int64_t got = s->avail_in ? 0 : u->pull(u->context, u->packed, PACKED_BYTES);

        if (got > 0) {
            s->next_in = u->packed;
            s->avail_in = (size_t)got;
        }
        ret = got < 0 ? LZMA_DATA_ERROR : u->code(s, LZMA_RUN);
        u->at_end = ret == LZMA_STREAM_END;
    }
    n -= s->avail_out;
    u->crc = u->checksum(to, (size_t)n, u->crc);
    if (ret == LZMA_MEM_ERROR)
        return UNLZMA_NO_MEMORY;
    return (ret != LZMA_OK && !u->at_end) || (u->at_end && u->crc != u->want) ? -1 : (int64_t)n;
}

void unlzma_free(struct unlzma *u)
{
    if (u)
        u->end(&u->stream);
    free(u);
}
