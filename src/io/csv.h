#ifndef DMLOP_IO_CSV_H
#define DMLOP_IO_CSV_H

#include "io/input.h"

/* Numbers in lines and columns, as spreadsheets and numpy.savetxt write them. */
struct csv {
    char delimiter; /* ',', ';', a tab, or a blank for any blanks */
    size_t data;    /* offset of the first line of numbers */
    size_t columns; /* cells of that line */
};

enum csv_answer {
    CSV_NO,
    CSV_YES,
    CSV_TEXT,     /* lines of cells, but in `data` none or not all are numbers: an error */
    CSV_UNDECIDED /* until more is read */
};

/*
 * Decides by the first two lines that are neither empty nor begin with '#': numbers in both, or
 * names and then a number, or at least two numbers in the only line. Numbers need not be right: a
 * reader says what is wrong with them. Names may have brackets, as units have. One number alone is
 * JSON unless the file is named .csv or .tsv. CSV_TEXT needs such a name, or cells that are not
 * divided by blanks. `c` is set for CSV_YES and CSV_TEXT.
 */
enum csv_answer csv_look(const struct input *in, struct csv *c);

/* True for a blank between cells. */
static inline bool csv_is_blank(const struct csv *c, char b)
{
    return b == ' ' || b == '\r' || (b == '\t' && c->delimiter != '\t');
}

static inline const char *csv_skip_blanks(const struct csv *c, const char *p, const char *end)
{
    while (p < end && csv_is_blank(c, *p))
        p++;
    return p;
}

/* True at the end of the cells of a line, where a comment may follow. */
static inline bool csv_ends_row(const char *p, const char *end)
{
    return p == end || *p == '\n' || *p == '#';
}

/* The bytes of a cell without the blanks around it, perhaps none. */
struct csv_cell {
    const char *s, *end;
    const char *next; /* after its delimiter; NULL after the last one */
};

/* Reads the cell at p, of a text up to `end`; false if p is NULL or after the last cell. */
bool csv_next_cell(const struct csv *c, const char *p, const char *end, struct csv_cell *cell);

/* Reads a cell that is nan, inf or infinity in any case, with any sign; false for others. */
bool csv_special(const struct csv_cell *cell, double *v);

/* The offset of the '(' of a tensor's title, as DirectML's documentation and `dmlop show` print it,
 * "InputTensor: (Sizes:{1,3}, DataType:FLOAT32)", plus 1; 0 if the first bytes have none. */
size_t title_find(const struct input *in);

#endif
