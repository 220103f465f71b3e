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

/* True if the first `most` bytes of a text are that: at least two lines of equally many cells, or one
 * line of at least two cells; all numbers, except in the first of several lines. */
bool csv_is(const void *text, size_t len, size_t most, struct csv *c);

#endif
