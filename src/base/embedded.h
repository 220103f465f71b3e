#ifndef DMLOP_BASE_EMBEDDED_H
#define DMLOP_BASE_EMBEDDED_H

/*
 * Texts that are part of the program: JSON, plain text, Python, shell scripts. The build makes a
 * table of each folder of src/ that has such files, of src/check/examples/ the table
 * check_examples. Who reads it declares it:
 *
 *     extern const struct embedded check_examples[];
 */
struct embedded {
    const char *name; /* of the file; NULL after the last */
    const char *text; /* lines, without a newline after the last */
};

/* The text of a file of such a table; NULL where there is no such file. */
const char *embedded_find(const struct embedded *files, const char *name);

#endif
