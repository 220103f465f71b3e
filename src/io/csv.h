#ifndef DMLOP_IO_CSV_H
#define DMLOP_IO_CSV_H

#include <stdbool.h>
#include <stddef.h>

/* Numbers in columns, as spreadsheets and numpy.savetxt write them. */
struct csv {
    char delimiter; /* ',', ';', a tab, or a blank for any blanks */
    bool header;    /* the first line names the columns */
    bool mark;      /* a byte-order mark comes first */
};

/* Whether a text, of which the first `most` bytes are looked at, is that: two lines or more of as
 * many cells, or one of two cells or more; all numbers but for the first line. */
bool csv_is(const void *text, size_t len, size_t most, struct csv *c);

#endif
