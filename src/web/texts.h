#ifndef DMLOP_WEB_TEXTS_H
#define DMLOP_WEB_TEXTS_H

#include <stddef.h>

/*
 * The texts of the program's tables (base/embedded.h), packed, as plain texts are half of its
 * bytes. src/web/texts.mjs packs them and writes the tables, whose texts point into web_texts. They
 * are unpacked before main, or before the first message.
 */
enum {
    TEXTS_COPY = 128,       /* a byte below: one byte more than its value follows */
    TEXTS_COPY_LEAST = 4,   /* bytes that TEXTS_COPY copies; each value above, one more */
    TEXTS_DISTANCE_SIZE = 2 /* bytes of the distance that follows, the low one first */
};

extern const unsigned char web_packed[];
extern const size_t web_packed_size; /* bytes */
extern char web_texts[];             /* large enough for all texts, each with its NUL */

#endif
