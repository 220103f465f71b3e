#pragma once

#include "base/util.h"

/*
 * Texts that are part of the program: JSON, plain text, Python, shell scripts. The build makes a
 * table for each folder of src/ with such files, such as check_examples for src/check/examples/. A
 * file that reads one declares it:
 *
 *     extern const struct embedded check_examples[];
 */
struct embedded {
    const char *name; /* the file's name; NULL after the last */
    const char *text; /* lines, without a newline after the last */
};

/* The text of a file of such a table; NULL if there is no such file. */
static inline const char *embedded_find(const struct embedded *files, const char *name)
{
    while (files->name && strcmp(files->name, name) != 0)
        files++;
    return files->text;
}
