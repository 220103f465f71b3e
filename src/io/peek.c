#include "io/peek.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/file.h"

bool npy_peek_bytes(const void *bytes, size_t have, struct npy_peek *p)
{
    *p = (struct npy_peek){ .length = p->length };
    if (!npy_is(bytes, have))
        return true;
    return p->is_npy = npy_read_header(bytes, have, &p->header, p->error);
}

bool npy_peek(const char *path, struct npy_peek *p)
{
    char *bytes = mem_alloc(NPY_PEEK_BYTES, 1); /* a small stack would not hold them */
    ptrdiff_t have = bytes ? file_head(path, bytes, NPY_PEEK_BYTES, &p->length) : -1;
    bool good = have >= 0;

    if (good)
        good = npy_peek_bytes(bytes, (size_t)have, p);
    else {
        *p = (struct npy_peek){ .failed = !bytes };
        snprintf(p->error, sizeof p->error, "%s",
                 errno == ESPIPE ? "it is not a regular file" : strerror(errno));
    }
    free(bytes);
    return good;
}
