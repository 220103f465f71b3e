#include "web/texts.h"

#include <string.h>

/* Runs with the other initializers of the program. */
__attribute__((constructor)) static void unpack(void)
{
    const unsigned char *p = web_packed, *end = p + web_packed_size;
    char *out = web_texts;

    while (p < end) {
        size_t n = *p++;

        if (n < TEXTS_COPY) {
            memcpy(out, p, ++n);
            p += n;
            out += n;
        } else { /* the bytes that are copied may overlap with those that are written */
            const char *from = out - (p[0] | p[1] << 8);

            p += TEXTS_DISTANCE_SIZE;
            for (n = n - TEXTS_COPY + TEXTS_COPY_LEAST; n > 0; n--)
                *out++ = *from++;
        }
    }
}
