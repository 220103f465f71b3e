#pragma once

#include "io/input.h"

/* Numbers in lines and columns, as spreadsheets and numpy.savetxt write them. */
struct csv {
    char delimiter; /* ',', ';', a tab, or a blank for any blanks */
    size_t data;    /* offset of the text after names and the comments before the numbers */
    size_t first;   /* offset of the line of names, or else of numbers */
    bool names;     /* there are some */
    size_t columns; /* cells of the first line of numbers; 0: there is none */
    bool numbered;  /* that line is 0, 1, 2 and so on, and the second has a point */
};

enum csv_answer {
    CSV_NO,
    CSV_YES,
    CSV_TEXT,     /* lines of cells, but in `data` none or not all are numbers: an error */
    CSV_UNDECIDED /* until more is read */
};

/* Decides by the first two lines after `skip` lines that are neither empty nor comments: numbers in
 * both, or names and then as many cells with a number, or at least two numbers in the only line.
 * Numbers need not be right: a reader says what is wrong with them. Names may have brackets, as
 * units have. One number alone is JSON unless the file is named .csv or .tsv or lines were skipped.
 * CSV_TEXT needs one of these, cells that are not divided by blanks, or a number in the second
 * line. `c` is set for CSV_YES and CSV_TEXT. */
enum csv_answer csv_look(const struct input *in, uint64_t skip, struct csv *c);

/* True for a blank between cells. */
static inline bool csv_is_blank(const struct csv *c, char b)
{
    return b == ' ' || (b == '\t' && c->delimiter != '\t');
}

static inline const char *csv_skip_blanks(const struct csv *c, const char *p, const char *end)
{
    while (p < end && csv_is_blank(c, *p))
        p++;
    return p;
}

/* True at the end of a line. Of "\r\n", the second character ends an empty line. */
static inline bool csv_ends_row(const char *p, const char *end)
{
    return p == end || *p == '\n' || *p == '\r';
}

static inline const char *csv_row_end(const char *p, const char *end)
{
    while (!csv_ends_row(p, end))
        p++;
    return p;
}

/* Skips what follows the text of a cell: blanks, and tabs at the end of a line. */
static inline const char *csv_skip_after(const struct csv *c, const char *p, const char *end)
{
    const char *tabs = p = csv_skip_blanks(c, p, end);

    while (c->delimiter == '\t' && tabs < end && (*tabs == '\t' || *tabs == ' '))
        tabs++;
    return csv_ends_row(tabs, end) ? tabs : p;
}

/* The bytes of a cell without the blanks around it, and without quotes; perhaps none. */
struct csv_cell {
    const char *s, *end;
    const char *stop; /* after its quotes and blanks: at a delimiter or the end of the line */
    const char *next; /* after its delimiter; NULL after the last one */
};

/* Reads the cell at p, of a text up to `end`; false if p is NULL or after the last cell. */
bool csv_next_cell(const struct csv *c, const char *p, const char *end, struct csv_cell *cell);

/* True if only comments and empty lines follow. */
bool csv_is_rest(const struct csv *c, const char *p, const char *end);

/* The number of lines that begin with '#'. */
size_t csv_comments(const char *p, const char *end);

/* Reads a cell that is nan, inf or infinity, or one of these as Microsoft's C library writes it,
 * 1.#INF or nan(ind), in any case, with any sign; false for others. */
bool csv_special(const struct csv_cell *cell, double *v);
